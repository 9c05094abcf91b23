/** The example, forked at ten entries: every fork ends with the same notes and runs only what had not been done. */
import { cp, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { execa } from "execa";
import { afterAll, expect, test } from "vitest";
import { openSqliteBus } from "../../../src/persistence/sqlite/bus.ts";
import { jobFile, listJobs } from "../../../src/persistence/jobs.ts";
import { git, history, makeRepository, removeRepositories } from "./repository.ts";

const EXAMPLE = resolve(import.meta.dirname, "../../../examples/release-notes");
const MAIN = resolve(import.meta.dirname, "../../../dist/cli/main.js");
afterAll(removeRepositories);

/** The example with agents that leave a line in `ran` for each turn that they begin. */
async function countedExample(
  root: string,
): Promise<{ readonly file: string; readonly ran: () => Promise<number> }> {
  const folder = join(root, "example");
  const ran = join(root, "ran");
  await cp(EXAMPLE, folder, { recursive: true });
  await writeFile(ran, "");
  await writeFile(join(folder, "counted.sh"), `echo "$CFA_THREAD $CFA_TURN" >>'${ran}'\nexec node "$1"\n`);
  const job = await readFile(join(folder, "job.yaml"), "utf8");
  const counted = job
    .replaceAll("run: [node,", "run: [sh, counted.sh,")
    .replace(
      "exempt: [",
      `exempt: [{ tool: sh, path: ${ran}, reason: the test counts turns, write: true }, `,
    );
  await writeFile(join(folder, "job.yaml"), counted);
  const lines = async () => (await readFile(ran, "utf8")).split("\n").length - 1;
  return { file: join(folder, "job.yaml"), ran: lines };
}

/** How many turns end among the entries of a job that come before the first of `kind`; all without one. */
async function turnsBefore(dir: string, id: string, kind?: string): Promise<number> {
  const bus = openSqliteBus(jobFile(dir, id), { mode: "readonly" });
  let turns = 0;
  for await (const entry of bus.log.read()) {
    if (entry.kind === kind) break;
    if (entry.kind === "turn") turns += 1;
  }
  await bus.close();
  return turns;
}

test("ten forks, spread over the log, end DONE with the same notes and run no turn again", async () => {
  const { root, dir } = await makeRepository(history(4));
  const example = await countedExample(root);
  const cfa = (...words: readonly string[]) =>
    execa(process.execPath, [MAIN, ...words], { cwd: dir, reject: false });
  expect(await cfa("run", example.file, "--repo", dir, "-q")).toMatchObject({ exitCode: 0 });
  const [job = ""] = await listJobs(dir);
  const notes = await git(dir, ["show", `cfa/${job}:RELEASE_NOTES.md`]);
  const all = await turnsBefore(dir, job);
  expect(await example.ran()).toBe(all);
  const bus = openSqliteBus(jobFile(dir, job), { mode: "readonly" });
  const { seq } = await bus.log.head();
  await bus.close();
  for (let at = 1; at <= seq; at += Math.ceil(seq / 10)) {
    const before = await example.ran();
    const { exitCode, stdout, stderr } = await cfa("fork", job, "--at", String(at), "-q");
    expect({ at, exitCode, stdout, stderr }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(" is DONE: "),
    });
    const [fork = ""] = /^\S+/.exec(stderr) ?? [];
    expect(await git(dir, ["show", `cfa/${fork}:RELEASE_NOTES.md`]), fork).toBe(notes);
    expect((await example.ran()) - before, fork).toBe(all - (await turnsBefore(dir, fork, "fork")));
    expect(await cfa("verify", fork), fork).toMatchObject({ exitCode: 0 });
  }
  expect(await listJobs(dir)).toHaveLength(11);
  expect(await cfa("verify", job)).toMatchObject({ exitCode: 0 });
}, 900_000);
