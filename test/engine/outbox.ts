/** The outbox of a running turn as its agent could write it by hand, past every early check; and the sentences of those checks. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Refusal, type ScriptTurn } from "../../src/runtime/agents/script-turn.ts";
import { read, write } from "./fixture.ts";

/** The id of the job whose turn this is. */
export const jobOf = (turn: ScriptTurn): string => /jobs\/([^/]+)\/work/u.exec(turn.workspace)?.[1] ?? "";

/** The directory of the turn's outbox. */
export function outboxOf(turn: ScriptTurn): string {
  const top = turn.workspace.slice(0, turn.workspace.indexOf("/.cfa/"));
  const turns = join(top, ".cfa/jobs", jobOf(turn), "turns");
  const directories = readdirSync(turns).map((serial) => join(turns, serial, String(turn.turn)));
  const own = directories.find((directory) => read(directory, "turn.json").includes(`"${turn.thread}"`));
  if (own === undefined) throw new Error(`there is no outbox of ${turn.thread}`);
  return own;
}

/** Writes a call into the outbox. */
export function writeCall(turn: ScriptTurn, number: number, call: object): void {
  write(outboxOf(turn), `${String(number).padStart(4, "0")}.json`, JSON.stringify(call));
}

/** A task of the first lead in the shape that `cfa send` writes, under the id that its number mints. */
export const taskCall = (turn: ScriptTurn, number: number, to = "worker") => ({
  verb: "send",
  to,
  thread: `dispatch:1.${turn.turn}.${number}`,
  opens: true,
  message: `task ${number}`,
  files: [],
  optional: false,
});

/** The sentence with which a call is refused. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
  return "admitted";
}
