/** What a turn needs to know from the job: its prompt, its policy, its limits, what its lead may write. */
import type { Brief } from "../runtime/director.ts";
import type { Ledger } from "../runtime/ledger.ts";
import { isConflictMail, unresolved } from "../runtime/held.ts";
import type { Message, ThreadId } from "../soup/message.ts";
import { isLive, skillOutcomes } from "./machine.ts";
import { abandonedRemark, ARTIFACT_OF, conflictRemark, promptOf } from "./mail.ts";
import { leadOf, type StateRecord } from "./state-record.ts";

/** The brief of a turn on a message; `tree` is the thread that names the tree of the turn. */
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
  const { parent } = ledger.thread(thread);
  const given = live === "EXECUTE" ? null : definition.given[ARTIFACT_OF[live]];
  const first = entries[state] === 1 && given === null;
  return {
    prompt: [
      promptOf(message),
      skillOf(record, thread, message, ledger),
      abandonedOf(thread, message, ledger),
      conflictOf(tree, message, ledger),
    ]
      .filter((part) => part !== "")
      .join("\n\n"),
    entry: lead && !first ? "align" : "draft",
    artifact: lead ? definition.artifacts[ARTIFACT_OF[live]] : null,
    artifacts: definition.artifacts,
    timeout: definition.limits.timeout,
    state,
    lead,
    policy: definition.states[live].escalation,
    outcomes: lead ? skillOutcomes(live) : [],
    answersTo: lead ? null : (parent ?? null),
    stall: definition.limits.stall,
    refusals: definition.limits.retries,
  };
}

/** What a dispatched agent is told of its skill, with its task; a lead's task names its own (mail.ts). */
function skillOf(record: StateRecord, thread: ThreadId, { kind }: Message, ledger: Ledger): string {
  const { agent } = ledger.thread(thread);
  const dispatched = kind === "task" && thread !== leadOf(record);
  const skill = dispatched ? record.definition.agents[agent]?.skill : null;
  return skill == null ? "" : `Skill: ${skill}.`;
}

function abandonedOf(thread: ThreadId, { id }: Message, ledger: Ledger): string {
  const { abandoned } = ledger.thread(thread);
  return abandoned?.by === id && abandoned.taken ? abandonedRemark(abandoned.message) : "";
}

function conflictOf(tree: ThreadId, message: Message, ledger: Ledger): string {
  const conflict = ledger.conflicts.get(tree);
  if (conflict === undefined || isConflictMail(message, conflict.child)) return "";
  return conflictRemark(unresolved(conflict, ledger));
}
