/**
 * `npm run bench`: what a reduction costs, beside a mutable interpreter and a naive scan in the same run.
 *
 * B8. Time is the processor time of the process (user and system), so that a busy machine disturbs less; the best of
 *     several interleaved runs counts. Garbage collection is in it, on whatever thread it runs.
 * B9. For every N about the same number of threads, reductions and kept snapshots: many small soups, or one large one.
 * B10. Figures to compare are ratios within one run; absolute ones hold for the machine that is printed.
 */
import { cpus } from "node:os";
import { open, runEngine } from "./engine.mjs";
import { MutableSoup } from "./mutable.mjs";
import { runNaive } from "./naive.mjs";
import { WORKLOADS } from "./workloads.mjs";

const SIZES = [100, 1_000, 10_000, 100_000];
const NAIVE_LIMIT = 1_000;
const REPEATS = Number(process.env.REPEATS ?? 3);
const TOTAL = 100_000;
const KEEP = Number(process.env.KEEP ?? 1);

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
  fixed === true ? [make(size)] : Array.from({ length: TOTAL / size }, () => make(size));

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
  naive({ make, fixed }, size) {
    if (size > NAIVE_LIMIT) return undefined;
    const one = fixed === true ? make(size, 10) : make(size);
    const configuration = open(one);
    return measure(() => runNaive(one, configuration).count);
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

console.log(`node --expose-gc bench/run.mjs · ${cpus()[0]?.model ?? "unknown processor"} · Node ${process.version}`);
const only = process.argv[2];
for (const workload of WORKLOADS) {
  if (only !== undefined && !workload.name.includes(only)) continue;
  console.log(`\n${workload.name}`);
  console.log(
    "        N  reductions     ns each         /s   of mutable   x cost at 100   mutable ns   naive ns".padEnd(80),
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
