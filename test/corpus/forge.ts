/** Recorded logs of test/corpus, altered and chained anew: what a forger who knows the format can write. */
import { fileURLToPath } from "node:url";
import { type Verification, verifyLog } from "../../src/engine/verify.ts";
import { EMPTY_HEAD, type LogRow, sealRound } from "../../src/persistence/chain.ts";
import { decodeEntry } from "../../src/persistence/codec.ts";
import type { Draft, Entry } from "../../src/persistence/entry.ts";
import { openLogFile } from "../../src/persistence/log-file.ts";

/** An alteration of a log. */
export type Change = (entries: readonly Entry[]) => readonly Entry[];

/** The entries of a recorded log of the present format. */
export function recorded(name: string): readonly Entry[] {
  const file = openLogFile(fileURLToPath(new URL(`1/${name}.jsonl`, import.meta.url)));
  return [...file.rows()].map((row) => decodeEntry(row, `entry ${row.seq} of ${name}`));
}

/** Rows of these entries: numbers, commits and hashes made anew, entries of one round in one commit. */
export function chained(entries: readonly Entry[]): readonly LogRow[] {
  const rows: LogRow[] = [];
  let at = 0;
  while (at < entries.length) {
    const first = entries[at]!;
    const end = entries.findIndex(({ round }, index) => index > at && round !== first.round);
    const commit = entries.slice(at, end < 0 ? entries.length : end);
    const drafts = commit.map(({ kind, body }) => ({ kind, body }) as Draft);
    for (const { row } of sealRound(first.job, rows.at(-1) ?? EMPTY_HEAD, first.at, drafts)) rows.push(row);
    at += commit.length;
  }
  return rows;
}

/** What `cfa verify` says of rows that have nothing beside them. */
export function verified(rows: readonly LogRow[]): Promise<Verification> {
  return verifyLog({
    kind: "export",
    rows: function* (after = 0) {
      for (const row of rows) if (row.seq > after) yield row;
    },
    checkpoint: () => undefined,
    damage: () => undefined,
    close: () => undefined,
  });
}

/** Members of the body of entry `seq`, other than they were. */
export function body(seq: number, patch: object): Change {
  return (entries) => {
    const entry = entries[seq - 1]!;
    return entries.with(seq - 1, { ...entry, body: { ...entry.body, ...patch } } as Entry);
  };
}

/** Members of the definition in the first entry. */
export function definition(patch: object): Change {
  return (entries) => {
    const [first] = entries;
    if (first?.kind !== "open") throw new Error("the log must begin with open");
    return body(1, { definition: { ...(first.body.definition as object), ...patch } })(entries);
  };
}

/** Members of the message that entry `seq` posts. */
export function mail(seq: number, patch: object): Change {
  return (entries) => {
    const entry = entries[seq - 1]!;
    if (entry.kind !== "post") throw new Error(`entry ${seq} must be a post`);
    return body(seq, { message: { ...entry.body.message, ...patch } })(entries);
  };
}

/** Members of a message or of all payloads in the choice of entry `seq`. */
export function choice(seq: number, name: "x" | "y" | "x'" | "a" | "ps", patch: object): Change {
  return (entries) => {
    const entry = entries[seq - 1]!;
    if (entry.kind !== "fire") throw new Error(`entry ${seq} must be a firing`);
    const { choice: chosen = {} } = entry.body;
    const value =
      name === "ps"
        ? (chosen.ps ?? []).map((one) =>
            one.kind === "deliver" ? { ...one, message: { ...one.message, ...patch } } : one,
          )
        : { ...chosen[name], ...patch };
    return body(seq, { choice: { ...chosen, [name]: value } })(entries);
  };
}

/** Without the entries of these numbers. */
export function without(...seqs: readonly number[]): Change {
  return (entries) => entries.filter(({ seq }) => !seqs.includes(seq));
}

/** The log up to entry `seq`. */
export function until(seq: number): Change {
  return (entries) => entries.slice(0, seq);
}

/** With an entry after entry `seq`: in a commit of its own, or in that of entry `seq`. */
export function after(seq: number, draft: object, where: "apart" | "within" = "apart"): Change {
  return (entries) => {
    const before = entries.find((entry) => entry.seq === seq)!;
    const at = entries.indexOf(before) + 1;
    const round = where === "within" ? before.round : -entries.length;
    return entries.toSpliced(at, 0, { ...before, ...draft, seq: 0, round } as Entry);
  };
}

/** A copy of entry `of` after entry `seq`, with other members in its body. */
export function copied(of: number, seq: number, patch: object = {}, where?: "apart" | "within"): Change {
  return (entries) => {
    const { kind, body: same } = entries.find((entry) => entry.seq === of)!;
    return after(seq, { kind, body: { ...same, ...patch } }, where)(entries);
  };
}

/** One alteration after the other. */
export function all(...changes: readonly Change[]): Change {
  return (entries) => changes.reduce((log, change) => change(log), entries);
}
