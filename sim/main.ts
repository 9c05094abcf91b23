import { readLog } from "./evidence.ts";
import { replayLine } from "../src/cli/view/replay-line.ts";
import { seedOfRun } from "./choice.ts";
import { judge } from "./judge.ts";
import { simulate } from "./run.ts";
const n = Number(process.argv[3] ?? 10);
let steps = 0, rows = 0; const t0 = performance.now();
for (let i = 1; i <= n; i++) {
  const seed = n === 1 ? Number(process.argv[2]) : seedOfRun(Number(process.argv[2]), i);
  const s = await simulate(seed);
  steps += s.steps; rows += s.rows.length;
  const f = judge(s);
  if (f) console.log(i, seed, s.steps, s.rows.length, f.checker, f.sentence.slice(0, 400));
}
if (n === 1) { const s = await simulate(Number(process.argv[2])); for (const step of readLog(s.rows).steps) console.log(replayLine(step)); console.log(s.world.witness.sights.filter(x=>!/touched|commit|called/.test(x.event.kind)).map(x => x.head+" "+JSON.stringify(x.event)).join("\n")); }
console.log({ steps, rows, s: (performance.now() - t0) / 1000 });
