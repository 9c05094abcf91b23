/**
 * `npm run sim`: simulates runs from a seed. Exit code 0 without a finding, 1 with one, 2 for a call that cannot be meant.
 *
 * M1. What goes to standard output depends on the options alone; times go to standard error.
 */
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { seedOfRun } from "./choice.ts";
import { countFault } from "./faults.ts";
import type { Finding } from "./finding.ts";
import { judge } from "./judge.ts";
import { type Options, optionsOf, USAGE } from "./options.ts";
import { plant } from "./plant.ts";
import { PLANTED_BUGS } from "./planted-bugs.ts";
import { findingLine, findingLines, type Sums, sumLines } from "./report.ts";
import { type Simulated, simulate } from "./run.ts";

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function runOne(options: Options, run: number): Promise<{ simulated: Simulated; kind: string }> {
  const { seed, sqliteEvery } = options;
  const kind = sqliteEvery > 0 && run % sqliteEvery === 0 ? "sqlite" : "memory";
  return { simulated: await simulate(seedOfRun(seed, run), kind), kind };
}

function add(sums: Sums, { rows, steps, faults }: Simulated, kind: string): void {
  sums.runs += 1;
  sums.onSqlite += kind === "sqlite" ? 1 : 0;
  sums.entries += rows.length;
  sums.steps += steps;
  for (const [fault, times] of faults) countFault(sums.faults, fault, times);
  const last = rows.findLast((row) => row.kind === "transition");
  const state = /"to":"(\w+)"/u.exec(last?.body ?? "")?.[1] ?? "none";
  sums.ends.set(state, (sums.ends.get(state) ?? 0) + 1);
  sums.digest = createHash("sha256")
    .update(`${sums.digest}${rows.at(-1)?.hash ?? ""}`)
    .digest("hex");
}

async function simulateAll(options: Options): Promise<number> {
  const { word, runs, only, brief } = options;
  const sums: Sums = {
    seed: word,
    runs: 0,
    onSqlite: 0,
    entries: 0,
    steps: 0,
    digest: "",
    faults: new Map(),
    ends: new Map(),
  };
  const begin = performance.now();
  for (let run = only ?? 1; run <= (only ?? runs); run++) {
    const { simulated, kind } = await runOne(options, run);
    const finding: Finding | undefined = judge(simulated);
    add(sums, simulated, kind);
    if (finding === undefined) continue;
    const lines = brief ? [findingLine(run, finding)] : findingLines(word, run, finding, simulated);
    for (const line of lines) say(line);
    return 1;
  }
  if (brief) return 0;
  for (const line of sumLines(sums)) say(line);
  say("no finding");
  process.stderr.write(`${((performance.now() - begin) / 1000).toFixed(1)} s\n`);
  return 0;
}

function plantAll({ seed, runs }: Options): number {
  const directory = dirname(dirname(fileURLToPath(import.meta.url)));
  let survivors = 0;
  for (const bug of PLANTED_BUGS) {
    const { found, says } = plant(directory, bug, seed, runs);
    survivors += found ? 0 : 1;
    say(`${bug.name}: ${found ? `found in ${says}` : `NOT FOUND in ${runs} runs`}`);
  }
  say(`${PLANTED_BUGS.length - survivors} of ${PLANTED_BUGS.length} planted bugs found`);
  return survivors === 0 ? 0 : 1;
}

const options = optionsOf(process.argv.slice(2));
if ("misuse" in options) {
  process.stderr.write(`${options.misuse}\n\n${USAGE}\n`);
  process.exitCode = 2;
} else {
  process.exitCode = options.planted ? plantAll(options) : await simulateAll(options);
}
