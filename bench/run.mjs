/**
 * `npm run bench`: what a reduction costs, beside a mutable interpreter and a naive scan in the same run.
 *
 * B8. Time is the processor time of the process (user and system), so that a busy machine disturbs less; the best of
 *     several interleaved runs counts. Garbage is collected on the same core, and that is part of the cost.
 * B9. For every N about the same number of threads, reductions and kept snapshots: many small soups, or one large one.
 * B10. Figures to compare are ratios within one run; absolute ones hold for the machine that is printed.
 */
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { open, runEngine } from "./engine.mjs";
import { MutableSoup } from "./mutable.mjs";
import { runNaive } from "./naive.mjs";
import { printFoot, printHead, printRow } from "./report.mjs";
import { WORKLOADS } from "./workloads.mjs";

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    sizes: { type: "string", default: "100,1000,10000,100000" },
    repeats: { type: "string", default: "3" },
  },
});

/** Threads or messages that the soups of one measurement hold together. */
const TOTAL = 100_000;
/** Largest soup in which the naive scan is bearable, and how many steps of it are timed. */
const NAIVE = { size: 1_000, steps: 50 };

/** Nanoseconds a reduction of `work`, which returns how many it made. */
function measure(work) {
  globalThis.gc?.();
  const before = process.cpuUsage();
  const reductions = work();
  const { user, system } = process.cpuUsage(before);
  return { reductions, nanos: ((user + system) * 1_000) / reductions };
}

const sum = (starts, run) => starts.reduce((total, start) => total + run(start), 0);

function soups({ make, fixed }, size) {
  const count = fixed === true ? 1 : Math.max(1, Math.round(TOTAL / size));
  return Array.from({ length: count }, () => make(size));
}

function engine(workload, size, keep) {
  const starts = soups(workload, size).map((one) => ({ one, configuration: open(one) }));
  return measure(() => sum(starts, ({ one, configuration }) => runEngine(one, configuration, keep).count));
}

const MEASURED = {
  /** The engine, every snapshot kept until the end of the measurement. */
  kept(workload, size) {
    const snapshots = [];
    return engine(workload, size, (snapshot) => snapshots.push(snapshot));
  },
  /** The engine, every tenth snapshot kept. */
  tenth(workload, size) {
    const snapshots = [];
    let count = 0;
    return engine(workload, size, (snapshot) => ++count % 10 === 0 && snapshots.push(snapshot));
  },
  mutable(workload, size) {
    const starts = soups(workload, size).map((one) => new MutableSoup(one));
    return measure(() => sum(starts, (soup) => soup.run()));
  },
  naive({ make }, size, repeat) {
    if (size > NAIVE.size || repeat > 0) return undefined;
    const workload = make(size);
    const configuration = open(workload);
    return measure(() => runNaive(workload, configuration, NAIVE.steps).count);
  },
};

/** The best of several runs of each, one after the other. */
function best(workload, size) {
  const found = {};
  for (let repeat = 0; repeat < Number(options.repeats); repeat++) {
    for (const [name, run] of Object.entries(MEASURED)) {
      const result = run(workload, size, repeat);
      if (result !== undefined && !(found[name]?.nanos <= result.nanos)) found[name] = result;
    }
  }
  return found;
}

console.log(`npm run bench · ${cpus()[0]?.model ?? "unknown processor"} · Node ${process.version}`);
const rows = [];
for (const workload of WORKLOADS.filter(({ name }) => name.includes(options.only))) {
  printHead(workload.name);
  let first;
  for (const size of options.sizes.split(",").map(Number)) {
    const found = best(workload, size);
    first ??= found;
    const growth = found.kept.nanos / first.kept.nanos;
    rows.push(printRow({ workload: workload.name, size, growth, ...found }));
  }
}
printFoot(rows);
