/**
 * Whatever is changed in a copy of a real log is found (docs/log.md, "What `cfa verify` checks"): by the chain, and where a forger
 * has made the chain anew, by the rules or by a hash that somebody has kept.
 */
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { verifyLog } from "../../src/engine/verify.ts";
import { EMPTY_HEAD, type LogRow, rechained } from "../../src/persistence/chain.ts";
import { decodeEntry } from "../../src/persistence/codec.ts";
import { openLogFile } from "../../src/persistence/log-file.ts";
import { COMPLETE } from "../../src/rules/complete.ts";
import { fileOf } from "./log-fixture.ts";

type Rows = readonly LogRow[];

const read = (name: string): Rows => [
  ...openLogFile(fileURLToPath(new URL(`../corpus/1/${name}.jsonl`, import.meta.url))).rows(),
];

const LOGS: ReadonlyMap<string, Rows> = new Map(
  ["done", "conflict", "questions", "withdrawn", "lost-turn"].map((name) => [name, read(name)]),
);
const rowsOf = (name: string): Rows => LOGS.get(name) ?? [];
const log = fc.constantFrom(...LOGS.keys());

/** Verifications of one property; each takes some 10 ms. */
const RUNS = { numRuns: 300 };

/** A log and a place in it, 0 being its first row. */
const place = log.chain((name) => fc.tuple(fc.constant(name), fc.nat(rowsOf(name).length - 1)));

/** A log and two places in it that do not say the same. */
const twoPlaces = log
  .chain((name) => {
    const at = fc.nat(rowsOf(name).length - 1);
    return fc.tuple(fc.constant(name), at, at);
  })
  .filter(([name, one, other]) => rowsOf(name)[one]!.body !== rowsOf(name)[other]!.body);

/** Changes one character of a text: which one, and the bits of it that flip. */
const flip = fc
  .tuple(fc.nat(), fc.integer({ min: 1, max: 127 }))
  .map(([number, bits]) => (text: string): string => {
    const at = number % text.length;
    return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ bits) + text.slice(at + 1);
  });

/** Numbers, predecessors and hashes made anew, as a forger would. */
function chained(rows: Rows): Rows {
  let prev = EMPTY_HEAD.hash;
  return rows.map((row, at) => {
    const next = rechained({ ...row, seq: at + 1 }, row.job, prev);
    prev = next.hash;
    return next;
  });
}

/** The rows with what stands at two places exchanged; commits and their times stay where they are. */
function exchanged(rows: Rows, one: number, other: number): Rows {
  const moved = (from: number, to: number): LogRow => {
    const { round, at } = rows[to]!;
    return { ...rows[from]!, round, at };
  };
  return rows.with(one, moved(other, one)).with(other, moved(one, other));
}

const verdictOn = (rows: Rows) => verifyLog(fileOf(() => rows));

/** The verdict of somebody who has kept the hash of the log's newest entry. */
function verdictOfKeeper(rows: Rows, original: Rows) {
  const { seq, hash } = original.at(-1)!;
  return verifyLog(
    fileOf(() => rows),
    { head: { seq, hash } },
  );
}

test("a byte of any member of any entry: the entry is named", async () => {
  const member = fc.constantFrom("body", "hash", "prev", "kind", "at", "job");
  await fc.assert(
    fc.asyncProperty(place, member, flip, async ([name, at], what, change) => {
      const row = rowsOf(name)[at]!;
      const { valid, offence } = await verdictOn(
        rowsOf(name).with(at, { ...row, [what]: change(row[what]) }),
      );
      expect([valid, offence?.check, offence?.seq]).toEqual([false, "chain", row.seq]);
    }),
    RUNS,
  );
});

test("any two entries exchanged: the first that stands in the wrong place is named", async () => {
  await fc.assert(
    fc.asyncProperty(twoPlaces, async ([name, one, other]) => {
      const rows = rowsOf(name);
      const { valid, offence } = await verdictOn(rows.with(one, rows[other]!).with(other, rows[one]!));
      expect([valid, offence?.seq]).toEqual([false, Math.max(one, other) + 1]);
    }),
    RUNS,
  );
});

/** A log and a firing in it. */
const firing = log.chain((name) => {
  const firings = rowsOf(name).flatMap((row, at) => (row.kind === "fire" ? [at] : []));
  return fc.tuple(fc.constant(name), fc.constantFrom(...firings));
});

/** The log with another body at a firing, its chain made anew. */
function refired(
  rows: Rows,
  at: number,
  change: (body: { rule: string; at: Record<string, string> }) => object,
) {
  const entry = decodeEntry(rows[at]!, "a row");
  if (entry.kind !== "fire") throw new Error(`${entry.kind} is no firing`);
  const body = JSON.stringify({ at: entry.body.at, choice: entry.body.choice, ...change(entry.body) });
  return chained(rows.with(at, { ...rows[at]!, body }));
}

test("another rule at any firing, the chain made anew: refused there, or when its effect is missed, at most two entries on", async () => {
  const rule = fc.constantFrom(...COMPLETE.map(({ id }) => id));
  await fc.assert(
    fc.asyncProperty(firing, rule, async ([name, at], other) => {
      const rows = rowsOf(name);
      fc.pre(!rows[at]!.body.includes(`"rule":"${other}"`));
      const { valid, offence } = await verdictOn(refired(rows, at, () => ({ rule: other })));
      const late = (offence?.seq ?? Infinity) - (at + 1);
      expect({ valid, there: late >= 0 && late <= 2 }).toEqual({ valid: false, there: true });
    }),
    RUNS,
  );
});

test("a byte of a rule id or of what a firing names, the chain made anew: refused there", async () => {
  await fc.assert(
    fc.asyncProperty(firing, fc.nat(), flip, async ([log, at], number, change) => {
      const forged = refired(rowsOf(log), at, (body) => {
        const names = Object.keys(body.at);
        const name = names[number % (names.length + 1)];
        if (name === undefined) return { rule: change(body.rule) };
        return { rule: body.rule, at: { ...body.at, [name]: change(body.at[name] ?? "") } };
      });
      const { valid, offence } = await verdictOn(forged);
      expect([valid, offence?.seq]).toEqual([false, at + 1]);
    }),
    RUNS,
  );
});

test("any byte of any body, the chain made anew: nobody who has kept the newest hash believes it", async () => {
  await fc.assert(
    fc.asyncProperty(place, flip, async ([name, at], change) => {
      const rows = rowsOf(name);
      const forged = chained(rows.with(at, { ...rows[at]!, body: change(rows[at]!.body) }));
      const { valid, offence } = await verdictOfKeeper(forged, rows);
      // What belongs together stands in one commit: which of two entries that disagree is wrong nobody can tell.
      const commit = rows.find(({ round }) => round === rows[at]!.round)!;
      expect({ valid, named: offence!.seq >= commit.seq }).toEqual({ valid: false, named: true });
    }),
    RUNS,
  );
});

test("any two entries exchanged, the chain made anew: nobody who has kept the newest hash believes it", async () => {
  await fc.assert(
    fc.asyncProperty(twoPlaces, async ([name, one, other]) => {
      const rows = rowsOf(name);
      const { valid } = await verdictOfKeeper(chained(exchanged(rows, one, other)), rows);
      expect(valid).toBe(false);
    }),
    RUNS,
  );
});
