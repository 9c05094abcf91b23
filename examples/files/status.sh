# What a file-based agent says of itself, in status.json. Found on PATH, as a script of its role: . status.sh
#
# The file is written beside and renamed, so that nobody reads half of it.

STARTED=$(date -u +%Y-%m-%dT%H:%M:%SZ)

# say STATE [MORE]: MORE are further keys, as JSON.
say() {
  printf '{"state": "%s", "started": "%s"%s}\n' "$1" "$STARTED" "${2:+, $2}" >workspace/status.json
  mv workspace/status.json status.json
}

# step NAME DONE TOTAL
step() {
  say running "\"progress\": {\"current_step\": \"$1\", \"steps_completed\": $2, \"total_steps\": $3}"
}

# complete FILES: how many files were made.
complete() {
  say completed "\"completed\": \"$(date -u +%Y-%m-%dT%H:%M:%SZ)\", \"metrics\": {\"outputs_generated\": $1}"
  exit 0
}

# fail TYPE MESSAGE DETAILS RECOVERABLE: the texts are those of the scripts and need no escapes.
fail() {
  say failed "\"error\": {\"type\": \"$1\", \"message\": \"$2\", \"details\": \"$3\", \"recoverable\": $4}"
  exit 1
}
