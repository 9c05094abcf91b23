/**
 * The job in its log: what it does is what its definition says, and every transition is one of the machine's, on the ground that it
 * names. The parts stand in verify/, each with its invariants; here they are put together.
 *
 * V1. Checks see the facts before an entry; the last of them takes the entry up.
 */
import type { Entry, EntryBody } from "../persistence/entry.ts";
import type { LogCheck, Step } from "../persistence/verify.ts";
import type { ThreadId } from "../soup/message.ts";
import { isChoiceOn, misdropped, undecided, unfinished } from "./verify/decisions.ts";
import { JobFacts } from "./verify/facts.ts";
import { miscounted, misended, unanswered } from "./verify/failures.ts";
import { misheld, misnoticed } from "./verify/notices.ts";
import { definitionCheck } from "./verify/against-definition.ts";
import { mistaken } from "./verify/transitions.ts";
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
      commit.apply(one.entry, facts);
      facts.apply(one.entry);
      return problem;
    },
    commit: (steps) => {
      commit = new CommitSoFar();
      return unfinished(steps, facts) ?? unanswered(steps, facts);
    },
  };
}

/** What the entries of a commit so far say that later ones of it rest on. */
class CommitSoFar {
  readonly acts: EntryBody<"act">[] = [];
  readonly failed = new Set<ThreadId>();
  violation: EntryBody<"violation"> | undefined;
  transition: EntryBody<"transition"> | undefined;
  /** The lead of the state that it has left. */
  left: ThreadId | undefined;

  /** Takes up an entry; `facts` are those before it. */
  apply(entry: Entry, facts: JobFacts): void {
    if (entry.kind === "act") this.acts.push(entry.body);
    if (entry.kind === "turn" && entry.body.result === "failed") this.failed.add(entry.body.thread);
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
      return misnoticed(step, facts, trees, commit);
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
