/**
 * The outcome record: what the bytes of `.cfa/outcome.json` mean for the state whose lead wrote them (CfA §4).
 *
 * R1. No record is PENDING: the state carries over.
 * R2. A record is a JSON object of exactly two texts, `outcome` and `reason`; anything else is a violation.
 * R3. `outcome` is one of the actions that the state's skill may emit, in exactly this spelling; FAILURE, PENDING,
 *     an unknown word and an action of another state are violations (docs/job.md, "The outcome record").
 * R4. Nothing is guessed: a violation never moves the job, it names what is wrong and what may be written.
 */
import { z } from "zod";
import { type Action, type LiveState, PENDING, isAction, skillOutcomes } from "./machine.ts";

/** Largest record that is read, bytes. */
export const OUTCOME_BYTES_MAX = 64 * 1024;

/** What a record says. `problem` is one sentence for the lead: what is wrong, and what to write. */
export type Verdict =
  | { readonly verdict: "pending" }
  | { readonly verdict: "action"; readonly action: Action; readonly reason: string }
  | { readonly verdict: "violation"; readonly problem: string };

const recordSchema = z.strictObject({ outcome: z.string(), reason: z.string() });
const SHAPE = `write {"outcome": "…", "reason": "…"}`;

/**
 * Judges the record that the lead of `state` left.
 * @param bytes text of the file as it was found, null when there is none.
 */
export function judgeRecord(state: LiveState, bytes: string | null): Verdict {
  if (bytes === null) return { verdict: "pending" };
  if (Buffer.byteLength(bytes) > OUTCOME_BYTES_MAX) {
    return violation(`is larger than ${OUTCOME_BYTES_MAX / 1024} KiB; ${SHAPE} with a short reason`);
  }
  if (bytes === "")
    return violation(`is not JSON: it has no text, or is no regular file of at most 64 KiB; ${SHAPE}`);
  const json = parseJson(bytes);
  if (json === undefined) return violation(`is not JSON; ${SHAPE}`);
  const record = recordSchema.safeParse(json.value);
  if (!record.success) return violation(`${describe(record.error)}; ${SHAPE}`);
  return judgeWord(state, record.data.outcome, record.data.reason);
}

function judgeWord(state: LiveState, outcome: string, reason: string): Verdict {
  const allowed = skillOutcomes(state);
  if (isAction(outcome) && allowed.includes(outcome)) return { verdict: "action", action: outcome, reason };
  const choice = `write one of ${allowed.join(", ")}`;
  if (outcome === PENDING) {
    return violation(`names PENDING, which is no outcome; ${choice}, or no record to go on`);
  }
  if (outcome === "FAILURE") return violation(`names FAILURE, which only the orchestrator emits; ${choice}`);
  if (isAction(outcome)) return violation(`names ${outcome}, which ${state} cannot emit; ${choice}`);
  return violation(`names the unknown outcome ${JSON.stringify(outcome.slice(0, 80))}; ${choice}`);
}

function violation(problem: string): Verdict {
  return { verdict: "violation", problem: `.cfa/outcome.json ${problem}` };
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Says which field of the record is wrong; all at once. */
function describe(error: z.ZodError): string {
  return error.issues
    .map((issue) => {
      if (issue.code === "unrecognized_keys") return `has the unknown key ${JSON.stringify(issue.keys[0])}`;
      const field = issue.path[0];
      return field === undefined ? "is no JSON object" : `has no text as "${String(field)}"`;
    })
    .join(" and ");
}
