/** `cfa verify [JOB | FILE]`: checks a log against the rules and against what is kept outside it. Writes nothing. */
import { verifyLog } from "../../engine/verify.ts";
import type { KnownEntry } from "../../engine/verify-outside.ts";
import { type Context, say } from "../context.ts";
import { Misuse } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { withUncheckedSource } from "../log-source.ts";
import { verdictLines } from "../view/verdict-lines.ts";

/** Options of `cfa verify`. */
export type VerifyOptions = {
  readonly repo?: string | undefined;
  readonly head?: string | undefined;
  readonly json?: boolean | undefined;
};

/** Verifies a log and says which checks were made. */
export async function verifyCommand(
  context: Context,
  word: string | undefined,
  { repo, head, json = false }: VerifyOptions,
): Promise<number> {
  const known = head === undefined ? undefined : knownEntry(head);
  const found = await withUncheckedSource(context, repo, word, ({ file, top }) =>
    verifyLog(file, { top, head: known }),
  );
  const lines = json ? [JSON.stringify(found, null, 2)] : verdictLines(found);
  for (const line of lines) say(context.stdout, line);
  return found.valid ? EXIT.completed : EXIT.invalidLog;
}

/** `HASH` or `SEQ:HASH`. */
function knownEntry(word: string): KnownEntry {
  const [, seq, hash = ""] = /^(?:([1-9]\d{0,14}):)?([0-9a-f]{64})$/.exec(word) ?? [];
  if (hash === "")
    throw new Misuse(
      `"${word}" is no hash of an entry: give 64 hex digits, or SEQ:HASH, as cfa verify prints it`,
    );
  return { seq: seq === undefined ? undefined : Number(seq), hash };
}
