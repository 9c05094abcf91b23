/**
 * A verb on the command line: what it prints and how it ends, inside the turn that its environment names.
 */
import { noteRefusal } from "../../runtime/outbox-refusals.ts";
import { type Environment, findTurn, type Turn } from "../turn.ts";
import { unwritten } from "../unwritten.ts";

/** What a verb printed and how it ended: 0 done, 1 refused, 2 called wrongly or outside a turn. Texts end with a line end. */
export type VerbResult = { readonly stdout: string; readonly stderr: string; readonly exitCode: 0 | 1 | 2 };

/** Runs `verb` in the turn that the environment names; says so with exit code 2 when there is none. */
export async function inTurn(
  env: Environment,
  name: string,
  verb: (turn: Turn) => Promise<VerbResult>,
): Promise<VerbResult> {
  const turn = await findTurn(env);
  if ("noTurn" in turn) return misuse(`\`cfa ${name}\` ${turn.noTurn}`);
  const result = await written(name, () => verb(turn));
  if (result.exitCode !== 0)
    await noteRefusal(turn.outbox, name, result.stderr.replace(/^refused: /, "").trimEnd());
  return result;
}

/** What the disk does not take is said in one sentence. */
async function written(name: string, verb: () => Promise<VerbResult>): Promise<VerbResult> {
  try {
    return await verb();
  } catch (error) {
    const why = unwritten(`\`cfa ${name}\``, error);
    if (why === undefined) throw error;
    return { stdout: "", stderr: `${why}\n`, exitCode: 1 };
  }
}

/** The verb did what was asked. */
export function done(stdout = "", stderr = ""): VerbResult {
  return { stdout, stderr, exitCode: 0 };
}

/** cfa refuses the call. */
export function refusal(sentence: string): VerbResult {
  return { stdout: "", stderr: `refused: ${sentence}\n`, exitCode: 1 };
}

/** The verb was called wrongly, or where it has no meaning. */
export function misuse(sentence: string): VerbResult {
  return { stdout: "", stderr: `${sentence}\n`, exitCode: 2 };
}
