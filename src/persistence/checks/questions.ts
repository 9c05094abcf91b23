/**
 * Questions (CfA §7): asked once, put to a person as its policy says, and answered from outside by a recorded act.
 *
 * Q1. The rules' guards say the same with molecules; here it is counted from the entries alone.
 */
import type { Entry, EntryBody } from "../entry.ts";
import type { Flaw, LogCheck, Step } from "../verify.ts";

type Question = { readonly policy: string; replied: boolean };

/** The check of the questions of a log. */
export function questionsCheck(): LogCheck {
  const asked = new Map<string, Question>();
  return {
    name: "questions",
    says: "questions are asked once, and answered as their policies say",
    step: ({ entry }) => {
      if (entry.kind === "act") return defaultFor(asked, entry.body);
      return entry.kind === "fire" ? judge(asked, entry.body) : undefined;
    },
    commit: withoutAct,
  };
}

/** Default answers bear ids of their own (docs/log.md); under `always` only a person answers. */
function defaultFor(
  asked: ReadonlyMap<string, Question>,
  { id, target }: EntryBody<"act">,
): string | undefined {
  const always = asked.get(target)?.policy === "always";
  return always && id === `default:${target}`
    ? "under the policy always no default answer counts"
    : undefined;
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

/** A person's answer is an act in the same commit. */
function withoutAct(steps: readonly Step[]): Flaw | undefined {
  for (const { entry } of steps) {
    if (entry.kind !== "fire" || entry.body.rule !== "human-reply") continue;
    const question = entry.body.at["e"];
    const act = steps.some((step) => isAnswer(step.entry, question));
    if (!act)
      return {
        seq: entry.seq,
        problem: `it needs the act in its commit by which somebody answered ${question}`,
      };
  }
  return undefined;
}

function isAnswer(entry: Entry, question: string | undefined): boolean {
  return entry.kind === "act" && entry.body.verb === "answer" && entry.body.target === question;
}
