/**
 * Questions (CfA §7): asked once, and put to a person as their policies say. What they are answered with: answers.ts.
 *
 * Q1. The rules' guards say the same with molecules; here it is counted from the entries alone.
 */
import type { EntryBody } from "../entry.ts";
import type { LogCheck } from "../verify.ts";

type Question = { readonly policy: string; replied: boolean };

/** The check of the questions of a log. */
export function questionsCheck(): LogCheck {
  const asked = new Map<string, Question>();
  return {
    name: "questions",
    says: "questions are asked once, and treated as their policies say",
    step: ({ entry }) => (entry.kind === "fire" ? judge(asked, entry.body) : undefined),
  };
}

function judge(asked: Map<string, Question>, { rule, at, choice }: EntryBody<"fire">): string | undefined {
  const questions = questionsOf(rule, choice);
  for (const { id, policy } of questions) {
    if (asked.has(id))
      return `question ${id} has been asked before; the id of a question is never used again`;
    asked.set(id, { policy, replied: false });
  }
  const known = asked.get(at["e"] ?? "");
  if (known === undefined) return undefined;
  if (rule === "escalate" && known.policy === "never") return "under the policy never no person is asked";
  if (rule === "respond" && known.policy === "always" && !known.replied)
    return "under the policy always human-reply comes before respond";
  if (rule === "human-reply") known.replied = true;
  return undefined;
}

function questionsOf(rule: string, choice: EntryBody<"fire">["choice"]): { id: string; policy: string }[] {
  if (rule === "ask-step") return [{ id: choice?.e ?? "", policy: choice?.π ?? "" }];
  return (choice?.ps ?? []).flatMap((one) =>
    one.kind === "ask" ? [{ id: one.question, policy: one.policy }] : [],
  );
}
