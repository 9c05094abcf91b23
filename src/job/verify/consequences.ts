/**
 * What must follow an entry in its commit, so that neither a message nor a person's wish is lost in a log (docs/job.md, "Failures";
 * docs/status-file.md; docs/human.md).
 *
 * C1. The message of a failed turn comes again, quoted, before all other mail of its thread, until the budget is spent: then the
 *     thread is dropped and its parent told. A lead that fails has a violation instead, and FAILURE in the end (failures.ts).
 * C2. The failure of a file-based agent may be told to the parent instead, or end the conversation at once (docs/files.md).
 * C3. A word of the status file parks the job, or is told to the parent.
 * C4. An act that was accepted does what it says; what is said to the job goes to the lead of its present state.
 *
 * Mail to a parent that is going, or gone, is dropped with it.
 */
import type { Entry, EntryBody } from "../../persistence/entry.ts";
import { questionOf } from "../../persistence/conversation.ts";
import type { Flaw, Step } from "../../persistence/verify.ts";
import { isStatusToken } from "../../runtime/status-file.ts";
import type { Configuration } from "../../soup/configuration.ts";
import type { ThreadId } from "../../soup/message.ts";
import { isLive } from "../machine.ts";
import type { JobFacts } from "./facts.ts";

/** What the rest of a commit has to hold. */
export type Consequence = Flaw & { readonly isMet: (entry: Entry) => boolean };

/** What must follow a step in its commit; `facts` are those before it. */
export function consequencesOf({ entry, before }: Step, facts: JobFacts): readonly Consequence[] {
  const { seq } = entry;
  if (entry.kind === "turn") return [...ofTurn(entry.body, before, facts)].map((one) => ({ seq, ...one }));
  return entry.kind === "act" ? ofAct(entry.body, facts).map((one) => ({ seq, ...one })) : [];
}

/** The first consequence that its commit does not hold. */
export function unmet(steps: readonly Step[], wanted: readonly Consequence[]): Flaw | undefined {
  return wanted.find(({ seq, isMet }) => !steps.some(({ entry }) => entry.seq > seq && isMet(entry)));
}

type Wanted = Omit<Consequence, "seq">;

function* ofTurn(turn: EntryBody<"turn">, before: Configuration, facts: JobFacts): Generator<Wanted> {
  const { thread, result, status } = turn;
  if (result === "aborted" || !isLive(facts.machine.state)) return;
  if (questionOf(thread) !== undefined || thread === facts.root.thread) return;
  const parent = facts.parents.get(thread);
  const told = parent === undefined || isGone(before, parent) ? undefined : parent;
  const isLead = thread === facts.lead;
  if (status !== null && isStatusToken(status)) {
    if (isLead)
      yield {
        isMet: (entry) => entry.kind === "park" && entry.body.parked,
        problem: `its status file says ${status}: its commit must park the job`,
      };
    else if (told !== undefined)
      yield {
        isMet: (entry) => isMailTo(entry, told),
        problem: `its status file says ${status}: its commit must tell ${told}`,
      };
  }
  if (result === "failed")
    yield* isLead ? ofFailedLead(turn, before, facts) : ofFailedChild(turn, told, before, facts);
}

/** See C1. */
function* ofFailedLead(
  turn: EntryBody<"turn">,
  before: Configuration,
  { root }: JobFacts,
): Generator<Wanted> {
  const { thread } = turn;
  yield {
    isMet: (entry) => entry.kind === "violation" && entry.body.thread === thread,
    problem: `${thread} leads the state, and its turn has failed: its commit must count that: violation`,
  };
  const again = quotes(turn, before);
  yield { isMet: (entry) => again(entry) || isMailTo(entry, root.thread), problem: putBack(thread) };
}

function putBack(thread: ThreadId): string {
  return `its message is not done: its commit must put it back on ${thread}, as recovery before all other mail, quoted`;
}

/** See C1 and C2. */
function* ofFailedChild(
  turn: EntryBody<"turn">,
  told: ThreadId | undefined,
  before: Configuration,
  facts: JobFacts,
): Generator<Wanted> {
  const { thread } = turn;
  const isEnd = (entry: Entry) =>
    entry.kind === "terminate" && entry.body.thread === thread && entry.body.mode === "drop";
  const failures = (facts.failedTurns.get(thread) ?? 0) + 1;
  if (failures > facts.definition.limits.retries) {
    yield { isMet: isEnd, problem: `failure ${failures} of ${thread} is its last: its commit must drop it` };
    if (told !== undefined)
      yield {
        isMet: (entry) => isMailTo(entry, told),
        problem: `${thread} has failed for good: its commit must tell ${told}`,
      };
    return;
  }
  const again = quotes(turn, before);
  const isFileBased = isOfFiles(turn, facts);
  yield {
    isMet: (entry) =>
      again(entry) || (isFileBased && (isEnd(entry) || told === undefined || isMailTo(entry, told))),
    problem: putBack(thread),
  };
}

/** Whether a turn is that of a file-based agent, whose own word decides what its failure leads to. */
export function isOfFiles({ agent, work }: EntryBody<"turn">, { definition }: JobFacts): boolean {
  return work !== undefined && definition.agents[agent]?.adapter === "files";
}

/** Says whether an entry is the recovery mail of a turn. */
function quotes({ thread }: EntryBody<"turn">, before: Configuration): (entry: Entry) => boolean {
  const run = before.cell(thread)?.lifecycles.find(({ kind }) => kind === "Run");
  const lost = run?.kind === "Run" ? run.message.body : "";
  return (entry) => {
    if (entry.kind !== "post" || entry.body.thread !== thread || !entry.body.head) return false;
    const { kind, body } = entry.body.message;
    return kind === "recovery" && body.endsWith(lost);
  };
}

function isMailTo(entry: Entry, thread: ThreadId): boolean {
  return entry.kind === "post" && entry.body.thread === thread && entry.body.origin === "orchestrator";
}

function isGone(configuration: Configuration, thread: ThreadId): boolean {
  return configuration.isClosed(thread) || configuration.dying(thread);
}

/** See C4. */
function ofAct({ id, verb, target, result }: EntryBody<"act">, { root }: JobFacts): readonly Wanted[] {
  const isOfJob = target === "" || target === root.thread;
  const wanted = (kind: Entry["kind"], isMet: (entry: Entry) => boolean): readonly Wanted[] => [
    { isMet, problem: `the act was accepted (${result}): its commit must do what it says: ${kind}` },
  ];
  switch (`${verb}: ${result}`) {
    case "withdraw: withdrawn":
      return isOfJob
        ? wanted("post", (entry) => entry.kind === "post" && entry.body.message.id === `notice:${id}`)
        : wanted("terminate", (entry) => entry.kind === "terminate" && entry.body.thread === target);
    case "tell: delivered":
      return wanted("post", (entry) => entry.kind === "post" && entry.body.message.id === id);
    case "interrupt: interrupted":
      return wanted("interrupt", (entry) => entry.kind === "interrupt" && entry.body.message.id === id);
    case "pause: paused":
      return wanted("park", (entry) => entry.kind === "park" && entry.body.parked);
    case "resume: resumed":
      return wanted("park", (entry) => entry.kind === "park" && !entry.body.parked);
    case "answer: answered":
      return wanted("fire", (entry) => entry.kind === "fire" && entry.body.choice?.["x'"]?.id === id);
    default:
      return [];
  }
}

/** Why mail or a redirection does not go where the act on the job means it to (C4). */
export function misdirected(
  { thread, message }: Pick<EntryBody<"interrupt">, "thread" | "message">,
  acts: readonly EntryBody<"act">[],
  { root, lead }: JobFacts,
): string | undefined {
  const act = acts.find(({ id }) => id === message.id);
  const isToJob = act !== undefined && (act.target === "" || act.target === root.thread);
  return isToJob && thread !== lead
    ? `what a person says to the job goes to ${lead}, not to ${thread}`
    : undefined;
}
