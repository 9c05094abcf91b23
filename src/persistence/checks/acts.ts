/**
 * The acts of people: what is recorded as a person's doing has the act by which it was done (docs/log.md, "act").
 *
 * A1. An act has one of the known verbs, and its id is used once.
 * A2. `post`, `interrupt`, `terminate` and `park` with the origin human follow, in their commit, an act of the verb that does this,
 *     that was accepted, on this thread and with these words. The request of the job, in the first commit, needs none.
 * A3. What `cfa resume` changes (`configure` of the budget, the end of a park) needs no act: it stands in a commit of its own, next
 *     after the one with `resume`. Nothing else configures.
 * A4. `gc` is an act on a job whose thread has ended, or is said by a fork of what its past has lost.
 *
 * The end of the job's own thread is looked at in job/verify.
 */
import type { Draft, EntryBody } from "../entry.ts";
import type { Flaw, LogCheck, Step } from "../verify.ts";

type Act = EntryBody<"act">;

/** Who the act is by nobody can check; what it may be is this. */
const VERBS: readonly string[] = [
  "answer", "interrupt", "withdraw", "tell", "resume", "pause", "resolve", "fork", "gc",
]; // prettier-ignore

/** The check of the acts of a log. */
export function actsCheck(): LogCheck {
  const ids = new Set<string>();
  let root = "";
  let resumed = false;
  return {
    name: "acts",
    says: "what a person did has its act, and each act counts once",
    step: ({ entry }) => {
      if (entry.kind === "open") root = entry.body.root.thread;
      return entry.kind === "act" ? repeated(entry.body, ids) : undefined;
    },
    commit: (steps) => {
      const flaw = misplacedGc(steps, root) ?? withoutAct(steps, root, resumed);
      resumed = steps.some(({ entry }) => entry.kind === "resume");
      return flaw;
    },
  };
}

function repeated({ id, verb }: Act, ids: Set<string>): string | undefined {
  if (!VERBS.includes(verb)) return `${verb} is no act: it must be one of ${VERBS.join(", ")}`;
  if (ids.has(id)) return `act ${id} stands in the log before; it is taken up once`;
  ids.add(id);
  return undefined;
}

function misplacedGc(steps: readonly Step[], root: string): Flaw | undefined {
  const gc = steps.find(({ entry }) => entry.kind === "act" && entry.body.verb === "gc");
  if (gc === undefined || gc.before.isClosed(root)) return undefined;
  if (steps.some(({ entry }) => entry.kind === "fork")) return undefined;
  return { seq: gc.entry.seq, problem: `nothing is cleaned up before ${root} has ended` };
}

/** See A2 and A3. */
function withoutAct(steps: readonly Step[], root: string, resumed: boolean): Flaw | undefined {
  const isFirst = steps[0]?.entry.kind === "open";
  const isResuming = resumed && steps.every(({ entry }) => isOfResuming(entry));
  const acts: Act[] = [];
  for (const { entry } of steps) {
    if (entry.kind === "act") acts.push(entry.body);
    if (entry.kind === "open" || (isFirst && entry.kind === "post") || (isResuming && isOfResuming(entry)))
      continue;
    if (entry.kind === "configure")
      return { seq: entry.seq, problem: "only a person who resumes the job changes its budget" };
    const verbs = verbsFor(entry, root);
    if (verbs === undefined || acts.some((act) => brings(act, entry, verbs, root))) continue;
    return {
      seq: entry.seq,
      problem: `it needs the act before it in its commit by which a person did this: ${verbs.join(" or ")}, accepted, with these words`,
    };
  }
  return undefined;
}

function isOfResuming(draft: Draft): boolean {
  if (draft.kind === "configure")
    return draft.body.origin === "human" && draft.body.rosters === undefined && draft.body.cap === undefined;
  return draft.kind === "note" || (draft.kind === "park" && !draft.body.parked);
}

/** The verbs of the acts that bring such an entry; undefined where it needs none. */
function verbsFor(draft: Draft, root: string): readonly string[] | undefined {
  switch (draft.kind) {
    case "post":
      return draft.body.origin === "human" ? ["tell"] : undefined;
    case "interrupt":
      return ["interrupt"];
    case "terminate":
      return draft.body.origin === "human" && draft.body.thread !== root ? ["withdraw"] : undefined;
    case "park":
      return draft.body.origin === "human" ? [draft.body.parked ? "pause" : "resume"] : undefined;
    default:
      return undefined;
  }
}

/** What an act says that was accepted. */
const ACCEPTED: Readonly<Record<string, string>> = {
  tell: "delivered",
  interrupt: "interrupted",
  withdraw: "withdrawn",
  pause: "paused",
  resume: "resumed",
};

function brings(act: Act, draft: Draft, verbs: readonly string[], root: string): boolean {
  if (!verbs.includes(act.verb) || act.result !== ACCEPTED[act.verb]) return false;
  switch (draft.kind) {
    case "post":
    case "interrupt": {
      const { thread, message } = draft.body;
      // What is meant for the job goes to whoever leads it.
      const isThere = act.target === thread || act.target === "" || act.target === root;
      return isThere && message.id === act.id && message.body === act.text && message.from === null;
    }
    case "terminate":
      return draft.body.thread === act.target && draft.body.reason === act.text;
    case "park":
      return draft.body.why === act.text;
    default:
      return false;
  }
}
