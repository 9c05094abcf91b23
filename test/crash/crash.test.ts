/**
 * An engine that is killed anywhere, and again, and resumed: the same result, the same story, nothing lost, nothing left
 * (docs/architecture.md, "The shell law").
 *
 * Kills are placed by the log or by a call of git, never by time. How many were tried is printed at the end.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Entry, EntryKind } from "../../src/persistence/entry.ts";
import { history, makeRepository, removeRepositories } from "../examples/release-notes/repository.ts";
import { faultsOf, storyOf } from "./audit.ts";
import {
  CONFLICT,
  dieAtCommit,
  dieInGit,
  finish,
  type GitCrash,
  type Job,
  killAgainAndAgain,
  leftovers,
  logOf,
  onCopy,
  RELEASE_NOTES,
  resultOf,
  signalAt,
  type Site,
} from "./site.ts";

/** What must be the same, however often the engine died. */
type Outcome = { readonly story: readonly string[]; readonly result: Readonly<Record<string, string>> };
type Whole = { readonly log: readonly Entry[]; readonly outcome: Outcome };

// Waiting for a slot counts as time of the test.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

let template: string;
const undisturbed = new Map<Job, Whole>();
/** Kills, and jobs that ended as they must after theirs. */
const tried = { kills: 0, jobs: 0 };

beforeAll(async () => {
  template = (await makeRepository(history(2))).dir;
  const runs = [RELEASE_NOTES, CONFLICT].map((job) =>
    onCopy(template, job, async (site) => {
      await finish(site);
      expect(await leftovers(site)).toEqual([]);
      undisturbed.set(job, { log: await logOf(site), outcome: await outcomeOf(site) });
    }),
  );
  await Promise.all(runs);
});
afterAll(async () => {
  console.log(
    `${tried.kills} kill points tried in ${tried.jobs} jobs; each ended as the undisturbed one: log, result and repository`,
  );
  await removeRepositories();
});

function wholeOf(job: Job): Whole {
  const whole = undisturbed.get(job);
  if (whole === undefined) throw new Error("there is no undisturbed run");
  return whole;
}

async function outcomeOf(site: Site): Promise<Outcome> {
  return { story: storyOf(await logOf(site)), result: await resultOf(site) };
}

/** Jobs at a time: each is an engine with all its agents, which wait a little. A slot that gets free goes to who has waited longest. */
let free = 3;
const waiting: (() => void)[] = [];
async function inSlot(work: () => Promise<void>): Promise<void> {
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
  const { log, outcome } = wholeOf(job);
  return inSlot(() =>
    onCopy(template, job, async (site) => {
      await crash(site, log);
      expect(site.kills).toBeGreaterThan(0);
      await finish(site);
      expect(await leftovers(site)).toEqual([]);
      expect(await outcomeOf(site)).toEqual(outcome);
      tried.kills += site.kills;
      tried.jobs += 1;
    }),
  );
}

/** Positions spread evenly over the whole of something. */
const spread = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ part: `${at + 1}/${count}`, at: (at + 0.5) / count }));

const positionOf = (at: number, log: readonly Entry[]): number => Math.max(1, Math.round(at * log.length));

/** The commit of the newest entry of a kind. */
function commitOf(kind: EntryKind, log: readonly Entry[]): number {
  const round = log.findLast((entry) => entry.kind === kind)?.round;
  if (round === undefined) throw new Error(`no ${kind} in the log`);
  return round;
}

const gitCrashes: readonly GitCrash[] = [
  { on: " worktree add ", at: 1, how: "amid" },
  { on: " worktree add ", at: 2, how: "orphan" },
  { on: " merge --quiet ", at: 1, how: "after" },
  { on: " merge --quiet ", at: 2, how: "amid" },
  { on: " merge --quiet ", at: 2, how: "orphan" },
  { on: " write-tree", at: 5, how: "before" },
];

// One group, so that its tests run side by side; the longest first.
describe("a job whose engine is killed ends as if nothing had happened", () => {
  test.concurrent.each([
    { name: "release-notes", job: RELEASE_NOTES, step: 10 },
    { name: "release-notes", job: RELEASE_NOTES, step: 11 },
    { name: "release-notes", job: RELEASE_NOTES, step: 13 },
    { name: "conflict", job: CONFLICT, step: 10 },
    { name: "conflict", job: CONFLICT, step: 11 },
    { name: "conflict", job: CONFLICT, step: 13 },
  ])("$name: SIGKILL again and again, whenever $step more entries have appeared", ({ job, step }) =>
    survives(job, (site) => killAgainAndAgain(site, step)),
  );

  test.concurrent.each(spread(5))(
    "release-notes: SIGKILL when an entry appears, at $part of the log",
    ({ at }) => survives(RELEASE_NOTES, (site, log) => signalAt(site, positionOf(at, log), "SIGKILL")),
  );

  test.concurrent.each([
    ["before", "workspace"],
    ["after", "workspace"],
    ["after", "release"],
    ["before", "deliver"],
  ] as const)("release-notes: SIGKILL beside a commit, %s the one that records a %s", (when, kind) =>
    survives(RELEASE_NOTES, (site, log) => dieAtCommit(site, when, commitOf(kind, log))),
  );

  test.concurrent("release-notes: Ctrl-C leaves the job resumable, exit 130", () =>
    survives(RELEASE_NOTES, async (site, log) => {
      expect(await signalAt(site, positionOf(0.5, log), "SIGINT")).toBe(130);
    }),
  );

  test.concurrent.each(spread(16))("conflict: SIGKILL when an entry appears, at $part of the log", ({ at }) =>
    survives(CONFLICT, (site, log) => signalAt(site, positionOf(at, log), "SIGKILL")),
  );

  test.concurrent.each(gitCrashes)("conflict: SIGKILL inside git, $how call $at of $on", (crash) =>
    survives(CONFLICT, async (site) => expect(await dieInGit(site, crash)).toBe(true)),
  );
});

test("sixty points and more were tried", () => {
  expect(tried.kills).toBeGreaterThanOrEqual(60);
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
