/** The table of `npm run bench`, and how its figures stand to their targets. */

/** Reductions a second; cost beside that at the smallest N; share of the mutable speed. */
const TARGETS = { perSecond: 300_000, growth: 2, ofMutable: 0.25 };

const COLUMNS = [
  ["N", 9, ({ size }) => grouped(size)],
  ["reductions", 12, ({ kept }) => grouped(kept.reductions)],
  ["ns, all kept", 14, ({ kept }) => grouped(kept.nanos)],
  ["a second", 11, ({ perSecond }) => grouped(perSecond)],
  ["x first N", 11, ({ growth }) => growth.toFixed(2)],
  ["of mutable", 12, ({ ofMutable }) => ofMutable.toFixed(3)],
  ["ns, 10th kept", 15, ({ tenth }) => grouped(tenth.nanos)],
  ["a second", 11, ({ tenth }) => grouped(1e9 / tenth.nanos)],
  ["of mutable", 12, ({ tenth, mutable }) => (mutable.nanos / tenth.nanos).toFixed(3)],
  ["ns, mutable", 13, ({ mutable }) => grouped(mutable.nanos)],
  ["ns, naive", 13, ({ naive }) => (naive === undefined ? "—" : grouped(naive.nanos))],
];

const grouped = (number) => Math.round(number).toLocaleString("en");

/** Prints the title and the names of the columns. */
export function printHead(title) {
  console.log(`\n${title}`);
  console.log(COLUMNS.map(([name, width]) => name.padStart(width)).join(""));
}

/** Prints one row; returns it with what follows from its figures. */
export function printRow(figures) {
  const { kept, mutable } = figures;
  const row = {
    ...figures,
    perSecond: 1e9 / kept.nanos,
    ofMutable: mutable.nanos / kept.nanos,
  };
  console.log(COLUMNS.map(([, width, text]) => text(row).padStart(width)).join(""));
  return row;
}

/** Prints each target with the row that stands worst, and how many rows meet it. */
export function printFoot(rows) {
  const line = (what, key, order, figure) => {
    const [worst] = rows.toSorted((one, other) => order * (one[key] - other[key]));
    const met = rows.filter((row) => order * (row[key] - TARGETS[key]) >= 0).length;
    const place = `${worst.workload}, N = ${grouped(worst.size)}`;
    console.log(`${what}: met in ${met} of ${rows.length}; the worst is ${figure(worst[key])} (${place})`);
  };
  const ratio = (number) => number.toFixed(3);
  console.log("\nTargets, all snapshots kept");
  line("at least 300,000 reductions a second", "perSecond", 1, grouped);
  line("at most twice the cost at the first N", "growth", -1, ratio);
  line("an aim: a quarter of the mutable speed", "ofMutable", 1, ratio);
}
