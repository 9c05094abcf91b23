/**
 * A default answer counts when its time has come and nobody has answered: once, as a recorded act, and never under `always`.
 *
 * D1. What was agreed on stands in the `turn` with which the question was asked; the time counts from that entry.
 * D2. The act brings the reply in its commit, and that reply is the answer, word by word.
 */
import type { Entry } from "../../src/persistence/entry.ts";
import type { Step } from "../../src/persistence/verify.ts";
import { DEFAULT_ANSWERER } from "../../src/runtime/questions.ts";
import type { Checker } from "../evidence.ts";

type Agreed = { readonly answer: string; readonly due: number };

/** See the header. */
export const defaults: Checker = {
  name: "defaults",
  says: "a default answer is given once, when it is due and nobody has answered, and is the answer",
  check: ({ steps }) => {
    const agreed = new Map<string, Agreed>();
    const given = new Set<string>();
    for (const [at, { entry }] of steps.entries()) {
      if (entry.kind === "turn") agree(agreed, entry);
      if (entry.kind !== "act" || entry.body.by !== DEFAULT_ANSWERER) continue;
      const { target, text } = entry.body;
      const own = agreed.get(target);
      const where = `entry ${entry.seq}: the default answer of ${target}`;
      if (own === undefined || own.answer !== text) return `${where} is nothing that was agreed on`;
      if (Date.parse(entry.at) < own.due) return `${where} is given before its time`;
      if (given.has(target)) return `${where} is given a second time`;
      given.add(target);
      const flaw = unanswered(target, text, entry, steps.slice(at + 1));
      if (flaw !== undefined) return `${where} ${flaw}`;
    }
    return undefined;
  },
};

function agree(agreed: Map<string, Agreed>, { body, at }: Extract<Entry, { kind: "turn" }>): void {
  for (const { question, answer, millis } of body.defaults ?? [])
    agreed.set(question, { answer, due: Date.parse(at) + millis });
}

/** What is wrong with what follows the act (D2). */
function unanswered(question: string, text: string, act: Entry, next: readonly Step[]): string | undefined {
  const firing = (rule: string) =>
    next.find(
      ({ entry }) => entry.kind === "fire" && entry.body.rule === rule && entry.body.at["e"] === question,
    )?.entry;
  const reply = firing("human-reply");
  if (reply?.kind !== "fire" || reply.round !== act.round) return "brings no reply";
  if (reply.body.choice?.["x'"]?.body !== text) return "is not the reply";
  const response = firing("respond");
  // Its thread may have been withdrawn in between.
  if (response?.kind !== "fire") return undefined;
  return response.body.choice?.a?.body === text ? undefined : "is not what the asker is told";
}
