/**
 * The three interpreters on every workload at one size: their final soups and reductions, one JSON line a workload.
 * Run: node bench/check.mjs [N]
 */
import { finalOf, open, runEngine } from "./engine.mjs";
import { MutableSoup } from "./mutable.mjs";
import { runNaive } from "./naive.mjs";
import { WORKLOADS } from "./workloads.mjs";

const size = Number(process.argv[2] ?? 100);
for (const { name, make } of WORKLOADS) {
  const workload = make(size, size);
  const engine = runEngine(workload, open(workload));
  const soup = new MutableSoup(workload);
  const mutable = { reductions: soup.run(), final: soup.final() };
  const naive = runNaive(workload, open(workload));
  const result = ({ configuration, count }) => ({ reductions: count, final: finalOf(configuration) });
  console.log(JSON.stringify({ workload: name, engine: result(engine), mutable, naive: result(naive) }));
}
