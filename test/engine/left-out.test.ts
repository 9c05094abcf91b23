/** What no commit can hold is said in the log, once, with the turn that made it (docs/workspaces.md). */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { approve, EXECUTE, git, notes, runJob, write } from "./fixture.ts";

test("a repository that an agent makes in its workspace, and a pipe in place of a file; the rest is delivered", async () => {
  const { end, entries, place, run } = await runJob(EXECUTE, {
    lead: async (turn) => {
      if (turn.turn > 1) return approve(turn);
      git(turn.workspace, "init", "--quiet", "inner");
      write(turn.workspace, "inner/file.txt", "inner\n");
      git(join(turn.workspace, "inner"), "add", "--all");
      git(join(turn.workspace, "inner"), "commit", "--quiet", "--message", "inner");
      execFileSync("rm", ["text.txt"], { cwd: turn.workspace });
      execFileSync("mkfifo", ["text.txt"], { cwd: turn.workspace });
      write(turn.workspace, "outer.txt", "outer\n");
      return "made";
    },
  });
  expect(end).toEqual({ kind: "ended", state: "DONE" });
  expect(notes(entries).filter((text) => text.includes("left out"))).toEqual([
    '"inner/" is a git repository of its own and is left out: its files are in no snapshot, merge or delivery. Remove its .git, or make it a submodule.',
    '"text.txt" cannot be read, is longer than 1 GiB, or is no file, and is left out of every commit.',
  ]);
  expect(git(place.top, "ls-tree", "--name-only", `cfa/${run.id}`).split("\n")).toContain("outer.txt");
});
