/** `cfa verify`: a changed log is invalid, whatever was changed, and the first entry that should not be there is named. */
import { beforeAll, describe, expect, test } from "vitest";
import { verifyLog } from "../../src/engine/verify.ts";
import { EMPTY_HEAD, type LogRow, sealRound } from "../../src/persistence/chain.ts";
import { decodeRow, encodeRow } from "../../src/persistence/codec.ts";
import type { Draft, Entry } from "../../src/persistence/entry.ts";
import { openLogFile } from "../../src/persistence/log-file.ts";
import { gitAnchor, readAnchor } from "../../src/runtime/workspaces/anchor-ref.ts";
import type { Script } from "../../src/runtime/agents/script-turn.ts";
import { approve, git, makeEngine, makePlace, runJob } from "./fixture.ts";
import { fileOf, smallJob, type SmallJob } from "./log-fixture.ts";

let small: SmallJob;
beforeAll(async () => {
  small = await smallJob();
});

const verifyRowsOf = (rows: readonly LogRow[]) => verifyLog(fileOf(() => rows));

test("the log of a real job is valid: in its database, and as rows without anything else", async () => {
  const file = openLogFile(small.database);
  const { top } = small.place;
  const whole = await verifyLog(file, { top, head: { seq: undefined, hash: small.rows.at(-3)!.hash } });
  file.close();
  expect(whole).toMatchObject({
    valid: true,
    job: small.job,
    entries: small.rows.length,
    offence: null,
    remarks: [],
  });
  const made = [
    "chain",
    "opening",
    "rules",
    "rounds",
    "turns",
    "restarts",
    "mail",
    "acts",
    "proxies",
    "questions",
    "answers",
    "definition",
    "trees",
    "job",
    "forks",
    "caches",
    "anchor",
    "head",
    "commits",
    "pages",
  ];
  expect(whole.made.map(({ check }) => check)).toEqual(made);
  expect(whole.notMade).toEqual([]);
  const alone = await verifyRowsOf(small.rows);
  expect(alone).toMatchObject({ valid: true, head: small.rows.at(-1)!.hash });
  expect(alone.notMade.map(({ check }) => check)).toEqual(["anchor", "commits", "head", "caches"]);
});

test("every changed byte of every exported entry is noticed, and the entry is named", async () => {
  const lines = small.rows.map(encodeRow);
  for (const [index, line] of lines.entries()) {
    const places = [0.02, 0.2, 0.4, 0.6, 0.8, 0.99].map((part) => Math.floor(part * line.length));
    for (const place of places) {
      const code = line.charCodeAt(place);
      const changed = `${line.slice(0, place)}${String.fromCharCode(code ^ 1)}${line.slice(place + 1)}`;
      const file = fileOf(function* () {
        for (const [at, one] of lines.entries()) yield decodeRow(at === index ? changed : one, at + 1);
      });
      const { valid, offence } = await verifyLog(file);
      expect({ valid, seq: offence?.seq, line }).toEqual({ valid: false, seq: index + 1, line });
    }
  }
});

describe("a row that was changed in the database, its hash left as it is:", () => {
  const hex = (text: string) => `${text.startsWith("0") ? "1" : "0"}${text.slice(1)}`;
  test.each<[string, (row: LogRow) => LogRow]>([
    [
      "body",
      (row) => ({ ...row, body: row.body.replace(/[a-z]/, (letter) => (letter === "z" ? "y" : "z")) }),
    ],
    ["hash", (row) => ({ ...row, hash: hex(row.hash) })],
    ["predecessor", (row) => ({ ...row, prev: hex(row.prev) })],
    ["kind", (row) => ({ ...row, kind: row.kind === "note" ? "act" : "note" })],
    [
      "time",
      (row) => ({ ...row, at: row.at.replace(/\d{3}Z$/, (end) => (end === "111Z" ? "112Z" : "111Z")) }),
    ],
    ["commit", (row) => ({ ...row, round: row.round + 1 })],
    ["number", (row) => ({ ...row, seq: row.seq + 1 })],
  ])("%s", async (_, change) => {
    for (const [index, row] of small.rows.entries()) {
      const { valid, offence } = await verifyRowsOf(small.rows.with(index, change(row)));
      expect({ valid, seq: offence?.seq }).toEqual({ valid: false, seq: change(row).seq });
    }
  });

  test("order: two neighbours swapped, one left out, one doubled", async () => {
    const { rows } = small;
    for (let at = 0; at + 1 < rows.length; at++) {
      const [one, other] = [rows[at]!, rows[at + 1]!];
      for (const changed of [
        rows.with(at, other).with(at + 1, one),
        rows.toSpliced(at, 1),
        rows.toSpliced(at + 1, 0, one),
      ]) {
        const { offence } = await verifyRowsOf(changed);
        expect(offence).toMatchObject({ check: "chain" });
        expect([at + 1, at + 2]).toContain(offence?.seq);
      }
    }
  });
});

/** The log with other entries, chained anew as its forger would. */
function forged(change: (entries: readonly Entry[]) => readonly Entry[]): readonly LogRow[] {
  const rounds = new Map<number, Entry[]>();
  for (const entry of change(small.entries))
    rounds.set(entry.round, [...(rounds.get(entry.round) ?? []), entry]);
  let head: Parameters<typeof sealRound>[1] = EMPTY_HEAD;
  const rows: LogRow[] = [];
  for (const entries of rounds.values()) {
    const drafts = entries.map(({ kind, body }) => ({ kind, body }) as Draft);
    for (const { row } of sealRound(small.job, head, entries[0]!.at, drafts)) {
      rows.push(row);
      head = row;
    }
  }
  return rows;
}

type Fits = (entry: Entry) => boolean;
const fires =
  (rule: string, at: Readonly<Record<string, string>> = {}): Fits =>
  ({ kind, body }) =>
    kind === "fire" &&
    body.rule === rule &&
    Object.entries(at).every(([name, value]) => body.at[name] === value);
const ofKind =
  (kind: Entry["kind"]): Fits =>
  (entry) =>
    entry.kind === kind;

const sendingTurn: Fits = ({ kind, body }) => kind === "turn" && body.agent === "worker";

const without = (fits: Fits) => (entries: readonly Entry[]) => {
  const at = entries.findIndex(fits);
  return entries.toSpliced(at, 1);
};

const changed = (fits: Fits, body: object) => (entries: readonly Entry[]) => {
  const at = entries.findIndex(fits);
  const entry = entries[at]!;
  return entries.with(at, { ...entry, body: { ...entry.body, ...body } } as Entry);
};

describe("a forged log whose chain is whole is refused by", () => {
  test.each<[string, string, (entries: readonly Entry[]) => readonly Entry[], RegExp]>([
    ["opening: no first entry", "opening", without(ofKind("open")), /first entry must be open/],
    [
      "versions: a newer one",
      "versions",
      changed(ofKind("open"), { versions: { format: 2, threads: 1, states: 1 } }),
      /format is version 2/,
    ],
    [
      "rules: a firing of another rule",
      "rules",
      changed(fires("spark"), { rule: "send" }),
      /send does not match with .* it needs Send\(B,t,deliver/,
    ],
    [
      "rules: a rule that there is not",
      "rules",
      changed(fires("wake"), { rule: "wakes" }),
      /no rule "wakes"/,
    ],
    ["rules: a spark without its workspace", "rules", without(ofKind("workspace")), /ready\(t'\)/],
    ["rules: an answer that nobody was asked for", "rules", without(fires("escalate")), /needs AskHuman/],
    [
      "rules: mail to a thread that has ended",
      "rules",
      (entries) => moveToEnd(entries, ofKind("post")),
      /has ended/,
    ],
    ["turns: a choice without its turn", "turns", without(ofKind("turn")), /record of the turn .* before it/],
    ["turns: another number", "turns", changed(ofKind("turn"), { turn: 7 }), /turn 7, and turn 1 runs/],
    [
      "turns: another agent",
      "turns",
      changed(ofKind("turn"), { agent: "helper" }),
      /names helper, and lead runs/,
    ],
    [
      "turns: a failed one that sends",
      "turns",
      changed(sendingTurn, { result: "failed", failure: "x" }),
      /must be nosend-step/,
    ],
    [
      "turns: one called aborted that nothing has taken the place of",
      "turns",
      changed(ofKind("turn"), { result: "aborted" }),
      /nothing has taken the place of turn 1/,
    ],
    ["answers: one without the act", "answers", without(ofKind("act")), /act in its commit/],
    [
      "job: a transition to elsewhere",
      "job",
      changed(ofKind("transition"), { to: "DONE" }),
      /leads to PLAN, not to DONE/,
    ],
    [
      "job: a transition from elsewhere",
      "job",
      changed(ofKind("transition"), { from: "PLAN" }),
      /the job is in INTENT/,
    ],
    [
      "job: an action that a skill may not take",
      "job",
      changed(ofKind("transition"), { action: "FAILURE", to: "FAILURE" }),
      /cannot come from the skill/,
    ],
    [
      "job: a reason that the record does not give",
      "job",
      changed(ofKind("transition"), { reason: "better" }),
      /its record says APPROVED_INTENT: good/,
    ],
    [
      "job: a record that no turn left",
      "job",
      changed(ofKind("transition"), { record: "{}" }),
      /outcome record that the newest turn/,
    ],
    [
      "definition: a turn by somebody who is no fallback",
      "definition",
      changed(ofKind("turn"), { by: "helper" }),
      /helper is not the fallback of lead/,
    ],
    [
      "definition: a start of somebody who is no fallback",
      "definition",
      changed(ofKind("start"), { by: "helper" }),
      /helper is not the fallback of lead/,
    ],
    [
      "definition: a fallback without a failed turn before",
      "definition",
      (entries) => changed(ofKind("turn"), { by: "helper" })(withFallback(entries, "lead", "helper")),
      /after a failed turn only/,
    ],
    ["job: a transition that nobody decided", "job", withoutDecision, /choice of the orchestrator/],
    [
      "job: a delivery before DONE",
      "job",
      (entries) => moveBefore(entries, ofKind("deliver"), ofKind("transition")),
      /only DONE delivers/,
    ],
  ])("%s", async (_, check, change, problem) => {
    const { valid, offence } = await verifyRowsOf(forged(change));
    expect({ valid, check: offence?.check }).toEqual({ valid: false, check });
    expect(offence?.problem).toMatch(problem);
  });

  function withFallback(entries: readonly Entry[], agent: string, fallback: string): readonly Entry[] {
    const [first] = entries;
    if (first?.kind !== "open") throw new Error("the log begins with open");
    const definition = structuredClone(first.body.definition) as { agents: Record<string, object> };
    Object.assign(definition.agents[agent] ?? {}, { fallback });
    return changed(ofKind("open"), { definition })(entries);
  }

  function moveToEnd(entries: readonly Entry[], fits: Fits): readonly Entry[] {
    const at = entries.findIndex(fits);
    const round = entries.at(-1)!.round + 1;
    return [...entries.toSpliced(at, 0), { ...entries[at]!, round }];
  }

  function moveBefore(entries: readonly Entry[], what: Fits, where: Fits): readonly Entry[] {
    const moved = entries.find(what)!;
    const at = entries.findIndex(where);
    return entries.toSpliced(at, 0, { ...moved, round: entries[at]!.round });
  }

  function withoutDecision(entries: readonly Entry[]): readonly Entry[] {
    const at = entries.findIndex(ofKind("transition"));
    return entries.toSpliced(at + 1, entries.length).slice(0, at + 1);
  }
});

test("two firings that need the same molecule are not one round", async () => {
  const merged = forged((entries) => {
    const at = entries.findIndex(fires("send-empty"));
    const round = entries[at]!.round;
    return entries.map((entry) => (entry.round === round - 1 ? { ...entry, round } : entry));
  });
  const { offence } = await verifyRowsOf(merged);
  expect(offence).toMatchObject({ check: "rounds" });
});

test("an offence shows the claim, what the rule needs, and what is there", async () => {
  const { offence } = await verifyRowsOf(forged(changed(fires("spark"), { rule: "send" })));
  expect(offence?.claim).toMatch(/^send A=lead B=orchestrator t=job:\S+ t'=state:\S+:INTENT:1$/);
  expect(offence?.problem).toContain("Send(B,t,deliver(A,t',x)·ms) ‖ Mailbox(A,t',q)");
  expect(offence?.found.join()).toContain("Send(orchestrator,job:");
});

describe("the anchor", () => {
  const at = (count: number) =>
    verifyLog(
      fileOf(() => small.rows.slice(0, count)),
      { top: small.place.top },
    );

  test("is at the newest entry after a clean exit; a log that was cut at a commit is invalid", async () => {
    const last = small.rows.at(-1)!;
    expect(await readAnchor(small.place.top, small.job)).toEqual({ seq: last.seq, hash: last.hash });
    const cut = small.rows.findLastIndex(({ round }) => round < last.round) + 1;
    const { valid, offence } = await at(cut);
    expect({ valid, check: offence?.check }).toEqual({ valid: false, check: "anchor" });
    expect(offence?.problem).toContain(`entry ${last.seq} is known with the hash ${last.hash}`);
  });

  test("is there while the first turn runs: a log that is lost then is not begun anew", async () => {
    const place = makePlace();
    const seen: string[] = [];
    const lead: Script = async (turn) => {
      const [, job = ""] = turn.thread.split(":");
      const anchored = () => readAnchor(place.top, job);
      await expect.poll(anchored, { timeout: 5000 }).toMatchObject({ seq: expect.any(Number) });
      seen.push(`${turn.state} ${turn.turn}`);
      return approve(turn);
    };
    await runJob({}, { lead }, { place, engine: makeEngine({}) });
    expect(seen).toEqual(["INTENT 1", "PLAN 1", "EXECUTE 1"]);
  });

  test("never goes back, and a longer log is said", async () => {
    const { top } = small.place;
    const anchor = gitAnchor(top, small.job);
    const last = small.rows.at(-1)!;
    await anchor(3, small.rows[2]!.hash);
    expect(await readAnchor(top, small.job)).toEqual({ seq: last.seq, hash: last.hash });
    git(top, "update-ref", "-d", `refs/cfa/${small.job}/anchor`);
    await gitAnchor(top, small.job)(3, small.rows[2]!.hash);
    const { valid, remarks } = await at(small.rows.length);
    expect(valid).toBe(true);
    expect(remarks).toEqual([`the log is longer than its anchor by ${last.seq - 3} entries`]);
  });

  test("with another hash than the entry is an offence at that entry", async () => {
    const other = forged(changed(ofKind("post"), { origin: "engine" }));
    const found = await verifyLog(
      fileOf(() => other),
      { top: small.place.top },
    );
    expect(found.offence).toMatchObject({
      check: "anchor",
      seq: 3,
      problem: expect.stringContaining("written anew"),
    });
  });
});

test.each<[string, (rows: readonly LogRow[]) => { seq: number | undefined; hash: string }, RegExp]>([
  ["of an entry that was cut off", (rows) => ({ seq: rows.length + 1, hash: "f".repeat(64) }), /it was cut/],
  ["that no entry has", () => ({ seq: undefined, hash: "f".repeat(64) }), /cut before it, or written anew/],
  ["of another entry", (rows) => ({ seq: 2, hash: rows[2]!.hash }), /written anew/],
])("a kept hash %s makes the log invalid", async (_, head, problem) => {
  const { valid, offence } = await verifyLog(
    fileOf(() => small.rows),
    { head: head(small.rows) },
  );
  expect(valid).toBe(false);
  expect(offence).toMatchObject({ check: "head", problem: expect.stringMatching(problem) });
});

test("a commit that the repository does not hold is named with its entry", async () => {
  const gone = "0123456789".repeat(4);
  const rows = forged(changed(ofKind("turn"), { commit: gone }));
  git(small.place.top, "update-ref", "-d", `refs/cfa/${small.job}/anchor`);
  const { offence } = await verifyLog(
    fileOf(() => rows),
    { top: small.place.top },
  );
  expect(offence).toMatchObject({ check: "commits", problem: expect.stringContaining(gone) });
  expect(offence?.claim).toMatch(/^turn 1 of lead on state:/);
});

test("an empty log is invalid", async () => {
  expect((await verifyRowsOf([])).offence?.problem).toContain("the log is empty");
});
