/**
 * What can be wrong with a single state of a job.
 *
 * V1. A state is judged when it has settled: nothing but a turn, or the human, can change it.
 */
import { brokenInvariants } from "../../rules/invariants.ts";
import type { ThreadId } from "../../soup/message.ts";
import { LIVE_STATES } from "../machine.ts";
import { isOver, leadOf } from "../state-record.ts";
import type { Finding } from "./finding.ts";
import { openQuestions, type Node, type Step } from "./walk.ts";
import { nameOf, traceOf } from "./words.ts";

/** A defect of a state; `key` is the same for those that one finding tells of. */
export type Defect = { readonly key: string; readonly finding: () => Finding };

/** The defects of a state in which `steps` are possible. */
export function defectsOf(node: Node, steps: readonly Step[]): Defect[] {
  const { model } = node;
  const asked = unanswerable(node);
  const still = steps.length === 0 && model.standing.kind === "running" && asked.length === 0;
  return [...asked, ...(still ? [deadlock(node)] : []), ...leftBehind(node), ...broken(node)];
}

/** A question put to a human that the job does not have; the advice names every state where that may happen. */
function unanswerable(node: Node): Defect[] {
  const { model } = node;
  const { definition, machine } = model.record;
  const [question] = definition.human === "none" ? openQuestions(model) : [];
  if (question === undefined) return [];
  const asker = model.ledger.questions.get(question)?.thread ?? "";
  const { state } = machine;
  const states = LIVE_STATES.filter((one) => definition.states[one].escalation === "always");
  return [
    {
      key: "question",
      finding: () => ({
        kind: "unanswerable-question",
        what: `a question asked in ${state} can never be answered: its policy is always, and the job has no human`,
        trace: [
          ...traceOf(node),
          `${nameOf(model, asker)} waits for an answer that nobody may give: "always" lets no answer pass without the human, and "human: none" says that there is none.`,
        ],
        advice: `write escalation: never or when_unsure for ${states.join(", ")}, or give the job a human`,
      }),
    },
  ];
}

function deadlock(node: Node): Defect {
  const { state } = node.model.record.machine;
  return {
    key: "deadlock",
    finding: () => ({
      kind: "deadlock",
      what: `the job can come to a standstill in ${state}: nobody works, nobody is asked, and it has not ended`,
      trace: [...traceOf(node), "Now nothing can happen any more."],
      advice: "no job should allow this: please report it, with the job file",
    }),
  };
}

/** Conversations whose state is over, and whatever is left when the job has ended. */
function leftBehind(node: Node): Defect[] {
  const { model } = node;
  const { configuration, ledger, record } = model;
  const ended = model.standing.kind === "ended";
  const stray: ThreadId[] = ended
    ? model.live()
    : [...configuration.children(ledger.root)].filter((one) => !isOver(record) && one !== leadOf(record));
  const [first] = [...stray, ...(ended ? ledger.unreleased : [])];
  if (first === undefined) return [];
  const name = nameOf(model, first);
  return [
    {
      key: "left-behind",
      finding: () => ({
        kind: "left-behind",
        what: `${name} can be left behind: what it was opened for is over, and it has not ended`,
        trace: [...traceOf(node), `${name} is still there.`],
        advice: "no job should allow this: please report it, with the job file",
      }),
    },
  ];
}

function broken(node: Node): Defect[] {
  const [first] = brokenInvariants(node.model.configuration);
  if (first === undefined) return [];
  return [
    {
      key: first.invariant,
      finding: () => ({
        kind: "invariant",
        what: `the invariant ${first.invariant} breaks: ${first.what}`,
        trace: traceOf(node),
        advice: "no job should allow this: please report it, with the job file",
      }),
    },
  ];
}
