/**
 * `npm run bench`: what a reduction costs, beside a mutable interpreter and a naive scan in the same run.
 *
 * B8. Time is the processor time of the process (user and system), so that a busy machine disturbs less; the best of
 *     several interleaved runs counts. Garbage collection is in it, on whatever thread it runs.
 * B9. For every N about the same number of threads, reductions and kept snapshots: many small soups, or one large one.
 * B10. Figures to compare are ratios within one run; absolute ones hold for the machine that is printed.
 */
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { open, runEngine } from "./engine.mjs";
import { MutableSoup } from "./mutable.mjs";
import { runNaive } from "./naive.mjs";
import { WORKLOADS } from "./workloads.mjs";

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    sizes: { type: "string", default: "100,1000,10000,100000" },
    total: { type: "string", default: "100000" },
    repeats: { type: "string", default: "3" },
    keep: { type: "string", default: "1" },
    naive: { type: "string", default: "1000" },
  },
});
const SIZES = options.sizes.split(",").map(Number);
const NAIVE_LIMIT = Number(options.naive);
const NAIVE_STEPS = 50;
const REPEATS = Number(options.repeats);
const TOTAL = Number(options.total);
const KEEP = Number(options.keep);

const TARGET = { perSecond: 300_000, growth: 2, ofMutable: 0.25 };

/** Nanoseconds a reduction of `work`, which returns their number. */
function measure(work) {
  globalThis.gc?.();
  const before = process.cpuUsage();
  const count = work();
  const { user, system } = process.cpuUsage(before);
  return { count, nanos: ((user + system) * 1_000) / count };
}

const sum = (starts, run) => starts.reduce((total, start) => total + run(start), 0);
const soups = ({ make, fixed }, size) =>
  fixed === true ? [make(size)] : Array.from({ length: Math.max(1, TOTAL / size) }, () => make(size));

const MEASURED = {
  engine(workload, size) {
    const starts = soups(workload, size).map((one) => ({ one, configuration: open(one) }));
    const kept = [];
    let seen = 0;
    const keep = (snapshot) => {
      if (++seen % KEEP === 0) kept.push(snapshot);
    };
    return measure(() => sum(starts, ({ one, configuration }) => runEngine(one, configuration, keep).count));
  },
  mutable(workload, size) {
    const starts = soups(workload, size).map((one) => new MutableSoup(one));
    return measure(() => sum(starts, (soup) => soup.run()));
  },
  naive({ make }, size) {
    if (size > NAIVE_LIMIT) return undefined;
    const one = make(size);
    const configuration = open(one);
    return measure(() => runNaive(one, configuration, NAIVE_STEPS).count);
  },
};

/** The best of several runs of each interpreter, one after the other. */
function best(workload, size) {
  const found = { engine: undefined, mutable: undefined, naive: undefined };
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    for (const [name, run] of Object.entries(MEASURED)) {
      if (name === "naive" && repeat > 0) continue;
      const result = run(workload, size);
      if (result !== undefined && !(found[name]?.nanos <= result.nanos)) found[name] = result;
    }
  }
  return found;
}

const grouped = (number) => Math.round(number).toLocaleString("en");
const ratio = (number) => number.toFixed(2);

console.log(
  `node --expose-gc bench/run.mjs · ${cpus()[0]?.model ?? "unknown processor"} · Node ${process.version}`,
);
for (const workload of WORKLOADS) {
  if (!workload.name.includes(options.only)) continue;
  console.log(`\n${workload.name}`);
  console.log(
    "        N  reductions     ns each         /s   of mutable   x cost at 100   mutable ns   naive ns".padEnd(
      80,
    ),
  );
  let first;
  for (const size of SIZES) {
    const { engine, mutable, naive } = best(workload, size);
    first ??= engine.nanos;
    console.log(
      [
        grouped(size).padStart(9),
        grouped(engine.count).padStart(11),
        grouped(engine.nanos).padStart(11),
        grouped(1e9 / engine.nanos).padStart(10),
        ratio(mutable.nanos / engine.nanos).padStart(12),
        ratio(engine.nanos / first).padStart(15),
        grouped(mutable.nanos).padStart(12),
        (naive === undefined ? "—" : grouped(naive.nanos)).padStart(10),
      ].join(" "),
    );
  }
}
