/**
 * Plants faults in the table `complete`, one at a time, and sees whether the tests notice: for each rule each guard dropped,
 * each product dropped, and what it closes. Names the survivors; exit code 1 when fewer than 95 % are caught.
 *
 * Run: node scripts/plant-faults.mjs [rule…]
 *
 * F1. A fault is caught when an assertion of a test of behaviour fails, or when the table is refused as it is built. One by
 *     which tests only crash or never end is not: nothing has said what is wrong. These are named apart, as survivors.
 * F2. Tests that compare the table with its document, word by word, or look at its text would notice everything and are
 *     left out.
 * F3. Random tests run with a fixed seed, and a stage that runs another number of tests than without a fault is no verdict.
 * F4. Works on a copy; the tree stays as it is.
 */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const REQUIRED = 0.95;
const SEED = 1;
/** From quick to slow; the next is only asked when no assertion of those before it failed. */
const STAGES = [
  [
    "test/rules/rules.test.ts",
    "test/rules/fire.test.ts",
    "test/rules/round.test.ts",
    "test/rules/moves.test.ts",
  ],
  ["test/rules/explore/agreement.test.ts", "-t", "full walk"],
  ["test/laws", "--bail=1"],
];
/** Tests that take longer than this never end. */
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
     const fault = JSON.parse(process.env["CFA_FAULT"] ?? "{}");
     const faulty = ${faulty.toString()};
     export const COMPLETE = WHOLE.map((one) => (one.id === fault.rule ? faulty(one, fault) : one));\n`,
  );
  writeFileSync(
    join(tree, "seed.ts"),
    `import fc from "fast-check";\nfc.configureGlobal({ seed: ${SEED} });\n`,
  );
  writeFileSync(
    join(tree, "vitest.config.ts"),
    `export default { test: {
       include: ["test/**/*.test.ts"], setupFiles: ["seed.ts"], testTimeout: ${PATIENCE_MS},
     } };\n`,
  );
}

/** A rule with a fault. */
function faulty(whole, { change, drop }) {
  const { [drop]: _dropped, ...rest } = whole;
  return { ...rest, ...change };
}

/** The sound table and its compiler. */
async function compiled() {
  const out = join(tree, "dist");
  spawnSync("npx", ["--no-install", "tsc", "-p", "tsconfig.build.json", "--outDir", out], {
    stdio: "inherit",
  });
  const load = (file) => import(pathToFileURL(join(out, file)).href);
  return { ...(await load("rules/complete.js")), ...(await load("rules/table.js")) };
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

/** Runs one stage under a fault (none: the sound table). What vitest reports, undefined where it was killed, and whether all passed. */
function run(stage, fault) {
  const report = join(tree, `${Math.random().toString(36).slice(2)}.json`);
  const vitest = join(tree, "node_modules/vitest/vitest.mjs");
  const words = [vitest, "run", ...stage, "--reporter=json", `--outputFile=${report}`];
  const env = { ...process.env, ...(fault === undefined ? {} : { CFA_FAULT: JSON.stringify(fault) }) };
  const options = { cwd: tree, env, stdio: "ignore", detached: true };
  const child = spawn(process.execPath, words, options);
  // Its workers, too: they outlive vitest, and one that never ends would take the time of those after it.
  const timer = setTimeout(() => process.kill(-child.pid, "SIGKILL"), PATIENCE_MS);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      const told = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : undefined;
      resolve({ told: signal === null ? told : undefined, passed: code === 0, killed: signal !== null });
    });
  });
}

/** What a stage says of a fault: `assertion`, `crash`, `hang` with its reason; undefined when all of its tests pass. */
function verdictOf({ told, passed, killed }, wholeTests) {
  if (killed) return { kind: "hang", why: "the tests do not end" };
  if (told === undefined) return { kind: "crash", why: "the tests leave no report" };
  if (passed && told.numPassedTests === wholeTests) return undefined;
  const results = told.testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = results.filter(({ status }) => status === "failed");
  const reasons = ({ failureMessages }) => failureMessages.join("\n");
  const asserted = failed.find((one) => reasons(one).includes("AssertionError"));
  if (asserted !== undefined) return { kind: "assertion", why: asserted.fullName };
  const [first] = failed;
  if (first !== undefined && reasons(first).includes("timed out in")) {
    return { kind: "hang", why: first.fullName };
  }
  const line =
    first === undefined ? (told.testResults.find(({ message }) => message)?.message ?? "") : reasons(first);
  return { kind: "crash", why: `${first?.fullName ?? "a test file"}: ${line.split("\n")[0]}` };
}

/** What becomes of a fault: the first assertion that fails, or else the first crash or hang. */
async function judge(fault, { COMPLETE, compileTable }, wholeTests) {
  try {
    compileTable(
      "custom",
      COMPLETE.map((one) => (one.id === fault.rule ? faulty(one, fault) : one)),
    );
  } catch (error) {
    if (error.name !== "InvariantViolation") throw error;
    return { kind: "refused", why: error.message.replace("bug in cfa: ", "") };
  }
  let first;
  for (const [at, stage] of STAGES.entries()) {
    const verdict = verdictOf(await run(stage, fault), wholeTests[at]);
    if (verdict?.kind === "assertion") return verdict;
    first ??= verdict;
  }
  return first ?? { kind: "nothing", why: "all tests pass" };
}

const SAID = {
  assertion: "caught by an assertion",
  refused: "refused when the table is built",
  hang: "NOT CAUGHT, the tests hang",
  crash: "NOT CAUGHT, the tests crash",
  nothing: "SURVIVES",
};

/** How many tests each stage has without a fault; all pass, and none is empty. */
async function soundRun() {
  const counts = [];
  for (const stage of STAGES) {
    const { told, passed } = await run(stage, undefined);
    const count = told?.numPassedTests ?? 0;
    if (!passed || count === 0) throw new Error(`without a fault, ${count} tests of ${stage.join(" ")} pass`);
    counts.push(count);
  }
  return counts;
}

copyTree();
const modules = await compiled();
const only = process.argv.slice(2);
const queue = modules.COMPLETE.filter(({ id }) => only.length === 0 || only.includes(id)).flatMap(faultsOf);
const wholeTests = await soundRun();
console.log(`${queue.length} faults; ${wholeTests.join(" + ")} tests, random ones with seed ${SEED}`);

const judged = [];
async function work() {
  for (let fault = queue.shift(); fault !== undefined; fault = queue.shift()) {
    const verdict = await judge(fault, modules, wholeTests);
    judged.push({ fault, verdict });
    console.log(`${fault.rule}: ${fault.name}: ${SAID[verdict.kind]} (${verdict.why})`);
  }
}
await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, work));

console.log("");
for (const [kind, said] of Object.entries(SAID)) {
  console.log(`${judged.filter(({ verdict }) => verdict.kind === kind).length} ${said}`);
}
const survivors = judged.filter(({ verdict }) => !["assertion", "refused"].includes(verdict.kind));
const caught = judged.length - survivors.length;
console.log(`${caught} of ${judged.length} faults caught (${((100 * caught) / judged.length).toFixed(1)} %)`);
for (const { fault, verdict } of survivors) {
  console.log(`survivor: ${fault.rule}: ${fault.name}: ${SAID[verdict.kind]} (${verdict.why})`);
}
process.exitCode = caught >= REQUIRED * judged.length ? 0 : 1;
