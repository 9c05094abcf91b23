/**
 * The turn in which an agent calls, found by the variables that cfa gives its agents: the same for the command line and for MCP.
 */
import { z } from "zod";
import type { TurnFacts } from "../runtime/agents/port.ts";
import { readTurnFacts } from "../runtime/outbox-facts.ts";

/** Environment variables, as `process.env` holds them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A running turn. */
export type Turn = { readonly outbox: string; readonly facts: TurnFacts };

/** Why there is no turn to call in: the end of a sentence that begins with the name of the call. */
export type NoTurn = { readonly noTurn: string };

const variablesSchema = z.object({
  CFA_OUTBOX: z.string().startsWith("/"),
  CFA_JOB: z.string().min(1),
  CFA_THREAD: z.string().min(1),
  CFA_TURN: z.string().regex(/^\d+$/),
});

/** The turn that the environment names, as its facts stand now; it is none when it has ended. */
export async function findTurn(env: Environment): Promise<Turn | NoTurn> {
  const variables = variablesSchema.safeParse(env);
  if (!variables.success) {
    const unfit = variables.error.issues.map((issue) => issue.path.join(".")).join(", ");
    return { noTurn: `works only inside a turn of an agent that cfa runs (unset or unfit: ${unfit})` };
  }
  const { CFA_OUTBOX: outbox, CFA_JOB: job, CFA_THREAD: thread, CFA_TURN: turn } = variables.data;
  let facts: TurnFacts;
  try {
    facts = await readTurnFacts(outbox);
  } catch (error) {
    return { noTurn: `cannot see its turn: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (facts.job !== job || facts.thread !== thread || facts.turn !== Number(turn)) {
    return { noTurn: `belongs to turn ${turn} of ${thread}, which has ended: nothing was done` };
  }
  return { outbox, facts };
}
