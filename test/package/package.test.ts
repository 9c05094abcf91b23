/** The packed tarball in an empty project: it installs, type-checks under `strict`, and runs a job there. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const project = mkdtempSync(join(tmpdir(), "cfa-package-"));
const repository = join(project, "repository");

function run(command: string, args: readonly string[], cwd = project): string {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

beforeAll(() => {
  const [packed] = JSON.parse(
    run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", project], root),
  );
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "empty", version: "1.0.0", type: "module" }),
  );
  // The addon is not compiled again: the one that this checkout has built is put in its place.
  run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", join(project, packed.filename)]);
  const addon = join("node_modules", "better-sqlite3", "build");
  cpSync(join(root, addon), join(project, addon), { recursive: true });
  mkdirSync(repository);
  run("git", ["init", "-q"], repository);
  run(
    "git",
    ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "one"],
    repository,
  );
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

test("the tarball holds the code, the documents and the schema, and no tests", () => {
  const list = readFileSync(join(project, "node_modules", "cfa", "package.json"), "utf8");
  expect(JSON.parse(list).name).toBe("cfa");
  const files = run("ls", ["-A", join(project, "node_modules", "cfa")])
    .trim()
    .split("\n")
    .sort();
  expect(files).toEqual([
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "dist",
    "docs",
    "examples",
    "job.schema.json",
    "package.json",
    "skills",
  ]);
});

test("embedding and testing APIs type-check under strict in an empty project", () => {
  writeFileSync(
    join(project, "use.ts"),
    `import { type Entry, defineAgent, openEngine, parseJob } from "cfa";
import { complete, Configuration, configurationOf, parseSoup, redexes } from "cfa/testing";
import { cfaMatchers, deliver, fire, manualClock, type Play, type Played, run, type ScriptedAgent, soup as parsed, step, trace } from "cfa/testing";
const { definition } = parseJob("request: x", { file: "job.yaml", directory: "." });
const engine = openEngine({ bus: "memory" });
const job = await engine.start(definition, { agents: { lead: defineAgent((turn) => turn.outcome("APPROVED_INTENT", "ok")) } });
for await (const entry of job) { const one: Entry = entry; console.log(one.seq); }
const soup: Configuration = configurationOf(Configuration.empty(), parseSoup("Idle(A,t)"));
console.log(redexes(complete, soup).length satisfies number);
const lead: ScriptedAgent = ({ body }, { children }) => (body === "go" ? [deliver("writer", "t1", "write")] : children.map((child) => "terminate(" + child + ")"));
const play: Play = { agents: { lead, writer: () => [] }, seed: 1, human: ({ text }) => text.body };
const played: Played = run(parsed("Idle(lead,t0) ‖ Mailbox(lead,t0,[go])", { roster: { lead: ["writer"] } }), play);
console.log(played.end, trace([...played.events, ...step(fire(parsed\`Run(A,t,\${"any text"})\`, "send-step", { t: "t" }, "ps = []")).events]));
console.log(cfaMatchers.toBeInert(played).message(), openEngine({ bus: "memory", clock: manualClock() }));
`,
  );
  const tsc = join(root, "node_modules", ".bin", "tsc");
  const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2023", "--types", "node"];
  const typeRoots = ["--typeRoots", join(root, "node_modules", "@types")];
  const { stdout } = spawnSync(tsc, [...options, ...typeRoots, "use.ts"], { cwd: project, encoding: "utf8" });
  expect(stdout).toBe("");
});

test("a job runs in the empty project", () => {
  const example = join(project, "node_modules", "cfa", "examples", "embed", "embed.mjs");
  const out = run("node", [example, repository]);
  expect(out).toContain("EXECUTE -> DONE");
  expect(out).toMatch(/delivered on cfa\/greetings-[0-9a-f]{8}/u);
});

test("the command line is installed", () => {
  expect(run(join(project, "node_modules", ".bin", "cfa"), ["--version"]).trim()).toMatch(/^\d+\.\d+\.\d+$/u);
});
