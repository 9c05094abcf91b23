/** Files that travel with messages, and the records that earlier turns left. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Workspaces } from "../../../src/runtime/workspaces/port.ts";
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

describe("collect and place", () => {
  test("carry bytes, path and executable bit", async () => {
    writeIn(lead, "out/a b ü.bin", Buffer.from([0, 255, 10]));
    writeIn(lead, "run.sh", "#!/bin/sh\n");
    chmodSync(join(lead, "run.sh"), 0o755);
    const files = await workspaces.collect(LEAD, ["out/a b ü.bin", "run.sh"]);
    expect(files.map(({ path, executable }) => ({ path, executable }))).toEqual([
      { path: "out/a b ü.bin", executable: false },
      { path: "run.sh", executable: true },
    ]);
    expect(await workspaces.collect(LEAD, ["run.sh"])).toEqual([files[1]]);
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
    ["missing.txt", /does not exist/],
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
  ];
  test.each(refused)("collect refuses %j", async (path, sentence) => {
    symlinkSync("/etc/hostname", join(lead, "link"));
    symlinkSync("/etc", join(lead, "linked"));
    mkdirSync(join(lead, "directory"));
    execFileSync("mkfifo", [join(lead, "pipe")]);
    await expect(workspaces.collect(LEAD, [path])).rejects.toThrow(sentence);
  });

  test("place replaces a link, and refuses to go through one or to replace a directory", async () => {
    writeIn(lead, "link", "content");
    writeIn(lead, "linked/x", "content");
    writeIn(lead, "directory", "content");
    const [link, through, directory] = await workspaces.collect(LEAD, ["link", "linked/x", "directory"]);
    if (link === undefined || through === undefined || directory === undefined)
      throw new Error("not collected");
    const child = workspaces.path(A);
    writeIn(repo.dir, "outside.txt", "outside");
    symlinkSync(join(repo.dir, "outside.txt"), join(child, "link"));
    symlinkSync(repo.dir, join(child, "linked"));
    mkdirSync(join(child, "directory"));
    await workspaces.place(A, [link]);
    expect([readIn(child, "link"), readIn(repo.dir, "outside.txt")]).toEqual(["content", "outside"]);
    await expect(workspaces.place(A, [through])).rejects.toThrow("which is a link");
    await expect(workspaces.place(A, [directory])).rejects.toThrow("is a directory");
    expect(existsSync(join(repo.dir, "x"))).toBe(false);
  });
});

describe("clear", () => {
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
    expect(existsSync(join(lead, ".cfa"))).toBe(false);
    writeIn(lead, ".cfa", "a file");
    await workspaces.clear(LEAD);
    expect(readIn(lead, ".cfa")).toBe("a file");
  });
});
