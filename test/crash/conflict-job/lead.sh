#!/bin/sh
# The lead. Every turn is derived from the message and the files of the tree: run twice, it does the same.
set -eu
message=$(cat)
sleep 0.1 # so that a kill meets it
case $message in
  "[reply from"*)
    thread=${message#* on }
    cfa close "${thread%%]*}"
    ;;
  "[control]"*)
    sed '/^[<=>|]\{7\}/d' wall.txt | sort -u >wall.new
    mv wall.new wall.txt
    cfa ask "Which colour?"
    ;;
  "[answer"*)
    printf '%s\n' "$message" | tail -n 1 >colour.txt
    echo painted >WORK_SUMMARY.md
    mkdir -p .cfa
    echo '{"outcome": "APPROVED_WORK", "reason": "painted"}' >.cfa/outcome.json # quicker than cfa outcome
    ;;
  *)
    mkdir -p notes
    echo lead >notes/lead.txt
    cfa send --to worker "paint east" --file notes/lead.txt
    cfa send --to worker "paint west"
    ;;
esac
echo done
