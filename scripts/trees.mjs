/**
 * `npm run trees -- --runs 500 --seed 1`: the property of test/trees on so many random dispatch trees. `--shrink` looks for a
 * smaller counterexample.
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
    shrink: { type: "boolean", default: false },
  },
});
const env = {
  ...process.env,
  CFA_TREES_RUNS: values.runs,
  CFA_TREES_SEED: values.seed,
  ...(values.shrink ? { CFA_TREES_SHRINK: "1" } : {}),
};
const { status } = spawnSync("npx", ["--no-install", "vitest", "run", "test/trees"], {
  stdio: "inherit",
  env,
});
process.exitCode = status ?? 1;
