/** What a turn needs to know of its job: who leads, what the agent works by, what it may do and how long. */
import type { Brief } from "../runtime/director.ts";
import { isConflictMail, unresolved } from "../runtime/held.ts";
import type { Ledger } from "../runtime/ledger.ts";
import type { ThreadRecord } from "../runtime/thread-record.ts";
import type { Message, ThreadId } from "../soup/message.ts";
import { spendingOf } from "./budget.ts";
import { isLive, type LiveState, skillOutcomes } from "./machine.ts";
import { abandonedRemark, ARTIFACT_OF, conflictRemark, promptOf, standInRemark } from "./mail.ts";
import { instructionsOf } from "./prompts.ts";
import { skillOf } from "./skills.ts";
import { stallLimitOf } from "./stall-limit.ts";
import { leadOf, type StateRecord } from "./state-record.ts";

/** The brief of a turn on `thread`, which works in `tree`, about `message`. */
export function briefOf(
  record: StateRecord,
  { thread, tree }: { readonly thread: ThreadId; readonly tree: ThreadId },
  message: Message,
  ledger: Ledger,
): Brief {
  const { definition, machine, entries } = record;
  const { state } = machine;
  const lead = thread === leadOf(record);
  const live = isLive(state) ? state : "EXECUTE";
  const instance = ledger.thread(thread);
  const agent = definition.agents[instance.agent];
  const role = agent?.role;
  const given = live === "EXECUTE" ? null : definition.given[ARTIFACT_OF[live]];
  const first = entries[state] === 1 && given === null;
  const told = toldOf(record, instance, lead ? live : null);
  return {
    prompt: [
      promptOf(message),
      skillLine(record, instance, lead, message),
      standInOf(instance, told.substitute, message),
      abandonedOf(instance, message),
      conflictOf(tree, message, ledger),
    ]
      .filter((part) => part !== "")
      .join("\n\n"),
    entry: lead && !first ? "align" : "draft",
    artifact: lead ? definition.artifacts[ARTIFACT_OF[live]] : null,
    artifacts: definition.artifacts,
    timeout: role?.limits.timeout ?? definition.limits.timeout,
    state,
    lead,
    policy: definition.states[live].escalation,
    outcomes: lead ? skillOutcomes(live) : [],
    answersTo: lead ? null : (instance.parent ?? null),
    spending: spendingOf(record, instance, lead, ledger),
    prices: definition.prices,
    hooks: definition.hooks,
    statusVersion: definition.status_tokens,
    stall: stallLimitOf(agent, definition.limits),
    refusals: definition.limits.retries,
    ...(role === undefined ? {} : { sends: role.sends }),
    ...told,
  };
}

/** What the agent works by, and what it is told of it. `state` is the one that it leads. */
function toldOf(
  { definition }: StateRecord,
  instance: ThreadRecord,
  state: LiveState | null,
): Pick<Brief, "dispatch" | "instructions" | "skill" | "substitute" | "tools"> {
  const agent = definition.agents[instance.agent];
  const name = state === null ? (agent?.skill ?? null) : definition.states[state].skill;
  const skill = name === null ? undefined : skillOf(name);
  const tools = agent?.adapter === "command" ? agent.tools : [];
  const dispatch = instance.fresh;
  const substitute = instance.last?.result === "failed" ? (agent?.fallback ?? null) : null;
  // Who stands in has a session of its own, in which it has read nothing yet.
  const reads = dispatch || substitute !== null;
  const lead = state !== null;
  const outcomes = lead ? skillOutcomes(state) : [];
  const roster = agent?.roster ?? [];
  return {
    dispatch,
    instructions: reads ? instructionsOf({ lead, outcomes, roster, tools, skill }) : "",
    substitute,
    skill: name === null ? null : { name, file: skill?.file ?? null },
    tools,
  };
}

/** What a dispatched agent is told of its skill, with its task; a lead's task names its own (mail.ts). */
function skillLine(
  { definition }: StateRecord,
  { agent }: ThreadRecord,
  lead: boolean,
  { kind }: Message,
): string {
  const skill = kind === "task" && !lead ? definition.agents[agent]?.skill : null;
  return skill == null ? "" : `Skill: ${skill}.`;
}

/** What who stands in is told of the conversation, unless its message says it. */
function standInOf({ agent, task }: ThreadRecord, substitute: Brief["substitute"], message: Message): string {
  return substitute === null || message.body.includes(task) ? "" : standInRemark(agent, task);
}

/** What is said of a message that the turn before was taken from. */
function abandonedOf({ abandoned }: ThreadRecord, { id }: Message): string {
  return abandoned?.by === id && abandoned.taken ? abandonedRemark(abandoned.message) : "";
}

/** What is said of a conflict that the tree holds, unless the message is about it. */
function conflictOf(tree: ThreadId, message: Message, ledger: Ledger): string {
  const conflict = ledger.conflicts.get(tree);
  if (conflict === undefined || isConflictMail(message, conflict.child)) return "";
  return conflictRemark(unresolved(conflict, ledger));
}
