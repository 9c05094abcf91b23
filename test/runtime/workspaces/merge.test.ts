/** Merging children into their parent, conflicts and their completion. */
import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Merged, Workspaces } from "../../../src/runtime/workspaces/port.ts";
import {
  gitIn,
  JOB,
  LEAD,
  opened,
  paths,
  readIn,
  repository,
  subjects,
  workspacesOf,
  writeIn,
} from "./repository.ts";

let repo: ReturnType<typeof repository>;
let workspaces: Workspaces;
let lead: string;
beforeEach(async () => {
  repo = repository();
  workspaces = await opened(repo);
  lead = workspaces.path(LEAD);
});
afterEach(() => repo.remove());

const A = "dispatch:a";
const B = "dispatch:b";

/** What to write by path; null deletes. */
type Edits = Readonly<Record<string, string | Buffer | null>>;

function edit(dir: string, files: Edits): void {
  for (const [path, content] of Object.entries(files))
    if (content === null) rmSync(join(dir, path));
    else writeIn(dir, path, content);
}

/** A child that has made these edits. */
async function child(thread: string, files: Edits): Promise<void> {
  expect(await workspaces.branch(thread, LEAD)).toHaveProperty("commit");
  edit(workspaces.path(thread), files);
}

/** A merge that has ended in a conflict. */
function conflicting(merged: Merged): Extract<Merged, { result: "conflict" }> {
  if (merged.result !== "conflict") throw new Error(`it is ${merged.result}`);
  return merged;
}

const complete = (): ReturnType<Workspaces["complete"]> =>
  workspaces.exclusive(LEAD, () => workspaces.complete(LEAD));

describe("a merge", () => {
  test("is a merge commit that names the thread; the worktree goes, the commit stays on a private ref", async () => {
    await child(A, { "a.txt": "a\n", "PLAN.md": "child's plan\n" });
    writeIn(lead, "PLAN.md", "lead's plan\n");
    const merged = await workspaces.merge(A, LEAD);
    if (merged.result !== "merged") throw new Error("conflict");
    expect(repo.git("rev-parse", `cfa/${JOB}`)).toBe(merged.merge);
    expect(repo.git("log", "-1", "--format=%s|%p", merged.merge).split("|")[0]).toBe(
      `Merge ${A} into ${LEAD}`,
    );
    expect(repo.git("rev-parse", `${merged.merge}^2`, merged.ref)).toBe(`${merged.commit}\n${merged.commit}`);
    expect(merged.ref).toMatch(new RegExp(`^refs/cfa/${JOB}/ended/a-[0-9a-f]{10}$`));
    expect(paths(repo.dir, merged.merge)).toEqual([".gitignore", "a.txt", "image.bin", "text.txt"]);
    expect(readIn(lead, "PLAN.md")).toBe("lead's plan\n");
    expect(existsSync(workspaces.path(A))).toBe(false);
    expect(repo.git("worktree", "list").split("\n")).toHaveLength(2);
    expect(await (await workspacesOf(repo)).merge(A, LEAD)).toEqual(merged);
  });

  test("of a child that did nothing leaves the head as it is", async () => {
    await child(A, {});
    expect(await workspaces.merge(A, LEAD)).toMatchObject({
      result: "merged",
      merge: repo.base,
      commit: repo.base,
    });
  });

  test("commits the parent's work first, so identical untracked files merge and different ones conflict", async () => {
    await child(A, { "same.txt": "same\n", "other.txt": "child\n" });
    writeIn(lead, "same.txt", "same\n");
    writeIn(lead, "other.txt", "lead\n");
    expect(await workspaces.merge(A, LEAD)).toMatchObject({ result: "conflict", paths: ["other.txt"] });
  });

  test("keeps an ignored file that is in the way and makes it a conflict", async () => {
    await child(A, { "trace.log": "child\n" });
    gitIn(workspaces.path(A), "add", "--force", "trace.log");
    writeIn(lead, "trace.log", "lead\n");
    expect(await workspaces.merge(A, LEAD)).toMatchObject({ result: "conflict", paths: ["trace.log"] });
    expect(readIn(lead, "trace.log")).toBe("lead\n");
    expect(await complete()).toEqual({ unmerged: ["trace.log"], own: null });
    await workspaces.resolve(LEAD, "trace.log");
    expect(await complete()).toHaveProperty("merge");
    expect(repo.git("show", `cfa/${JOB}:trace.log`)).toBe("lead");
  });

  test("keeps an ignored file in the way in a repository of SHA-256, whatever its name and mode", async () => {
    const other = repository("--object-format=sha256");
    try {
      const own = await opened(other);
      const name = 'a "b\u0001\té\n.log';
      await own.branch(A, LEAD);
      writeIn(own.path(A), name, "child\n");
      gitIn(own.path(A), "add", "--force", "--all");
      writeIn(own.path(LEAD), name, "lead\n");
      chmodSync(join(own.path(LEAD), name), 0o755);
      expect(await own.merge(A, LEAD)).toMatchObject({ result: "conflict", paths: [name] });
      expect(readIn(own.path(LEAD), name)).toBe("lead\n");
      const stages = gitIn(own.path(LEAD), "ls-files", "--unmerged", "-z").split("\0").filter(Boolean);
      expect(stages.map((stage) => stage.replace(/ [0-9a-f]{64} /u, " id ").split("\t")[0])).toEqual([
        "100755 id 2",
        "100644 id 3",
      ]);
    } finally {
      other.remove();
    }
  });

  test("of a grandchild goes into its parent's tree and from there up", async () => {
    await child(A, { "a.txt": "a\n" });
    await workspaces.branch("dispatch:aa", A);
    writeIn(workspaces.path("dispatch:aa"), "aa.txt", "aa\n");
    await workspaces.merge("dispatch:aa", A);
    await workspaces.merge(A, LEAD);
    expect(subjects(repo.dir, `${repo.base}..cfa/${JOB}`).toSorted()).toEqual(
      [
        `Merge ${A} into ${LEAD}`,
        `Merge dispatch:aa into ${A}`,
        "Work of dispatch:aa",
        `Work of ${A}`,
      ].toSorted(),
    );
  });

  test("cut off by a kill inside git is done again", async () => {
    await child(A, { "text.txt": "child\ntwo\nthree\n" });
    writeIn(lead, "text.txt", "lead\ntwo\nthree\n");
    await workspaces.merge(A, LEAD);
    rmSync(join(gitIn(lead, "rev-parse", "--absolute-git-dir"), "cfa-conflict.json"));
    const again = await (await workspacesOf(repo)).merge(A, LEAD);
    expect(again).toMatchObject({ result: "conflict", paths: ["text.txt"] });
    writeIn(lead, "text.txt", "both\ntwo\nthree\n");
    expect(await complete()).toHaveProperty("merge");
  });
});

describe("a conflict", () => {
  test("in text stays in the tree until the markers are gone; asked again it is the same", async () => {
    await child(A, { "text.txt": "child\ntwo\nthree\n", 'ünd "x".txt': "child\n" });
    writeIn(lead, "text.txt", "lead\ntwo\nthree\n");
    writeIn(lead, 'ünd "x".txt', "lead\n");
    const conflict = conflicting(await workspaces.merge(A, LEAD));
    expect(conflict).toMatchObject({ result: "conflict", paths: ["text.txt", 'ünd "x".txt'] });
    expect(await (await workspacesOf(repo)).merge(A, LEAD)).toEqual(conflict);
    expect(readIn(lead, "text.txt")).toContain("<<<<<<<");
    expect(await complete()).toEqual({ unmerged: ["text.txt", 'ünd "x".txt'], own: null });
    writeIn(lead, "text.txt", "both\n=======\nthree\n");
    gitIn(lead, "add", "--all");
    expect(await complete()).toEqual({ unmerged: ['ünd "x".txt'], own: null });
    writeIn(lead, 'ünd "x".txt', "both\n");
    writeIn(lead, "besides.txt", "an edit that belongs to it\n");
    writeIn(lead, "PLAN.md", "plan\n");
    const done = await complete();
    if (done === undefined || !("merge" in done)) throw new Error("not completed");
    expect(repo.git("rev-parse", `${done.merge}^2`)).toBe(conflict.commit);
    expect(paths(repo.dir, done.merge)).toEqual([
      ".gitignore",
      "besides.txt",
      "image.bin",
      "text.txt",
      'ünd "x".txt',
    ]);
    expect(gitIn(lead, "status", "--porcelain")).toBe("?? PLAN.md");
    expect(await complete()).toBeUndefined();
    expect(await (await workspacesOf(repo)).merge(A, LEAD)).toMatchObject({
      result: "merged",
      merge: done.merge,
    });
  });

  const others: readonly (readonly [string, Record<string, Buffer | null>, Record<string, Buffer | null>])[] =
    [
      ["binary", { "image.bin": Buffer.from([0, 9]) }, { "image.bin": Buffer.from([0, 7]) }],
      ["modified here, deleted there", { "image.bin": Buffer.from([0, 9]) }, { "image.bin": null }],
      ["deleted here, modified there", { "image.bin": null }, { "image.bin": Buffer.from([0, 7]) }],
    ];
  describe.each(others)("without markers: %s", (_, ours, theirs) => {
    beforeEach(async () => {
      await child(A, theirs);
      for (const [path, content] of Object.entries(ours))
        if (content === null) rmSync(join(lead, path));
        else writeIn(lead, path, content);
      expect(await workspaces.merge(A, LEAD)).toMatchObject({ result: "conflict", paths: ["image.bin"] });
      expect(await complete()).toEqual({ unmerged: ["image.bin"], own: null });
    });
    test("is over by a change", async () => {
      writeIn(lead, "image.bin", Buffer.from([0, 5]));
      expect(await complete()).toHaveProperty("merge");
    });
    test("is over by a deletion", async () => {
      rmSync(join(lead, "image.bin"));
      expect(await complete()).toHaveProperty("merge");
      expect(paths(repo.dir, `cfa/${JOB}`)).toEqual([".gitignore", "text.txt"]);
    });
    test("is over by declaration", async () => {
      await expect(workspaces.resolve(LEAD, "text.txt")).rejects.toThrow('name one of "image.bin"');
      await workspaces.resolve(LEAD, "image.bin");
      expect(await complete()).toHaveProperty("merge");
      await expect(workspaces.resolve(LEAD, "image.bin")).rejects.toThrow("holds no conflict");
    });
  });

  const renamed = "two words.txt";
  const TEN = Array.from({ length: 10 }, (_, line) => `line ${line}\n`).join("");
  /** What the lead and the child have made of `long.txt`, ten lines; the paths in conflict; and what each side has left there. */
  const renames: readonly (readonly [string, Edits, Edits, readonly string[]])[] = [
    [
      "renamed on both sides to different names",
      { "long.txt": null, "ours.txt": TEN },
      { "long.txt": null, "theirs.txt": TEN },
      ["long.txt", "ours.txt", "theirs.txt"],
    ],
    [
      "renamed here, deleted there",
      { "long.txt": null, [renamed]: `${TEN}ours\n` },
      { "long.txt": null },
      [renamed],
    ],
    [
      "deleted here, renamed there",
      { "long.txt": null },
      { "long.txt": null, [renamed]: `${TEN}theirs\n` },
      [renamed],
    ],
    [
      "renamed here, edited there in the same lines",
      { "long.txt": null, [renamed]: TEN.replace("line 4", "ours") },
      { "long.txt": TEN.replace("line 4", "theirs") },
      [renamed],
    ],
    ["added on both sides", { "new.txt": "ours\n" }, { "new.txt": "theirs\n" }, ["new.txt"]],
    [
      "two files renamed to one",
      { "long.txt": null, "one.txt": TEN },
      { "text.txt": null, "one.txt": "one\ntwo\nthree\n" },
      ["one.txt"],
    ],
  ];
  test.each(renames)(
    "of a file %s is named whole, and resolved by an edit; both sides are in its history",
    async (_, ours, theirs, named) => {
      writeIn(lead, "long.txt", TEN);
      await child(A, theirs);
      edit(lead, ours);
      const { commit, paths: found } = conflicting(await workspaces.merge(A, LEAD));
      expect([...found].sort()).toEqual(named);
      expect(await complete()).toMatchObject({ own: null });
      for (const path of found) if (existsSync(join(lead, path))) writeIn(lead, path, "resolved\n");
      const done = await complete();
      if (done === undefined || !("merge" in done)) throw new Error("not completed");
      expect(repo.git("rev-parse", `${done.merge}^2`)).toBe(commit);
      expect(repo.git("log", "-1", "--format=%P", done.merge).split(" ")).toHaveLength(2);
      expect(gitIn(lead, "status", "--porcelain")).toBe("");
    },
  );

  test("of a file with a directory of its name leaves both, and names the file", async () => {
    await child(A, { "thing/inside.txt": "theirs\n" });
    writeIn(lead, "thing", "ours\n");
    const { paths: found } = conflicting(await workspaces.merge(A, LEAD));
    expect(found).toEqual([expect.stringMatching(/^thing~/u)]);
    expect(readIn(lead, "thing/inside.txt")).toBe("theirs\n");
    expect(readIn(lead, found[0] ?? "")).toBe("ours\n");
  });

  test("is not over by declaration while markers are left", async () => {
    await child(A, { "text.txt": "child\n" });
    writeIn(lead, "text.txt", "lead\n");
    await workspaces.merge(A, LEAD);
    await expect(workspaces.resolve(LEAD, "text.txt")).rejects.toThrow(
      '"text.txt" still holds conflict markers: edit it',
    );
    expect(await complete()).toEqual({ unmerged: ["text.txt"], own: null });
    writeIn(lead, "text.txt", "both\n");
    expect(await complete()).toHaveProperty("merge");
  });

  test("that the agent commits itself is complete, without the artifact it committed", async () => {
    await child(A, { "text.txt": "child\n" });
    writeIn(lead, "text.txt", "lead\n");
    const { commit } = conflicting(await workspaces.merge(A, LEAD));
    writeIn(lead, "text.txt", "both\n");
    writeIn(lead, "PLAN.md", "plan\n");
    gitIn(lead, "add", "--all");
    gitIn(lead, "commit", "--quiet", "--message=I merged");
    const done = await complete();
    if (done === undefined || !("merge" in done)) throw new Error("not completed");
    expect(repo.git("log", "-1", "--format=%s|%an", done.merge)).toBe("I merged|User");
    expect(repo.git("rev-parse", `${done.merge}^2`)).toBe(commit);
    expect(paths(repo.dir, done.merge)).not.toContain("PLAN.md");
  });

  test("that the agent throws away begins again", async () => {
    await child(A, { "text.txt": "child\n" });
    writeIn(lead, "text.txt", "lead\n");
    await workspaces.merge(A, LEAD);
    gitIn(lead, "merge", "--abort");
    expect(await complete()).toEqual({ unmerged: ["text.txt"], own: null });
    expect(readIn(lead, "text.txt")).toContain("<<<<<<<");
  });

  test("holds up later merges and new children, and turns go on; nothing waits", async () => {
    await child(A, { "text.txt": "a\n" });
    await child(B, { "b.txt": "b\n" });
    writeIn(lead, "text.txt", "lead\n");
    expect(await workspaces.merge(A, LEAD)).toMatchObject({ result: "conflict" });
    expect(await workspaces.merge(B, LEAD)).toEqual({ result: "held", own: null, paths: ["text.txt"] });
    expect(await workspaces.branch("dispatch:d", LEAD)).toEqual({
      refused: expect.stringContaining("unfinished merge"),
    });
    await workspaces.exclusive(LEAD, async () => {
      writeIn(lead, "text.txt", "both\n");
      expect(await workspaces.complete(LEAD)).toHaveProperty("merge");
    });
    expect(await workspaces.merge(B, LEAD)).toMatchObject({ result: "merged" });
    expect(await workspaces.branch("dispatch:d", LEAD)).toHaveProperty("commit");
  });

  test("that a child holds when it is merged itself is not passed on; all of it stays on its ref", async () => {
    await child(A, {});
    await workspaces.branch("dispatch:aa", A);
    writeIn(workspaces.path("dispatch:aa"), "text.txt", "grandchild\n");
    writeIn(workspaces.path(A), "text.txt", "child\n");
    await workspaces.merge("dispatch:aa", A);
    const kept = conflicting(await workspaces.merge(A, LEAD));
    expect(kept).toMatchObject({ result: "conflict", paths: ["text.txt"] });
    expect(repo.git("show", `${kept.ref}:text.txt`)).toContain("<<<<<<<");
    expect(await complete()).toBeUndefined();
    expect(readIn(lead, "text.txt")).toBe("one\ntwo\nthree\n");
  });

  test("of the agent's own making is completed by the same rules", async () => {
    writeFileSync(join(lead, "text.txt"), "mine\n");
    gitIn(lead, "commit", "--quiet", "--all", "--message=mine");
    gitIn(lead, "checkout", "--quiet", "--detach", repo.base);
    writeFileSync(join(lead, "text.txt"), "other\n");
    gitIn(lead, "commit", "--quiet", "--all", "--message=other");
    const other = gitIn(lead, "rev-parse", "HEAD");
    gitIn(lead, "checkout", "--quiet", `cfa/${JOB}`);
    expect(() => gitIn(lead, "merge", other)).toThrow("merge");
    expect(await complete()).toEqual({ unmerged: ["text.txt"], own: "merge" });
    writeFileSync(join(lead, "text.txt"), "both\n");
    expect(await complete()).toHaveProperty("merge");
    expect(subjects(repo.dir, `${repo.base}..cfa/${JOB}`).toSorted()).toEqual(
      [`Merge ${other.slice(0, 12)} into ${LEAD}`, "mine", "other"].toSorted(),
    );
  });
});
