# One turn of the lead: gives all the work out at once, and ends the state when the report is written.
set -eu
read -r first || true

# The artifacts of the job are its memory: a program remembers nothing between its turns.
dispatch() {
  cat >orders.csv <<'CSV'
date,region,product,amount
2026-07-02,north,tea, 120
2026-07-09,south,tea,80
2026-07-30,north,coffee,
2026-08-11,west,coffee,200
2026-08-12,south,tea, 95
2026-09-03,north,coffee,310
2026-09-20,west,tea,40
CSV
  collector=$(cfa send --to collector --file orders.csv "# Task: Clean the orders

## Objective
Bring the orders of the last quarter into one clean table.

## Requirements
1. No blanks
2. No order without an amount

## Success Criteria
- [ ] every line of data.csv has four fields")
  # These two are held until those on whom they depend have completed.
  analyst=$(cfa send --to analyst "Sum up the orders of each region.")
  writer=$(cfa send --to writer "Write a report of one page.")
  printf '%s\n' "$collector" "$analyst" "$writer" >WORK_SUMMARY.md
}

case $CFA_STATE in
INTENT)
  echo "A report of the sales by region." >INTENT.md
  cfa outcome APPROVED_INTENT --reason "the request says all" ;;
PLAN)
  echo "Collect, analyse, write." >PLAN.md
  cfa outcome APPROVED_PLAN --reason "one agent for each step" ;;
EXECUTE)
  case $first in
  '[reply from writer '*)
    while read -r thread; do cfa close "$thread"; done <WORK_SUMMARY.md
    echo "The report is in REPORT.md." >WORK_SUMMARY.md
    cfa outcome APPROVED_WORK --reason "the report is written" ;;
  '['*) echo "noted: $first" ;;
  *) dispatch ;;
  esac ;;
esac
