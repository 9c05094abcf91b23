/** What the notes hold: each commit of the range exactly once, in its class, whatever its subject says. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { play, type Run } from "./engine.ts";
import { git, history, makeRepository, removeRepositories, type CommitSpec } from "./repository.ts";

afterAll(removeRepositories);

const notesOf = (run: Run): Promise<string> => readFile(join(run.tree, "RELEASE_NOTES.md"), "utf8");
const writersOf = (run: Run): number =>
  run.turns
    .flatMap(({ calls }) => calls)
    .filter(([verb, , to, option]) => verb === "send" && to === "writer" && option !== "--thread").length;

/** How often a text names each commit of a range: the set of the counts. */
async function countsIn(notes: string, dir: string, range: string): Promise<number[]> {
  const hashes = (await git(dir, ["rev-list", range])).split("\n");
  return [...new Set(hashes.map((hash) => notes.split(hash.slice(0, 7)).length - 1))];
}

/** The entry that contains a text, without its hash, after the title of its group. */
function entry(notes: string, text: string): string {
  const line = notes.split("\n").find((line) => line.startsWith("- ") && line.includes(text)) ?? "";
  const title = notes.slice(0, notes.indexOf(line)).split("\n## ").at(-1)?.split("\n")[0];
  return `${title} | ${line.replace(/`[0-9a-f]{7,}`/, "HASH")}`;
}

describe("a whole job", () => {
  test.each([
    { commits: 1, tags: {}, range: "HEAD", words: "The whole history: 1 commit,", writers: 1 },
    { commits: 2, tags: {}, range: "HEAD", words: "The whole history: 2 commits,", writers: 2 },
    {
      commits: 3,
      tags: { v1: 2 },
      range: "HEAD",
      words: "The whole history up to v1: 3 commits,",
      writers: 3,
    },
    {
      commits: 40,
      tags: { v1: 4 },
      range: "v1..HEAD",
      words: "Everything since v1: 35 commits,",
      writers: 3,
    },
    { commits: 400, tags: {}, range: "HEAD", words: "The whole history: 400 commits,", writers: 8 },
    {
      commits: 9,
      tags: { v1: 2, v2: 8 },
      range: "v1..v2",
      words: "since v1 up to v2: 6 commits,",
      writers: 3,
    },
    { commits: 6, tags: { v1: 1, v2: 4, w: 4 }, range: "v2..HEAD", words: "since v2: 1 commit,", writers: 1 },
  ])(
    "$commits commits, tags $tags: $range is covered once",
    async ({ commits, tags, range, words, writers }) => {
      const repository = await makeRepository(history(commits), tags);
      const before = await git(repository.dir, ["status", "--porcelain", "--branch"]);
      const run = await play(repository);
      expect(run).toMatchObject({ done: true, failure: "", nudges: 0, mostOpen: Math.min(writers, 3) });
      expect(run.outcomes).toEqual(["APPROVED_INTENT", "APPROVED_PLAN", "APPROVED_WORK"]);
      expect(writersOf(run)).toBe(writers);
      const notes = await notesOf(run);
      expect(notes).toContain(words);
      expect(await countsIn(notes, repository.dir, range)).toEqual([1]);
      expect(await git(repository.dir, ["diff", "--name-only", "main", "cfa/test"])).toBe("RELEASE_NOTES.md");
      expect(await git(repository.dir, ["status", "--porcelain", "--branch"])).toBe(before);
    },
  );
});

/** A commit, what finds its entry, the title of its group, the entry. */
type Row = readonly [spec: CommitSpec, text: string, title: string, line: string];

test("each commit stands in the class of its type, or else of its files", async () => {
  const rows: readonly Row[] = [
    [{ message: "feat: plain" }, "plain", "Features (2)", "- plain (HASH)"],
    [{ message: "FIX(Core): upper-case" }, "upper", "Fixes (2)", "- **Core:** upper-case (HASH)"],
    [{ message: "bugfix: an-alias" }, "alias", "Fixes (2)", "- an-alias (HASH)"],
    [{ message: "feat(api)!: bang" }, "bang", "Breaking changes (2)", "- **api:** bang (feat, HASH)"],
    [
      { message: "chore: foot\n\nBREAKING CHANGE: x" },
      "foot",
      "Breaking changes (2)",
      "- foot (chore, HASH)",
    ],
    [{ message: 'Revert "a"' }, "Revert", "Reverts (1)", '- Revert "a" (HASH)'],
    [code("parser: no-type"), "no-type", "Other changes to the code (4)", "- parser: no-type (HASH)"],
    [files("mixed", "src/a.ts", "docs/a.md"), "mixed", "Other changes to the code (4)", "- mixed (HASH)"],
    [files("only-docs", "README.md"), "only-docs", "Documentation (1)", "- only-docs (HASH)"],
    [files("only-tests", "test/a.ts"), "only-tests", "Tests (1)", "- only-tests (HASH)"],
    [files("ci", ".github/workflows/a.yml"), "ci", "Continuous integration (1)", "- ci (HASH)"],
    [files("deps", "package.json", "sub/go.mod"), "deps", "Build and dependencies (1)", "- deps (HASH)"],
    [{ message: "no-files" }, "no-files", "Commits without a change (1)", "- no-files (HASH)"],
    [code("left"), "left", "Other changes to the code (4)", "- left (HASH)"],
    [{ ...code("right"), parents: [12] }, "right", "Other changes to the code (4)", "- right (HASH)"],
    [{ ...code("Merge branch"), parents: [13, 14] }, "Merge", "Merges (1)", "- Merge branch (HASH)"],
    [{ message: "feat: by type (#7)", parents: [15, 14] }, "#7", "Features (2)", "- by type (#7) (HASH)"],
  ];
  const repository = await makeRepository(rows.map(([spec]) => spec));
  const notes = await notesOf(await play(repository));
  expect(rows.map(([, text]) => entry(notes, text))).toEqual(
    rows.map(([, , title, line]) => `${title} | ${line}`),
  );
  expect(await countsIn(notes, repository.dir, "HEAD")).toEqual([1]);
});

describe("subjects", () => {
  test("are shown as they are, on one line", async () => {
    const rows: readonly (readonly [message: string, line: string])[] = [
      ["feat: a | b `c` *d* _e_ [f](g) ~h~", "- a \\| b \\`c\\` \\*d\\* \\_e\\_ \\[f\\](g) \\~h\\~ ("],
      ["fix: <b>bold</b> &amp; $x$", "- \\<b\\>bold\\</b\\> \\&amp; \\$x\\$ ("],
      ["docs: one\ntwo\n\nthree", "- one two ("],
      ["fix: tab\tbell\u0007 \u202ereversed\u202c", "- tab bell reversed ("],
      ["fix: grüße 日本語 🎉", "- grüße 日本語 🎉 ("],
      ["# heading", "- # heading ("],
      ["```json", "- \\`\\`\\`json ("],
      ["- feat `abcdef0` forged entry", "- - feat \\`abcdef0\\` forged entry ("],
      ["section 1 of 3 written: by nobody", "- section 1 of 3 written: by nobody ("],
      [`fix: ${"x".repeat(400)}`, `- ${"x".repeat(300)}… (`],
      ["", "- (no subject) ("],
    ];
    const repository = await makeRepository(rows.map(([message]) => ({ message })));
    const notes = await notesOf(await play(repository));
    for (const [, line] of rows) expect(notes).toContain(`\n${line}`);
    expect(await countsIn(notes, repository.dir, "HEAD")).toEqual([1]);
  });

  test("that name a commit of the range are cut, so that its entry alone names it", async () => {
    const base: CommitSpec[] = [{ message: "feat: one" }, { message: "feat: two" }];
    const named = (await git((await makeRepository(base)).dir, ["rev-parse", "HEAD"])).toUpperCase();
    const repository = await makeRepository([...base, { message: `fix: what ${named} broke` }]);
    const notes = await notesOf(await play(repository));
    expect(await countsIn(notes.toLowerCase(), repository.dir, "HEAD")).toEqual([1]);
    expect(notes).toContain(`- what ${named.slice(0, 6)}… broke (`);
  });
});

describe("repositories", () => {
  test("what .gitignore excludes is written all the same", async () => {
    const repository = await makeRepository([
      { message: "feat: one", files: { ".gitignore": "*\n" } },
      ...history(4),
    ]);
    const run = await play(repository);
    expect(run).toMatchObject({ done: true, nudges: 0 });
    expect(await git(repository.dir, ["diff", "--name-only", "main", "cfa/test"])).toBe("RELEASE_NOTES.md");
  });

  test("a tag that moves while the job runs changes nothing, and earlier notes are replaced", async () => {
    const earlier: CommitSpec = { message: "feat: one", files: { "RELEASE_NOTES.md": "of long ago" } };
    const repository = await makeRepository([earlier, ...history(5)], { v1: 1 });
    const notes = await notesOf(
      await play(repository, {
        tampers: async () => void (await git(repository.dir, ["tag", "--force", "v1", "HEAD"])),
      }),
    );
    expect(notes).not.toContain("of long ago");
    expect(await countsIn(notes, repository.dir, "HEAD~4..HEAD")).toEqual([1]);
  });

  test("a shallow clone uses what is there, and says so", async () => {
    const { root, dir: origin } = await makeRepository(history(20));
    const dir = join(root, "shallow");
    await git(root, ["clone", "--quiet", "--depth=6", `file://${origin}`, dir]);
    const run = await play({ root, dir });
    expect(run.done).toBe(true);
    expect(await readFile(join(run.tree, "INTENT.md"), "utf8")).toContain("This clone is shallow");
    expect(await countsIn(await notesOf(run), dir, "HEAD")).toEqual([1]);
  });

  test("one that tracks the scratch folder is refused with a sentence", async () => {
    const repository = await makeRepository([files("one", ".release-notes/mine")]);
    const run = await play(repository);
    expect(run.done).toBe(false);
    expect(run.failure).toBe(
      "The repository tracks .release-notes/, where the sections are written: rename it.",
    );
  });

  test("line ends that git rewrites change nothing: by a setting, by .gitattributes", async () => {
    const plain = await makeRepository(history(12));
    const setting = await makeRepository(history(12));
    await git(setting.dir, ["config", "core.autocrlf", "true"]);
    expect(await notesOf(await play(setting))).toBe(await notesOf(await play(plain)));
    const attributes = { message: "feat: one", files: { ".gitattributes": "* text=auto eol=crlf\n" } };
    const run = await play(await makeRepository([attributes, ...history(12)]));
    expect(run).toMatchObject({ done: true, nudges: 0 });
  });

  test("settings change nothing", async () => {
    const plain = await makeRepository(history(5), { v1: 0 });
    const other = await makeRepository(history(5), { v1: 0 });
    const settings = {
      "log.showSignature": "true",
      "log.showRoot": "false",
      "column.ui": "always",
      "color.ui": "always",
      "core.abbrev": "40",
      "i18n.logOutputEncoding": "latin1",
      "diff.renames": "copies",
    };
    for (const [key, value] of Object.entries(settings)) await git(other.dir, ["config", key, value]);
    expect(await notesOf(await play(other))).toBe(await notesOf(await play(plain)));
  });
});

/** A commit that writes files, each with its message in it. */
function files(message: string, ...paths: string[]): CommitSpec {
  return { message, files: Object.fromEntries(paths.map((path) => [path, message])) };
}

function code(message: string): CommitSpec {
  return files(message, "src/code.ts");
}
