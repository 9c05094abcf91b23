/**
 * An engine that is killed anywhere, and again, and resumed: the same result, nothing lost, nothing left
 * (docs/architecture.md, "The shell law").
 *
 * CFA_KILL_POINTS=N tries N positions of each log. The number of kills is printed at the end.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Entry, EntryKind } from "../../src/persistence/entry.ts";
import { history, makeRepository, removeRepositories } from "../examples/release-notes/repository.ts";
import { faultsOf } from "./audit.ts";
import {
  CONFLICT,
  dieAtCommit,
  dieInGit,
  finish,
  type GitCrash,
  type Job,
  leftovers,
  logOf,
  onCopy,
  RELEASE_NOTES,
  resultOf,
  signalAt,
  type Site,
} from "./site.ts";

type Whole = { readonly log: readonly Entry[]; readonly result: Readonly<Record<string, string>> };

// Waiting for a slot counts as time of the test.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

const wanted = process.env["CFA_KILL_POINTS"];
let template: string;
const undisturbed = new Map<Job, Whole>();
/** Kills of engines whose jobs ended as they must. */
let tried = 0;

beforeAll(async () => {
  template = (await makeRepository(history(12))).dir;
  const runs = [RELEASE_NOTES, CONFLICT].map((job) =>
    onCopy(template, job, async (site) => {
      await finish(site);
      expect(await leftovers(site)).toEqual([]);
      undisturbed.set(job, { log: await logOf(site), result: await resultOf(site) });
    }),
  );
  await Promise.all(runs);
});
afterAll(async () => {
  console.log(`${tried} kill points tried`);
  await removeRepositories();
});

function wholeOf(job: Job): Whole {
  const whole = undisturbed.get(job);
  if (whole === undefined) throw new Error("there is no undisturbed run");
  return whole;
}

/** Two at a time: each is an engine with all its agents. A slot that gets free goes to whoever has waited longest. */
let free = 2;
const waiting: (() => void)[] = [];
async function oneOfTwo(work: () => Promise<void>): Promise<void> {
  if (free > 0) free -= 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }
}

/** The job ends as the undisturbed one did, after `crash` has let its engine die on a copy of the repository. */
function survives(job: Job, crash: (site: Site, log: readonly Entry[]) => Promise<unknown>): Promise<void> {
  const { log, result } = wholeOf(job);
  return oneOfTwo(() =>
    onCopy(template, job, async (site) => {
      await crash(site, log);
      await finish(site);
      expect(await leftovers(site)).toEqual([]);
      expect(await resultOf(site)).toEqual(result);
      tried += site.kills;
    }),
  );
}

/** Positions spread evenly over the whole of something. */
const spread = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ part: `${at + 1}/${count}`, at: (at + 0.5) / count }));

const positionOf = (at: number, log: readonly Entry[]): number => Math.max(1, Math.round(at * log.length));

describe.each([
  { name: "release-notes", job: RELEASE_NOTES, points: 20 },
  { name: "conflict", job: CONFLICT, points: 26 },
])("$name: SIGKILL when an entry appears", ({ job, points }) => {
  test.concurrent.each(spread(Number(wanted ?? points)))("at $part of the log", ({ at }) =>
    survives(job, (site, log) => signalAt(site, positionOf(at, log), "SIGKILL")),
  );
});

/** The commit of the newest entry of a kind. */
function commitOf(kind: EntryKind, log: readonly Entry[]): number {
  const round = log.findLast((entry) => entry.kind === kind)?.round;
  if (round === undefined) throw new Error(`no ${kind} in the log`);
  return round;
}

describe("release-notes: SIGKILL beside a commit", () => {
  test.concurrent.each([
    ["before", "workspace"],
    ["after", "workspace"],
    ["after", "release"],
    ["before", "deliver"],
  ] as const)("%s the one that records a %s", (when, kind) =>
    survives(RELEASE_NOTES, (site, log) => dieAtCommit(site, when, commitOf(kind, log))),
  );
});

const gitCrashes: readonly GitCrash[] = [
  { on: " worktree add ", at: 1, how: "amid" },
  { on: " worktree add ", at: 2, how: "orphan" },
  { on: " merge --quiet ", at: 1, how: "after" },
  { on: " merge --quiet ", at: 2, how: "amid" },
  { on: " merge --quiet ", at: 2, how: "orphan" },
  { on: " write-tree", at: 5, how: "before" },
];

describe("conflict: SIGKILL inside git", () => {
  test.concurrent.each(gitCrashes)("$how call $at of $on", (crash) =>
    survives(CONFLICT, async (site) => expect(await dieInGit(site, crash)).toBe(true)),
  );
});

describe("again and again", () => {
  test.concurrent.each(spread(2))("a SIGKILL at $part of the log, two more of the resumed run", ({ at }) =>
    survives(RELEASE_NOTES, async (site, log) => {
      const position = positionOf(at, log);
      await signalAt(site, position, "SIGKILL");
      await signalAt(site, position + 2, "SIGKILL");
      await signalAt(site, position + 25, "SIGKILL");
    }),
  );

  test.concurrent("Ctrl-C leaves the job resumable, exit 130", () =>
    survives(RELEASE_NOTES, async (site, log) => {
      expect(await signalAt(site, positionOf(0.5, log), "SIGINT")).toBe(130);
    }),
  );
});

test("the audit sees unread mail, a lost turn too many, and a changed entry", () => {
  const { log } = wholeOf(CONFLICT);
  const wake = log.findIndex(({ kind, body }) => kind === "fire" && body.rule === "wake");
  expect(faultsOf(log.slice(0, wake), 0)).toEqual([expect.stringContaining("was consumed 0 times")]);
  expect(
    faultsOf(
      log.map((entry) => ({ ...entry, at: "2024-01-01T00:00:00.000Z" })),
      0,
    ),
  ).toEqual([expect.stringContaining("carries the hash")]);
});
