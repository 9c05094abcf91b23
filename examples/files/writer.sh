# Writes the report.
set -eu
. status.sh

step writing 0 1
{
  printf '# Sales of the last quarter\n\n'
  cat inbox/analysis/summary.md
  printf '\n| region | orders | amount |\n| ------ | -----: | -----: |\n'
  tail -n +2 inbox/analysis/totals.csv | tr , ' ' | while read -r region orders amount; do
    printf '| %s | %s | %s |\n' "$region" "$orders" "$amount"
  done
} >outbox/report.md
echo 'Wrote the report.' >outbox/summary.md
complete 1
