/**
 * `npm run check`: types, lint with the layer rules, format, dead code, a short simulation, tests, the packed tarball. Runs every step even
 * when one fails, prints the time of each step and each suite, and ends with the line `N passed, N failed`.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

const reports = mkdtempSync(join(tmpdir(), "cfa-check-"));
const failed = [];
const SIMULATOR = "build/simulation/sim/main.js";
const SIMULATED_RUNS = "200";
const times = [];

const step = (name, command, args) => run(name, "npx", ["--no-install", command, ...args]);

function run(name, command, args) {
  const begin = performance.now();
  console.log(`\n— ${name}: ${command} ${args.join(" ")}`);
  const { status } = spawnSync(command, args, { stdio: "inherit" });
  times.push([name, performance.now() - begin]);
  if (status !== 0) failed.push(name);
  return status === 0;
}

function tests(name, args) {
  const file = join(reports, `${name}.json`);
  step(name, "vitest", ["run", ...args, "--reporter=dot", "--reporter=json", `--outputFile.json=${file}`]);
  return JSON.parse(readFileSync(file, "utf8"));
}

/** The seed of the simulation, so that every commit is tried with other runs; outside a repository it is 1. */
function newestCommit() {
  const { status, stdout } = spawnSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : "1";
}

function printSuites(report) {
  const suites = new Map();
  for (const { name, startTime, endTime } of report.testResults) {
    const [, suite = "."] = relative(process.cwd(), name).split("/");
    suites.set(suite, (suites.get(suite) ?? 0) + (endTime - startTime));
  }
  for (const [suite, millis] of [...suites].sort((a, b) => b[1] - a[1])) {
    console.log(`  ${suite.padEnd(14)} ${(millis / 1000).toFixed(1).padStart(7)} s`);
  }
}

step("build", "tsc", ["-p", "tsconfig.build.json"]);
step("types", "tsc", ["--noEmit"]);
step("lint", "oxlint", ["--type-aware", "--deny-warnings"]);
step("format", "prettier", ["--check", "--log-level", "warn", "."]);
step("dead code", "knip", []);
step("simulator", "tsc", ["-p", "sim/tsconfig.json"]);
run("simulation", "node", [SIMULATOR, "--seed", newestCommit(), "--runs", SIMULATED_RUNS]);
const results = [tests("tests", []), tests("package", ["--config", "test/package/vitest.config.ts"])];

console.log("\nTime of each suite (sum of its files):");
for (const report of results) printSuites(report);
console.log("Time of each step:");
for (const [name, millis] of times)
  console.log(`  ${name.padEnd(14)} ${(millis / 1000).toFixed(1).padStart(7)} s`);
if (failed.length > 0) console.log(`Failed: ${failed.join(", ")}`);
const sum = (key) => results.reduce((total, report) => total + report[key], 0);
console.log(`${sum("numPassedTests")} passed, ${sum("numFailedTests")} failed`);
rmSync(reports, { recursive: true });
process.exitCode = failed.length > 0 ? 1 : 0;
