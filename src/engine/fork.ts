/**
 * A fork: a new job that goes on from an entry of another one (docs/fork.md).
 *
 * F1. Nothing is written before all of it holds: the entry is there, the log up to it is sound, and what its trees and its
 *     unread messages need is there.
 * F2. Refs come first, then the log, whole or not at all: a fork that can be seen can be run. What a kill leaves before
 *     that are refs, which another fork with the same id takes for its own.
 * F3. The other job is not touched, but for an act in its log: written by whoever runs it, or here where nobody does.
 */
import { copyFile, link, mkdir } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { forkAct } from "../job/acts.ts";
import { EMPTY_HEAD, verifyRows } from "../persistence/chain.ts";
import { BusError } from "../persistence/bus-error.ts";
import { decodeEntry } from "../persistence/codec.ts";
import type { Draft } from "../persistence/entry.ts";
import { forkDraft, type ForkPoint, forkRows } from "../persistence/fork-rows.ts";
import { jobDirectory, jobFile, listJobs } from "../persistence/jobs.ts";
import { type LogFile, openLogFile } from "../persistence/log-file.ts";
import type { Bus, InboxItem } from "../persistence/ports.ts";
import { openSqliteBus } from "../persistence/sqlite/bus.ts";
import { createFile } from "../persistence/sqlite/open.ts";
import { gitAnchor, readAnchor } from "../runtime/workspaces/anchor-ref.ts";
import { keepTaken, missingCommits } from "../runtime/workspaces/commits.ts";
import { resolveCommit } from "../runtime/workspaces/repository.ts";
import { isJobName } from "../runtime/workspaces/trees.ts";
import { requireAnchoredFile } from "./anchored.ts";
import { messagesWaiting } from "./messages-waiting.ts";
import { gcDraft } from "./gc.ts";
import { CannotStart } from "./prepare.ts";
import { JobReader, type ReadJob } from "./read-job.ts";
import { commitsOf } from "./verify-outside.ts";

/** A fork that has been made and not yet been run. */
export type Fork = {
  readonly id: string;
  /** The entry that it goes on from: the last of the commit that holds the one that was asked for. */
  readonly from: number;
};

/** What a job was, up to the entry from which a fork goes on. */
type Past = {
  readonly point: ForkPoint;
  readonly job: ReadJob;
  /** Commits that its entries name. */
  readonly commits: readonly string[];
};

/**
 * Makes a fork of job `id` of the repository at `top`, from the commit that holds entry `at`.
 * @param by who wants it, for the log of the other job.
 * @throws CannotStart with a sentence for what cannot be forked; BusError `corrupt` for a log that is not sound. Nothing has
 *   been written then (F1).
 */
export async function forkJob(top: string, id: string, at: number, by: string): Promise<Fork> {
  if (!(await listJobs(top)).includes(id)) throw new CannotStart(`there is no job ${id} in ${top}`);
  const file = openLogFile(jobFile(top, id), id);
  try {
    await requireAnchoredFile(top, id, file);
    const past = readPast(file, id, at);
    const missing = await missingCommits(top, [...new Set([...past.commits, ...neededCommits(past)])]);
    requireCommits(past, missing, top);
    const files = requireFiles(past, join(jobDirectory(top, id), "files"));
    const drafts = firstDrafts(past, missing, by);
    const make = async (fork: string): Promise<boolean> => {
      await takeOver(top, fork, past, missing, files);
      const rows = forkRows(file.rows(), past.point, fork, new Date().toISOString(), drafts);
      return createFile(jobFile(top, fork), fork, rows);
    };
    // Of two that are made at once one gets the id, and the other takes the next.
    let fork: string;
    do fork = await freeId(top, `${id}-at-${past.point.seq}`, resultOf(past));
    while (!(await make(fork)));
    await tell(top, id, { id: `fork:${fork}`, verb: "fork", target: String(past.point.seq), text: fork, by });
    return { id: fork, from: past.point.seq };
  } finally {
    file.close();
  }
}

/** Reads a log to the end of the commit that holds entry `at`. */
function readPast(file: LogFile, id: string, at: number): Past {
  const reader = new JobReader();
  const commits = new Set<string>();
  let point: ForkPoint | undefined;
  for (const row of file.rows()) {
    if (point !== undefined && point.seq >= at && row.round !== point.round) break;
    const chain = verifyRows([row], point ?? EMPTY_HEAD);
    if (!chain.whole) throw new BusError("corrupt", `the log of ${id} is not sound: ${chain.problem}`);
    const entry = decodeEntry(row, `entry ${row.seq} of ${id}`);
    reader.apply(entry);
    for (const commit of commitsOf(entry)) commits.add(commit);
    point = entry;
  }
  const job = reader.job();
  if (point === undefined || job === undefined) throw new CannotStart(`the log of ${id} is empty`);
  if (point.seq < at || at < 1)
    throw new CannotStart(`the log of ${id} holds entries 1 to ${point.seq}: there is no entry ${at}`);
  return { point, job, commits: [...commits] };
}

/** The commit that is the result of the job, where it lies on a branch of its own; null otherwise. */
function resultOf({ job: { record } }: Past): string | null {
  const { delivered } = record;
  return delivered === null || delivered.mode === "merge" ? null : delivered.commit;
}

/** Refs on the commits that are there, then the files (F2). The folder first: refs without one are taken for those of a job that is gone. */
async function takeOver(
  top: string,
  fork: string,
  past: Past,
  missing: ReadonlySet<string>,
  files: readonly string[],
): Promise<void> {
  await mkdir(jobDirectory(top, fork), { recursive: true });
  const commits = past.commits.filter((commit) => !missing.has(commit));
  await keepTaken(top, fork, { commits, result: resultOf(past), home: `job:${past.job.record.job}` });
  await takeFiles(files, join(jobDirectory(top, fork), "files"));
}

/**
 * What the fork's own log begins with: where it comes from; that commits of the past are gone, so that this is no riddle; and turns
 * that were running then give their message back.
 */
function firstDrafts({ point, job }: Past, missing: ReadonlySet<string>, by: string): readonly Draft[] {
  const reason = "the fork runs this turn anew";
  const lost = [...job.configuration.cells()].flatMap((cell) =>
    cell.terminates.length > 0 ? [] : cell.lifecycles.flatMap((one) => (one.kind === "Run" ? [one] : [])),
  );
  const gone = `${missing.size} of the commits that the entries before name are gone`;
  return [
    forkDraft(point),
    ...(missing.size > 0 ? [gcDraft(point.seq + 2, by, gone)] : []),
    ...lost.map(({ thread, turn }): Draft => ({ kind: "rollback", body: { thread, turn, reason } })),
  ];
}

/** Commits without which a tree of the fork cannot be made. */
function neededCommits({ job: { ledger, record } }: Past): readonly string[] {
  const states = ledger.liveTrees().flatMap((tree) => ledger.treeState(tree) ?? []);
  const named = states.flatMap(({ began, artifacts, line, snapshot, conflict }) => [
    began,
    artifacts,
    line,
    snapshot,
    conflict?.commit ?? null,
  ]);
  return [record.base, record.delivered?.commit ?? null, ...named].filter((commit) => commit !== null);
}

function requireCommits(past: Past, missing: ReadonlySet<string>, top: string): void {
  const gone = neededCommits(past).find((commit) => missing.has(commit));
  if (gone === undefined) return;
  throw new CannotStart(
    `entry ${past.point.seq} stands on the commit ${gone}, which is no longer in ${top}: fork at another entry, or bring the commit back`,
  );
}

/** Paths of the files that unread messages carry. */
function requireFiles({ job: { ledger, configuration }, point }: Past, store: string): readonly string[] {
  const waiting = new Set([...messagesWaiting(configuration)].map(({ id }) => id));
  const paths: string[] = [];
  for (const [message, files] of ledger.files) {
    for (const { path, sha256 } of waiting.has(message) ? files : []) {
      const content = join(store, sha256);
      if (!existsSync(content))
        throw new CannotStart(
          `a message that was not read at entry ${point.seq} carries ${path}, and ${content} is gone: fork at another entry`,
        );
      paths.push(content);
    }
  }
  return [...new Set(paths)];
}

/** The contents of a file store are never changed, so both stores may name the same bytes. */
async function takeFiles(paths: readonly string[], store: string): Promise<void> {
  if (paths.length > 0) await mkdir(store, { recursive: true });
  for (const path of paths) {
    const to = join(store, path.slice(path.lastIndexOf("/") + 1));
    if (existsSync(to)) continue;
    await link(path, to).catch(() => copyFile(path, to));
  }
}

/** The first id that no job, branch or anchor has; a branch at `result` is what a fork that was killed has left. */
async function freeId(top: string, wanted: string, result: string | null): Promise<string> {
  const known = new Set(await listJobs(top));
  for (let number = 1; ; number++) {
    const id = number === 1 ? wanted : `${wanted}-${number}`;
    if (!isJobName(id)) throw new CannotStart(`${id} is too long to name a job`);
    const branch = await resolveCommit(top, `refs/heads/cfa/${id}`);
    const taken =
      known.has(id) ||
      (branch !== undefined && branch !== result) ||
      (await readAnchor(top, id)) !== undefined;
    if (!taken) return id;
  }
}

/** Leaves word of the fork with the other job (F3). Its owner takes it up; where there is none, it is written here. */
async function tell(top: string, id: string, item: InboxItem): Promise<void> {
  const bus = openSqliteBus(jobFile(top, id), { job: id, mode: "existing" });
  try {
    await bus.inbox.post(item);
    // Who posts while this process owns the job leaves it to this one, so it looks again when it owns it no more.
    while ((await told(bus)).length > 0 && (await recordTold(top, bus)));
  } finally {
    await bus.close();
  }
}

async function told(bus: Bus): Promise<readonly InboxItem[]> {
  return (await bus.inbox.pending()).filter(({ verb }) => verb === "fork");
}

/** Writes what the inbox tells of forks; false when somebody else owns the job. */
async function recordTold(top: string, bus: Bus): Promise<boolean> {
  const claim = await bus.ownership.claim();
  if ("owner" in claim) return false;
  const items = await told(bus);
  const drafts = items.map((one): Draft => ({ kind: "act", body: { ...one, result: forkAct(one).result } }));
  const { seq: expected } = await bus.log.head();
  const consumed = items.map((one) => one.id);
  const last = (await bus.log.commit({ expected, epoch: claim.epoch, drafts, consumed })).at(-1);
  if (last !== undefined && (await readAnchor(top, bus.job)) !== undefined)
    await gitAnchor(top, bus.job)(last.seq, last.hash);
  await bus.ownership.release(claim.epoch);
  return true;
}
