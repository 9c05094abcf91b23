/**
 * The job in its log: what it does is what its definition says, and every transition is one of the machine's, on the ground that it
 * names. The parts stand in verify/, each with its invariants; here they are put together.
 *
 * V1. Checks see the facts before an entry; the last of them takes the entry up.
 */
import type { EntryBody } from "../persistence/entry.ts";
import type { LogCheck, Step } from "../persistence/verify.ts";
import type { ThreadId } from "../soup/message.ts";
import { type Consequence, consequencesOf, misdirected, unmet } from "./verify/consequences.ts";
import { isChoiceOn, misdropped, undecided, unfinished } from "./verify/decisions.ts";
import { JobFacts } from "./verify/facts.ts";
import { miscounted, misended, unanswered } from "./verify/failures.ts";
import { misheld, misnoticed } from "./verify/notices.ts";
import { definitionCheck } from "./verify/against-definition.ts";
import { mistaken } from "./verify/transitions.ts";
import { isLive } from "./machine.ts";
import { TreeFacts, treesCheck } from "./verify/trees.ts";

/** The checks of a log as that of a job; made anew for each. */
export function jobChecks(): readonly LogCheck[] {
  const facts = new JobFacts();
  const trees = new TreeFacts();
  return [definitionCheck(facts), treesCheck(facts, trees), jobCheck(facts, trees)];
}

function jobCheck(facts: JobFacts, trees: TreeFacts): LogCheck {
  let commit = new CommitSoFar();
  return {
    name: "job",
    says: "every transition is the machine's, on the ground that it names",
    step: (one) => {
      const problem = flawOf(one, facts, trees, commit);
      commit.apply(one, facts);
      facts.apply(one.entry);
      return problem;
    },
    commit: (steps) => {
      const { wanted } = commit;
      commit = new CommitSoFar();
      return unfinished(steps, facts) ?? unanswered(steps, facts) ?? unmet(steps, wanted);
    },
  };
}

/** What the entries of a commit so far say that later ones of it rest on. */
class CommitSoFar {
  readonly acts: EntryBody<"act">[] = [];
  readonly failed = new Map<ThreadId, EntryBody<"turn">>();
  readonly wanted: Consequence[] = [];
  violation: EntryBody<"violation"> | undefined;
  transition: EntryBody<"transition"> | undefined;
  /** The lead of the state that it has left. */
  left: ThreadId | undefined;

  /** Takes up a step; `facts` are those before it. */
  apply(step: Step, facts: JobFacts): void {
    const { entry } = step;
    this.wanted.push(...consequencesOf(step, facts));
    if (entry.kind === "act") this.acts.push(entry.body);
    if (entry.kind === "turn" && entry.body.result === "failed")
      this.failed.set(entry.body.thread, entry.body);
    if (entry.kind === "violation") this.violation = entry.body;
    if (entry.kind !== "transition") return;
    this.transition = entry.body;
    this.left = facts.lead;
  }
}

function flawOf(step: Step, facts: JobFacts, trees: TreeFacts, commit: CommitSoFar): string | undefined {
  const { entry, before } = step;
  switch (entry.kind) {
    case "transition":
      return mistaken(entry.body, before, facts);
    case "violation":
      return miscounted(entry.body, facts);
    case "hold":
      return misheld(entry.body, facts);
    case "post":
      return misnoticed(step, facts, trees, commit) ?? misdirected(entry.body, commit.acts, facts);
    case "interrupt":
      return misdirected(entry.body, commit.acts, facts);
    case "park":
      return entry.body.parked && !isLive(facts.machine.state)
        ? `the job is ${facts.machine.state}: nothing of it is parked`
        : undefined;
    case "terminate":
      return (
        misended(entry.body, facts, commit.failed) ?? misdropped(entry.body, facts, commit.transition?.origin)
      );
    case "fire":
      return isChoiceOn(entry.body, facts.root.thread)
        ? undecided(entry.body, before, facts, commit.left)
        : undefined;
    case "deliver":
      return facts.machine.state === "DONE"
        ? undefined
        : `the job is ${facts.machine.state}; only DONE delivers`;
    default:
      return undefined;
  }
}
