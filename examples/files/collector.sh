# Cleans the orders that came with its instructions: no blanks, no lines without an amount.
set -eu
. status.sh

step asking_source 0 2
if [ ! -e workspace/asked ]; then
  # workspace/ is the only thing that an agent takes from one try to the next.
  : >workspace/asked
  mkdir outbox/partial
  head -n 4 inbox/orders.csv >outbox/partial/data.csv
  cat >outbox/error_report.md <<'REPORT'
# Error Report

## Error Type
SourceBusy

## Description
The source of the orders was busy after three lines.

## Attempted Recovery
None: it asks to be called again.

## Suggested Resolution
Try again.

## Partial Work
The lines that came are in outbox/partial/data.csv.
REPORT
  fail SourceBusy "The source was busy" "after three lines" true
fi

step cleaning 1 2
tr -d ' ' <inbox/orders.csv | awk -F, 'NR == 1 || $4 != ""' >outbox/data.csv
printf '# Sources\n\n- orders.csv, %s lines, %s of them usable\n' \
  "$(($(wc -l <inbox/orders.csv) - 1))" "$(($(wc -l <outbox/data.csv) - 1))" >outbox/sources.md
printf 'Cleaned the orders: %s are usable.\n' "$(($(wc -l <outbox/data.csv) - 1))" >outbox/summary.md
printf -- '- asked the source twice\n' >outbox/changelog.md
complete 2
