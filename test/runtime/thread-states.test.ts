/** What a thread is doing, and since when, as `cfa status` tells it (src/runtime/thread-states.ts). */
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { JobReader } from "../../src/engine/read-job.ts";
import { decodeEntry } from "../../src/persistence/codec.ts";
import { type Entry, VERSIONS } from "../../src/persistence/entry.ts";
import { openLogFile } from "../../src/persistence/log-file.ts";

/** A recorded log (test/corpus). */
const entriesOf = (name: string): readonly Entry[] =>
  [
    ...openLogFile(
      fileURLToPath(new URL(`../corpus/${VERSIONS.format}/${name}.jsonl`, import.meta.url)),
    ).rows(),
  ].map((row) => decodeEntry(row, `entry ${row.seq}`));

const LEAD = /^state:.*:EXECUTE:1$/;

test("a lead that asks, is interrupted and gets mail: each state with the commit that brought it", () => {
  const entries = entriesOf("questions");
  const reader = new JobReader();
  const course: string[] = [];
  let since = "";
  for (const [at, entry] of entries.entries()) {
    reader.apply(entry);
    if (entries[at + 1]?.round === entry.round) continue;
    const lead = [...reader.ledger.threads.keys()].find((thread) => LEAD.test(thread));
    const found = reader.job()?.ledger.overview.states.of(lead ?? "");
    if (found === undefined || found.since === since) continue;
    expect(found.since).toBe(entry.at);
    since = found.since;
    course.push(found.state);
  }
  const turn = "queued, running";
  const asked = `${turn}, waiting for mail, waiting for the human, waiting for mail`;
  const interrupted = `${turn}, ${turn}, waiting for mail`;
  expect(course.join(", ")).toBe(
    `waiting for mail, ${asked}, ${interrupted}, ${turn}, waiting for mail, ending, ended`,
  );
});

test("a parked job: who would wait for mail is parked, and waits again when it goes on", () => {
  const entries = entriesOf("parked");
  const statesAfter = (wanted: boolean) => {
    const reader = new JobReader();
    const at = entries.findIndex(({ kind, body }) => kind === "park" && body.parked === wanted);
    for (const entry of entries.slice(0, at + 1)) reader.apply(entry);
    const { threads, overview } = reader.job()?.ledger ?? reader.ledger;
    const live = [...threads.values()].filter(({ closed }) => !closed);
    return new Set(live.map(({ thread }) => overview.states.of(thread)?.state));
  };
  expect(statesAfter(true)).toEqual(new Set(["parked"]));
  expect(statesAfter(false)).toEqual(new Set(["waiting for mail"]));
});
