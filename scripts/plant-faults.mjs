/**
 * Plants faults in the table `complete`, one at a time, and sees whether the tests notice: for each rule each guard dropped,
 * each product dropped, and what it closes. Names the survivors; exit code 1 when fewer than 95 % are caught.
 *
 * Run: node scripts/plant-faults.mjs [rule…]
 *
 * A fault counts as caught when a test of behaviour fails, or when the table is refused as it is built. Tests that
 * compare the table with its document, word by word, or look at its text would notice everything and are left out. Works
 * on a copy; the tree stays as it is.
 */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const REQUIRED = 0.95;
/** From quick to slow; the next is only asked when those before it noticed nothing. */
const STAGES = [
  [
    "test/rules/rules.test.ts",
    "test/rules/fire.test.ts",
    "test/rules/round.test.ts",
    "test/rules/moves.test.ts",
  ],
  ["test/rules/explore/agreement.test.ts", "-t", "full walk"],
  ["test/laws"],
];
/** A fault by which tests never end counts as caught. */
const PATIENCE_MS = 300_000;

const tree = mkdtempSync(join(tmpdir(), "cfa-faults-"));
process.on("exit", () => rmSync(tree, { recursive: true, force: true }));

/** The copy, in which the table reads its fault from the environment. */
function copyTree() {
  for (const name of ["src", "test", "docs", "package.json", "tsconfig.json", "tsconfig.build.json"]) {
    cpSync(name, join(tree, name), { recursive: true });
  }
  symlinkSync(join(process.cwd(), "node_modules"), join(tree, "node_modules"));
  const rules = join(tree, "src/rules");
  renameSync(join(rules, "complete.ts"), join(rules, "complete-whole.ts"));
  writeFileSync(
    join(rules, "complete.ts"),
    `import { COMPLETE as WHOLE } from "./complete-whole.ts";
     const { rule, change, drop } = JSON.parse(process.env["CFA_FAULT"] ?? "{}");
     const faulty = (whole) => {
       const { [drop]: _dropped, ...rest } = whole;
       return { ...rest, ...change };
     };
     export const COMPLETE = WHOLE.map((one) => (one.id === rule ? faulty(one) : one));\n`,
  );
  writeFileSync(
    join(tree, "vitest.config.ts"),
    `export default { test: { include: ["test/**/*.test.ts"], testTimeout: ${PATIENCE_MS} } };\n`,
  );
}

async function table() {
  const out = join(tree, "dist");
  spawnSync("npx", ["--no-install", "tsc", "-p", "tsconfig.build.json", "--outDir", out], {
    stdio: "inherit",
  });
  const { COMPLETE } = await import(pathToFileURL(join(out, "rules/complete.js")).href);
  return COMPLETE;
}

/** The faults of one rule. */
function faultsOf({ id, right, when = [], closes }) {
  const without = (all, at) => all.filter((_, index) => index !== at);
  const products = right === "ε" ? [] : right.split(" ‖ ");
  return [
    ...when.map((guard, at) => ({ name: `guard ${guard}`, rule: id, change: { when: without(when, at) } })),
    ...products.map((product, at) => ({
      name: `product ${product}`,
      rule: id,
      change: { right: without(products, at).join(" ‖ ") || "ε" },
    })),
    ...(closes === undefined ? [] : [{ name: `closing ${closes}`, rule: id, change: {}, drop: "closes" }]),
  ];
}

/** Runs one stage under a fault (none: the sound table). Returns what noticed it, or undefined. */
function run(stage, fault) {
  const report = join(tree, `${Math.random().toString(36).slice(2)}.json`);
  const vitest = join(tree, "node_modules/vitest/vitest.mjs");
  const words = [vitest, "run", ...stage, "--bail=1", "--reporter=json", `--outputFile=${report}`];
  const env = { ...process.env, ...(fault === undefined ? {} : { CFA_FAULT: JSON.stringify(fault) }) };
  const child = spawn(process.execPath, words, {
    cwd: tree,
    env,
    stdio: "ignore",
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (signal !== null) resolve("the tests do not end");
      else if (code === 0) resolve(undefined);
      else resolve(firstFailure(report));
    });
  });
}

function firstFailure(report) {
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  for (const { assertionResults, message } of testResults) {
    const failed = assertionResults.find(({ status }) => status === "failed");
    if (failed !== undefined) return failed.fullName;
    if (message) return message.split("\n")[0];
  }
  return "the tests fail";
}

async function judge(fault) {
  for (const stage of STAGES) {
    const noticed = await run(stage, fault);
    if (noticed !== undefined) return noticed;
  }
  return undefined;
}

copyTree();
const only = process.argv.slice(2);
const faults = (await table()).filter(({ id }) => only.length === 0 || only.includes(id)).flatMap(faultsOf);
for (const stage of STAGES) {
  const failure = await run(stage, undefined);
  if (failure !== undefined) throw new Error(`the tests fail without a fault: ${failure}`);
}
const survivors = [];
const queue = [...faults];
async function work() {
  for (let fault = queue.shift(); fault !== undefined; fault = queue.shift()) {
    const noticed = await judge(fault);
    console.log(
      `${fault.rule}: ${fault.name}: ${noticed === undefined ? "SURVIVES" : `caught (${noticed})`}`,
    );
    if (noticed === undefined) survivors.push(`${fault.rule}: ${fault.name}`);
  }
}
await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, work));

const caught = faults.length - survivors.length;
console.log(
  `\n${caught} of ${faults.length} faults caught (${((100 * caught) / faults.length).toFixed(1)} %)`,
);
for (const one of survivors) console.log(`survivor: ${one}`);
process.exitCode = caught >= REQUIRED * faults.length ? 0 : 1;
