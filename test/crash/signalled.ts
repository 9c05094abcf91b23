/**
 * A repository and a folder for the files of a job whose agent says through a pipe when it has come to a place, so that the engine can be
 * killed just then.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterEach, beforeEach } from "vitest";
import {
  history,
  makeRepository,
  removeRepositories,
  type Repository,
} from "../examples/release-notes/repository.ts";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

let repository: Repository;
let files: string;
beforeEach(async () => {
  repository = await makeRepository(history(1));
  files = realpathSync(mkdtempSync(join(tmpdir(), "cfa-signalled-")));
  execFileSync("mkfifo", [signal()]);
});
afterEach(async () => {
  rmSync(files, { recursive: true, force: true });
  await removeRepositories();
});

/** Top of the repository of the present test. */
export const top = (): string => repository.dir;

/** A file of the job of the present test. */
export const file = (name: string): string => join(files, name);

/** The pipe into which an agent writes when it has come to the place. */
export const signal = (): string => file("signal");

/** Runs `cfa` in the repository of the present test. */
export const cfa = (...words: readonly string[]) =>
  execa(process.execPath, [MAIN, ...words], { cwd: repository.dir, reject: false, stdin: "ignore" });

/** Runs the job of `job.yaml` and kills the engine when the signal has come and `then` has settled. */
export async function killAtSignal(then: () => Promise<void> = async () => {}): Promise<void> {
  const running = cfa("run", file("job.yaml"), "--repo", repository.dir);
  // Opening a pipe for reading waits for whoever writes to it.
  await readFile(signal());
  await then();
  running.kill("SIGKILL");
  await running;
}
