/**
 * `npm run check`: types, lint with the layer rules, format, dead code, tests, the packed tarball. Runs every step even
 * when one fails, prints the time of each step and each suite, and ends with the line `N passed, N failed`.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

const reports = mkdtempSync(join(tmpdir(), "cfa-check-"));
const failed = [];
const times = [];

function step(name, command, args) {
  const begin = performance.now();
  console.log(`\n— ${name}: ${command} ${args.join(" ")}`);
  const { status } = spawnSync("npx", ["--no-install", command, ...args], { stdio: "inherit" });
  times.push([name, performance.now() - begin]);
  if (status !== 0) failed.push(name);
  return status === 0;
}

function tests(name, args) {
  const file = join(reports, `${name}.json`);
  step(name, "vitest", ["run", ...args, "--reporter=dot", "--reporter=json", `--outputFile.json=${file}`]);
  return JSON.parse(readFileSync(file, "utf8"));
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
