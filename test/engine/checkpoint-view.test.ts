/** What `cfa status` shows from a checkpoint and the entries after it is what it shows from the whole log, and reads no more of it. */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JobViewer, type JobView, type ThreadView } from "../../src/cli/view/job-view.ts";
import { checkpointOf, openFolds, readCheckpoint } from "../../src/engine/checkpoint.ts";
import { JobReader } from "../../src/engine/read-job.ts";
import { decodeEntry } from "../../src/persistence/codec.ts";
import { type Draft, type Entry, VERSIONS } from "../../src/persistence/entry.ts";
import { openLogFile } from "../../src/persistence/log-file.ts";
import { memoryBus } from "../../src/persistence/memory.ts";
import type { JobLog } from "../../src/persistence/ports.ts";
import { stallFailure } from "../../src/runtime/stall.ts";
import { note } from "../persistence/contract.ts";

const CORPUS = fileURLToPath(new URL(`../corpus/${VERSIONS.format}/`, import.meta.url));
const recorded = (name: string): readonly Entry[] =>
  [...openLogFile(`${CORPUS}${name}.jsonl`).rows()].map((row) => decodeEntry(row, `entry ${row.seq}`));

/** The log with every failure of a turn turned into a stall. */
const stalled = (entries: readonly Entry[]): readonly Entry[] =>
  entries.map((entry) =>
    entry.kind === "turn" && entry.body.result === "failed"
      ? { ...entry, body: { ...entry.body, failure: stallFailure(60_000) } }
      : entry,
  );

const names = readdirSync(CORPUS).flatMap((file) => /^(.*)\.jsonl$/.exec(file)?.[1] ?? []);
const LOGS: readonly (readonly [string, readonly Entry[]])[] = [
  ...names.map((name) => [name, recorded(name)] as const),
  ["failed, by stalls", stalled(recorded("failed"))],
];

const folded = (entries: readonly Entry[], reader = new JobReader()): JobReader => {
  for (const entry of entries) reader.apply(entry);
  return reader;
};
const viewOf = (reader: JobReader): JobView => new JobViewer(reader).view();
const threadsOf = (thread: ThreadView): readonly ThreadView[] => [
  thread,
  ...thread.children.flatMap(threadsOf),
];

/** The folds as they come back from their checkpoint. */
function saved(reader: JobReader): JobReader {
  const job = reader.job();
  if (job === undefined) return new JobReader();
  const reading = readCheckpoint(checkpointOf(job));
  if ("ignored" in reading) throw new Error(reading.ignored);
  return new JobReader(reading.saved);
}

/** Numbers of the entries with which commits end: there checkpoints stand. */
const commitEnds = (entries: readonly Entry[]): readonly number[] =>
  entries.flatMap(({ seq, round }, at) => (entries[at + 1]?.round === round ? [] : [seq]));

describe.each(LOGS)("%s", (_, entries) => {
  test("from a checkpoint at the end of any commit: the same view", () => {
    const whole = viewOf(folded(entries));
    const reader = new JobReader();
    for (const [at, entry] of entries.entries()) {
      reader.apply(entry);
      if (entries[at + 1]?.round === entry.round) continue;
      const again = saved(reader);
      expect(viewOf(again)).toEqual(viewOf(reader));
      expect(viewOf(folded(entries.slice(at + 1), again))).toEqual(whole);
    }
  });

  test("property: from checkpoints of checkpoints, wherever they stand, looked at in between or not", () => {
    const whole = viewOf(folded(entries));
    const cuts = fc.uniqueArray(fc.constantFrom(...commitEnds(entries)), { maxLength: 5 });
    fc.assert(
      fc.property(cuts, fc.boolean(), (places, often) => {
        let reader = new JobReader();
        for (const entry of entries) {
          reader.apply(entry);
          if (often) viewOf(reader);
          if (places.includes(entry.seq)) reader = saved(reader);
        }
        expect(viewOf(reader)).toEqual(whole);
      }),
      { numRuns: 20 },
    );
  });

  test("no entry changes the state of a thread without its being noticed", () => {
    const reader = new JobReader();
    for (const entry of entries) {
      reader.apply(entry);
      const { ledger, configuration } = reader.job() ?? { ledger: reader.ledger, configuration: undefined };
      if (configuration === undefined) continue;
      const { states } = ledger.overview;
      for (const [thread, record] of ledger.threads)
        expect([entry.seq, thread, states.of(thread)?.state]).toEqual([
          entry.seq,
          thread,
          states.stateIn(configuration, thread, record),
        ]);
    }
  });
});

test("the logs show every state that a thread can be in", () => {
  const seen = new Set<string>();
  for (const [, entries] of LOGS) {
    const reader = new JobReader();
    for (const entry of entries) {
      reader.apply(entry);
      for (const { state } of threadsOf(viewOf(reader).threads)) seen.add(state);
    }
  }
  expect([...seen].toSorted()).toEqual([
    "ended",
    "ending",
    "parked",
    "queued",
    "running",
    "sending",
    "stalled",
    "waiting for mail",
    "waiting for the human",
  ]);
});

describe("with a checkpoint as many entries are read as come after it, and the one that it stands at", () => {
  /** A log of `length` entries with a checkpoint ten before its end, and how many of them are read. */
  async function readOf(length: number): Promise<{ readonly read: number; readonly view: JobView }> {
    const drafts: Draft[] = recorded("parked").map(draftOf);
    while (drafts.length < length) drafts.push(note("one more"));
    const { log, ownership } = memoryBus("demo");
    const claim = await ownership.claim();
    if ("owner" in claim) throw new Error("somebody owns a job that is new");
    const { epoch } = claim;
    const append = async (some: readonly Draft[]) => {
      const { seq } = await log.head();
      await log.commit({ expected: seq, epoch, drafts: some, consumed: [] });
    };
    await append(drafts.slice(0, -10));
    const job = (await openFolds(log)).reader.job();
    if (job === undefined) throw new Error("the log is empty");
    await log.saveCheckpoint(checkpointOf(job));
    await append(drafts.slice(-10));
    let read = 0;
    const counted: JobLog = {
      ...log,
      read: async function* (after, upTo) {
        for await (const entry of log.read(after, upTo)) {
          read += 1;
          yield entry;
        }
      },
    };
    const { reader } = await openFolds(counted);
    return { read, view: viewOf(reader) };
  }

  test.each([200, 2_000, 20_000])("of %i", async (length) => {
    const { read, view } = await readOf(length);
    expect(read).toBe(11);
    expect(view.ended).toBe(true);
    expect(view.spent.turns).toBeGreaterThan(0);
  });
});

/** An entry without its place. */
function draftOf(entry: Entry): Draft {
  const { job: _job, seq: _seq, round: _round, at: _at, prev: _prev, hash: _hash, ...draft } = entry;
  return draft;
}
