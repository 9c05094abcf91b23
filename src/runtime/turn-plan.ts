/** What a turn is run with, derived from the state at its start. */
import type { ThreadId } from "../soup/message.ts";
import { rosterOf } from "../rules/refusal.ts";
import type { Run } from "../soup/molecule.ts";
import type { Beside, TurnFacts } from "./agents/port.ts";
import type { Readiness } from "./dependencies/readiness.ts";
import type { Brief, Director, View } from "./director.ts";
import type { TurnPlan } from "./turn.ts";
import type { Workspaces } from "./workspaces/port.ts";

/** What a plan depends on besides the state. */
type With = {
  readonly job: string;
  readonly overCap: "refuse" | "wait";
  readonly director: Director;
  readonly workspaces: Pick<Workspaces, "path">;
};

/** The plan of the turn of a Run that is not held. */
export function planOf(run: Run, view: View, options: With, readiness: Readiness): TurnPlan {
  const { director, workspaces } = options;
  const { ledger } = view;
  const tree = director.treeOf(run.thread);
  const brief = director.brief(run.thread, run.message, view);
  // An interrupted turn leaves edits that no entry of the log knows.
  const isAfterDropped = run.turn > (ledger.thread(run.thread).last?.turn ?? 0) + 1;
  return {
    run,
    tree,
    brief,
    facts: factsOf(run, brief, view, options, workspaces.path(tree)),
    beside: besideOf(brief, view, readiness),
    // The session is one of the thread's own agent.
    session: brief.substitute === null ? ledger.thread(run.thread).session : undefined,
    files: ledger.files.get(run.message.id) ?? [],
    snapshot: ledger.conflicts.has(tree) || isAfterDropped ? undefined : ledger.snapshots.get(tree),
  };
}

function besideOf({ answersTo }: Brief, { configuration, ledger }: View, readiness: Readiness): Beside {
  const siblings = answersTo === null ? [] : [...rosterOf(configuration, ledger.thread(answersTo).agent)];
  const { dependencies } = readiness.kind === "start" ? readiness : {};
  return dependencies === undefined ? { siblings } : { siblings, dependencies };
}

/** What early refusal needs to know in a turn. */
function factsOf(
  run: Run,
  brief: Brief,
  { configuration, ledger }: View,
  options: Pick<With, "job" | "overCap">,
  workspace: string,
): TurnFacts {
  const { thread, agent, turn } = run;
  const record = ledger.thread(thread);
  const instance = (one: ThreadId) => ({ agent: ledger.thread(one).agent, thread: one });
  const open = (one: ThreadId) => configuration.parent(one) === thread && !configuration.dying(one);
  return {
    job: options.job,
    thread,
    turn,
    agent,
    serial: record.serial,
    state: brief.state,
    lead: brief.lead,
    roster: [...rosterOf(configuration, agent)],
    ...(brief.sends === undefined ? {} : { sends: brief.sends }),
    parent: brief.answersTo === null ? null : instance(brief.answersTo),
    children: record.children.filter(open).map(instance),
    closed: record.children.filter((one) => !open(one)),
    cap: configuration.facts.cap,
    overCap: options.overCap,
    policy: brief.policy,
    outcomes: brief.outcomes,
    timeout: brief.timeout,
    spending: brief.spending,
    skill: brief.skill,
    tools: brief.tools,
    workspace,
  };
}
