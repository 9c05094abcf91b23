/** Files that travel with messages, and the records that earlier turns left. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { storeFile } from "../../../src/runtime/workspaces/files.ts";
import type { NamedFile, Workspaces } from "../../../src/runtime/workspaces/port.ts";
import { LEAD, opened, readIn, repository, writeIn } from "./repository.ts";

let repo: ReturnType<typeof repository>;
let workspaces: Workspaces;
let lead: string;
const A = "dispatch:a";
beforeEach(async () => {
  repo = repository();
  workspaces = await opened(repo);
  await workspaces.branch(A, LEAD);
  lead = workspaces.path(LEAD);
});
afterEach(() => repo.remove());

/** The files as a call takes them: their bytes in a folder, under their hash. */
async function taken(...paths: readonly string[]): Promise<NamedFile[]> {
  const files = [];
  for (const path of paths) {
    const file = await storeFile(join(repo.dir, "taken"), lead, path);
    if (file === undefined) throw new Error(`there is no ${path}`);
    files.push(file);
  }
  return files;
}
const keep = (files: readonly NamedFile[]) => workspaces.keep(join(repo.dir, "taken"), files);

test("a file of more than 1 GiB is not handed on, and an artifact of that length stays where it is", async () => {
  for (const name of ["huge.bin", "PLAN.md"]) {
    writeIn(lead, name, "");
    truncateSync(join(lead, name), 10 * 1024 ** 3);
  }
  await expect(taken("huge.bin")).rejects.toThrow('"huge.bin" is longer than 1 GiB');
  await workspaces.branch("dispatch:b", LEAD);
  expect(readdirSync(workspaces.path("dispatch:b"))).not.toContain("PLAN.md");
  expect(statSync(join(lead, "PLAN.md")).size).toBe(10 * 1024 ** 3);
});

describe("keep and place", () => {
  test("carry bytes, path and executable bit", async () => {
    writeIn(lead, "out/a b ü.bin", Buffer.from([0, 255, 10]));
    writeIn(lead, "run.sh", "#!/bin/sh\n");
    chmodSync(join(lead, "run.sh"), 0o755);
    const files = await taken("out/a b ü.bin", "run.sh");
    await keep(files);
    expect(files.map(({ path, executable }) => ({ path, executable }))).toEqual([
      { path: "out/a b ü.bin", executable: false },
      { path: "run.sh", executable: true },
    ]);
    expect(await taken("run.sh")).toEqual([files[1]]);
    writeIn(workspaces.path(A), "run.sh", "old");
    await workspaces.place(A, files);
    await workspaces.place(A, files);
    expect(readIn(workspaces.path(A), "out/a b ü.bin")).toBe(readIn(lead, "out/a b ü.bin"));
    expect(statSync(join(workspaces.path(A), "run.sh")).mode & 0o777).toBe(0o755);
    expect(readdirSync(join(repo.dir, ".cfa/jobs/notes-0a1b2c3d/files")).toSorted()).toEqual(
      [...files.map((file) => file.sha256), "artifacts"].toSorted(),
    );
  });

  const refused: readonly (readonly [string, RegExp])[] = [
    ["link", /is a link/],
    ["linked/hostname", /leads through "linked", which is a link/],
    ["text.txt/x", /leads through "text.txt", which is no directory/],
    ["directory", /is no regular file/],
    ["pipe", /is no regular file/],
    ["../x", /no path inside the workspace/],
    ["/etc/hostname", /no path inside the workspace/],
    ["a/./b", /no path inside the workspace/],
    ["", /no path inside the workspace/],
    [".git", /belongs to git/],
    ["sub/.GIT/config", /belongs to git/],
    [".cfa/outcome.json", /belongs to cfa/],
    [".sortie/status", /belongs to the status file/],
    [".SORTIE/x", /belongs to the status file/],
  ];
  test.each(refused)("%j is not taken", async (path, sentence) => {
    symlinkSync("/etc/hostname", join(lead, "link"));
    symlinkSync("/etc", join(lead, "linked"));
    mkdirSync(join(lead, "directory"));
    execFileSync("mkfifo", [join(lead, "pipe")]);
    await expect(taken(path)).rejects.toThrow(sentence);
  });

  test("keep refuses bytes that are not those named, bytes that are not there, and paths that lead out", async () => {
    writeIn(lead, "a.txt", "a");
    const [file] = await taken("a.txt");
    if (file === undefined) throw new Error("not taken");
    await expect(keep([{ ...file, sha256: "0".repeat(64) }])).rejects.toThrow("not those that the call");
    await expect(keep([{ ...file, path: "../a.txt" }])).rejects.toThrow("no path inside the workspace");
    await expect(keep([{ ...file, path: ".sortie/status" }])).rejects.toThrow("belongs to the status file");
    writeIn(join(repo.dir, "taken"), file.sha256, "b");
    await expect(keep([file])).rejects.toThrow("not those that the call");
  });

  test("place replaces a link, and refuses to go through one or to replace a directory", async () => {
    writeIn(lead, "link", "content");
    writeIn(lead, "linked/x", "content");
    writeIn(lead, "directory", "content");
    const files = await taken("link", "linked/x", "directory");
    await keep(files);
    const [link, through, directory] = files;
    if (link === undefined || through === undefined || directory === undefined) throw new Error("not taken");
    const child = workspaces.path(A);
    writeIn(repo.dir, "outside.txt", "outside");
    symlinkSync(join(repo.dir, "outside.txt"), join(child, "link"));
    symlinkSync(repo.dir, join(child, "linked"));
    mkdirSync(join(child, "directory"));
    await workspaces.place(A, [link]);
    expect([readIn(child, "link"), readIn(repo.dir, "outside.txt")]).toEqual(["content", "outside"]);
    await expect(workspaces.place(A, [through])).rejects.toThrow("which is a link");
    await expect(workspaces.place(A, [directory])).rejects.toThrow("is a directory");
    const word = { ...link, path: ".sortie/status" };
    await expect(workspaces.place(A, [word])).rejects.toThrow("belongs to the status file");
    expect(existsSync(join(repo.dir, "x"))).toBe(false);
  });
});

describe("clear", () => {
  test("makes the directory of the outcome record, so that a plain redirection can write it", async () => {
    await workspaces.clear(LEAD);
    expect(readdirSync(join(lead, ".cfa"))).toEqual([]);
  });

  test("removes the outcome record, nothing else", async () => {
    for (const path of [".cfa/outcome.json", ".cfa/other", ".sortie/status"]) writeIn(lead, path, "x");
    await workspaces.clear(LEAD);
    await workspaces.clear(LEAD);
    expect([readdirSync(join(lead, ".cfa")), readdirSync(join(lead, ".sortie"))]).toEqual([
      ["other"],
      ["status"],
    ]);
  });

  test("follows no link", async () => {
    const outside = join(repo.dir, "outside");
    writeIn(outside, "outcome.json", "x");
    symlinkSync(outside, join(lead, ".cfa"));
    await workspaces.clear(LEAD);
    expect(readdirSync(outside)).toEqual(["outcome.json"]);
    expect(lstatSync(join(lead, ".cfa")).isDirectory()).toBe(true);
    rmSync(join(lead, ".cfa"), { recursive: true });
    writeIn(lead, ".cfa", "a file");
    await workspaces.clear(LEAD);
    expect(readIn(lead, ".cfa")).toBe("a file");
  });
});
