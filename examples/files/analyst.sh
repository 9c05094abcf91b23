# Sums up the amounts of each region.
set -eu
. status.sh

step summing 0 1
awk -F, 'NR > 1 { sum[$2] += $4; count[$2] += 1 }
  END { for (region in sum) printf "%s,%d,%d\n", region, count[region], sum[region] }' \
  inbox/source_data/data.csv | sort >workspace/sums.csv
{ echo region,orders,amount; cat workspace/sums.csv; } >outbox/totals.csv
best=$(sort -t, -k3,3nr workspace/sums.csv | head -n 1)
printf 'The best region was %s.\n' "${best%%,*}" >outbox/summary.md
complete 1
