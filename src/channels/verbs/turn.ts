/**
 * The turn in which a verb is called, found by the variables that cfa gives its agents.
 */
import { z } from "zod";
import type { TurnFacts } from "../../runtime/agents/port.ts";
import { readTurnFacts } from "../../runtime/outbox-facts.ts";
import { noteRefusal } from "../../runtime/outbox-refusals.ts";

/** Environment variables, as `process.env` holds them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What a verb printed and how it ended: 0 done, 1 refused, 2 called wrongly or outside a turn. Texts end with a line end. */
export type VerbResult = { readonly stdout: string; readonly stderr: string; readonly exitCode: 0 | 1 | 2 };

/** A running turn. */
export type Turn = { readonly outbox: string; readonly facts: TurnFacts };

const variablesSchema = z.object({
  CFA_OUTBOX: z.string().startsWith("/"),
  CFA_JOB: z.string().min(1),
  CFA_THREAD: z.string().min(1),
  CFA_TURN: z.string().regex(/^\d+$/),
});

/** Runs `verb` in the turn that the environment names; says so with exit code 2 when there is none. */
export async function inTurn(
  env: Environment,
  name: string,
  verb: (turn: Turn) => Promise<VerbResult>,
): Promise<VerbResult> {
  const variables = variablesSchema.safeParse(env);
  if (!variables.success) {
    const unfit = variables.error.issues.map((issue) => issue.path.join(".")).join(", ");
    return misuse(
      `\`cfa ${name}\` works only inside a turn of an agent that cfa runs (unset or unfit: ${unfit})`,
    );
  }
  const { CFA_OUTBOX: outbox, CFA_JOB: job, CFA_THREAD: thread, CFA_TURN: turn } = variables.data;
  let facts: TurnFacts;
  try {
    facts = await readTurnFacts(outbox);
  } catch (error) {
    return misuse(
      `\`cfa ${name}\` cannot see its turn: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (facts.job !== job || facts.thread !== thread || facts.turn !== Number(turn)) {
    return misuse(`\`cfa ${name}\` belongs to turn ${turn} of ${thread}, which has ended: nothing was done`);
  }
  const result = await verb({ outbox, facts });
  if (result.exitCode !== 0)
    await noteRefusal(outbox, name, result.stderr.replace(/^refused: /, "").trimEnd());
  return result;
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
