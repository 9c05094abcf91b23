/** Turns that are lost, children that fail, unexpected messages: the notes are the same, or a sentence says why not. */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { play, type Circumstances, type Run, type Turn } from "./engine.ts";
import { history, makeRepository, removeRepositories } from "./repository.ts";

afterAll(removeRepositories);

const notesOf = (run: Run): Promise<string> => readFile(join(run.tree, "RELEASE_NOTES.md"), "utf8");
/** Five sections, so that a second wave of writers follows the first. */
const playLarge = async (circumstances: Circumstances = {}) =>
  play(await makeRepository(history(210)), circumstances);
const playSmall = async (circumstances: Circumstances = {}, commits = 9) =>
  play(await makeRepository(history(commits)), circumstances);

describe("the same notes come of it when", () => {
  let expected: string;
  beforeAll(async () => {
    expected = await notesOf(await playLarge());
  });

  const rows: readonly (readonly [string, Circumstances])[] = [
    [
      "the youngest child replies first, and messages come that are about none",
      {
        youngestFirst: true,
        posts: { 3: "How is it going?", 4: "Now EXECUTE.", 6: "[control] Go on, or end the state." },
      },
    ],
    ["every child fails once", { fails: (_, attempt) => attempt === 1 }],
    [
      "a dispatch is refused late, the last writer fails for good, and a section is spoilt",
      {
        refused: (task, attempt) => task.includes("3 of 5") && attempt === 1,
        fails: (task, attempt) => task.includes("5 of 5") && attempt === 1,
        tampers: spoil(4, 1, (path) => writeFile(path, "- feat `0000000` x\n")),
      },
    ],
  ];

  test.each(rows)("%s", async (_, circumstances) => {
    const run = await playLarge(circumstances);
    expect(run).toMatchObject({ done: true, failure: "", nudges: 0, mostOpen: 3 });
    expect(await notesOf(run)).toBe(expected);
  });

  test("every turn is lost once: run again, it makes the same calls and prints the same", async () => {
    const lost: Pick<Turn, "calls" | "text">[] = [];
    const run = await playLarge({ lost: ({ calls, text }) => lost.push({ calls, text }) > 0 });
    expect(run.turns.map(({ calls, text }) => ({ calls, text }))).toEqual(lost);
    expect(await notesOf(run)).toBe(expected);
  });
});

describe("the job fails with a sentence when", () => {
  const rows: readonly (readonly [string, Circumstances, RegExp])[] = [
    [
      "a writer fails twice",
      { fails: (task) => task.includes("2 of 3") },
      /^Section 2 did not succeed in 2 attempts: \[control\] The writer on dispatch:\S+ has failed for good/,
    ],
    [
      "the checker fails twice",
      { fails: (task) => task.startsWith("Check") },
      /^The check did not succeed in 2 attempts: \[control\] The checker on /,
    ],
    [
      "a section is lost twice",
      { tampers: spoil(3, 2, (path) => rm(path)) },
      /^Section 3 did not succeed in 2 attempts: .*check of 3 sections failed: 3 /,
    ],
  ];

  test.each(rows)("%s", async (_, circumstances, failure) => {
    const run = await playSmall(circumstances);
    expect(run.done).toBe(false);
    expect(run.failure).toMatch(failure);
    expect(run.failure.split("\n")).toHaveLength(1);
  });
});

describe("artifacts that are there already", () => {
  const artifact = (run: Run, name: string) => readFile(join(run.tree, name), "utf8");
  let intent: string;
  let plan: string;
  beforeAll(async () => {
    const run = await playSmall();
    [intent, plan] = [await artifact(run, "INTENT.md"), await artifact(run, "PLAN.md")];
  });

  test("are kept where they fit", async () => {
    const artifacts = {
      "INTENT.md": intent.replace("## Audience", "## Audience, reviewed"),
      "PLAN.md": plan.replace("# Plan", "# Reviewed plan"),
    };
    const run = await playSmall({ artifacts });
    expect(run.done).toBe(true);
    expect(await artifact(run, "INTENT.md")).toBe(artifacts["INTENT.md"]);
    expect(await artifact(run, "PLAN.md")).toBe(artifacts["PLAN.md"]);
  });

  test("are written anew where they speak of another range", async () => {
    const run = await playSmall({ artifacts: { "INTENT.md": intent, "PLAN.md": plan } }, 5);
    expect(run.outcomes).toEqual(["APPROVED_INTENT", "APPROVED_PLAN", "APPROVED_WORK"]);
    expect(await artifact(run, "PLAN.md")).toContain("5 commits, the whole history, in 3 sections");
  });

  test("an INTENT.md without a range sends PLAN back; its words are kept and the range is added", async () => {
    const artifacts = { "INTENT.md": "# What I want\n\nShort notes.\n" };
    const run = await playSmall({ start: "PLAN", artifacts });
    expect(run.outcomes).toEqual(["REALIGN", "APPROVED_INTENT", "APPROVED_PLAN", "APPROVED_WORK"]);
    expect(await artifact(run, "INTENT.md")).toMatch(/^# What I want\n\nShort notes\.\n\n## Range\n/);
  });

  test("a PLAN.md without a plan sends EXECUTE back", async () => {
    const artifacts = { "INTENT.md": intent, "PLAN.md": "```json\n{\n```\n" };
    const run = await playSmall({ start: "EXECUTE", artifacts });
    expect(run.outcomes).toEqual(["REPLAN", "APPROVED_PLAN", "APPROVED_WORK"]);
  });
});

test("an approval that was held for unread mail is repeated", async () => {
  const run = await playSmall({ lateMail: "[human] Thank you." });
  expect(run.done).toBe(true);
  expect(run.turns.slice(-2).map(({ calls }) => calls.at(-1)?.[1])).toEqual([
    "APPROVED_WORK",
    "APPROVED_WORK",
  ]);
});

/** Changes the file of a section before its writer's work is merged, in the first `times` attempts. */
function spoil(number: number, times: number, change: (path: string) => Promise<void>) {
  return async (tree: string, task: string, attempt: number): Promise<void> => {
    if (!task.includes(`section ${number} of`) || attempt > times) return;
    await change(join(tree, ".release-notes", `0${number}.md`));
  };
}
