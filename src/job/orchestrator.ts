/**
 * The orchestrator: the director of a job (runtime/director.ts). By Send it opens and closes the threads of states;
 * everything else is an outside move or a record with its origin.
 *
 * O1. Every transition is decided in a Run on `job:<id>`, from a notice that names action, reason and origin.
 * O2. A backtrack keeps the job's tree and drops open children; WITHDRAW and FAILURE terminate the job's thread.
 * O3. A terminal state absorbs: later notices and acts change nothing.
 */
import type { Draft, Entry, EntryBody } from "../persistence/entry.ts";
import type { Remembered } from "../persistence/human-memory.ts";
import type { InboxItem } from "../persistence/ports.ts";
import type { Brief, Decision, Director, ProxyBrief, Stand, Standing, View } from "../runtime/director.ts";
import type { Readiness } from "../runtime/dependencies/readiness.ts";
import type { Ledger } from "../runtime/ledger.ts";
import { isStatusToken, type StatusToken, type StatusVersion } from "../runtime/status-file.ts";
import { invariant } from "../soup/invariant.ts";
import type { AgentName, Message, Payload, Policy, ThreadId } from "../soup/message.ts";
import type { Proxy } from "../soup/molecule.ts";
import { actOf, type ActResult } from "./acts.ts";
import { briefOf } from "./brief.ts";
import { nextAlarm, pastDeadline, spentBudget, stateDeadline } from "./budget.ts";
import { afterFailedTurn } from "./failed-turn.ts";
import { stateFailure, steerLead } from "./lead.ts";
import {
  approvalsBefore,
  isBacktrack,
  isLive,
  type JobRecord,
  type LiveState,
  NEW_RECORD,
  step,
} from "./machine.ts";
import { deliveryMessage, fromOrchestrator, leadTask } from "./mail.ts";
import { noticeDraft, noticeOf, type Notice } from "./notice.ts";
import { asksHuman, proxyBriefOf } from "./proxy-brief.ts";
import { readinessIn } from "./readiness.ts";
import { foldRecord, isOver, leadOf, leadThread, STATE_TIMED_OUT, type StateRecord } from "./state-record.ts";
import { afterLostStatus, afterStatus } from "./status.ts";

const NOTHING: Decision = { drafts: [], payloads: [], after: [] };

/** See the header. */
export class Orchestrator implements Director {
  #record: StateRecord | undefined;

  /** `record` is what has been folded so far; none for a log from its first entry on. */
  constructor(record?: StateRecord) {
    this.#record = record;
  }

  /** The job's record as folded so far. */
  get record(): StateRecord {
    invariant(this.#record !== undefined, "the log has no first entry yet");
    return this.#record;
  }

  apply(entry: Entry, _ledger: Ledger): void {
    this.#record = foldRecord(this.#record, entry);
  }

  treeOf(thread: ThreadId): ThreadId {
    const match = /^state:(.+):[A-Z]+:\d+$/u.exec(thread);
    return match?.[1] === undefined ? thread : `job:${match[1]}`;
  }

  decide(message: Message, view: View): Decision {
    if (isOver(this.record)) return NOTHING;
    if (message.kind === "task") return this.#begin();
    if (message.kind === "refusal") {
      const reason = `the ${this.record.machine.state} phase cannot start: ${message.body}`;
      return this.#take({ action: "FAILURE", reason, origin: "orchestrator", record: null }, view);
    }
    const notice = noticeOf(message);
    return notice === undefined ? NOTHING : this.#take(notice, view);
  }

  /** Opens the first state; artifacts that came with the job stand for the approvals before it. */
  #begin(): Decision {
    const { definition } = this.record;
    let machine: JobRecord = NEW_RECORD;
    const drafts: Draft[] = [];
    for (const action of approvalsBefore(definition.start)) {
      const reason = "the operator gave the artifact";
      const next = step(machine, action, { reason, origin: "human" });
      invariant("record" in next, `${action} does not lead to ${definition.start}`);
      drafts.push(transitionDraft(machine, action, reason, "human", next.record, null));
      machine = next.record;
    }
    return { drafts, payloads: [this.#sparkLead(definition.start, 1, undefined)], after: [] };
  }

  /** Takes an action, or FAILURE where a bound forbids it. */
  #take(notice: Notice, view: View): Decision {
    const { machine, definition, entries, job } = this.record;
    const { action, reason, origin, record } = notice;
    const next = step(machine, action, { reason, origin });
    if ("refused" in next) return { ...NOTHING, drafts: [note(`${action} was not taken: ${next.refused}`)] };
    const { backtracks } = definition.limits;
    if (isBacktrack(machine.state, next.record.state) && machine.backtracks >= backtracks) {
      const bound = `${action} (${reason}) would be backtrack ${machine.backtracks + 1}, and the limit is ${backtracks}`;
      return this.#take({ action: "FAILURE", reason: bound, origin: "orchestrator", record }, view);
    }
    const drafts = [transitionDraft(machine, action, reason, origin, next.record, record)];
    const lead = leadOf(this.record);
    const close: Payload[] = view.ledger.threads.has(lead) ? [{ kind: "terminate", thread: lead }] : [];
    const { state } = next.record;
    if (isLive(state)) {
      const cause = next.record.history.at(-1);
      const backward = isBacktrack(machine.state, state) ? cause : undefined;
      return {
        drafts,
        payloads: [...close, this.#sparkLead(state, entries[state] + 1, backward)],
        after: [],
      };
    }
    if (state === "DONE") return { drafts, payloads: close, after: [] };
    const thread: ThreadId = `job:${job}`;
    const end = `the job is ${state}: ${reason}`;
    return {
      drafts,
      payloads: [],
      after: [{ kind: "terminate", body: { thread, mode: "drop", reason: end, origin } }],
    };
  }

  #sparkLead(state: LiveState, n: number, cause: JobRecord["history"][number] | undefined): Payload {
    const { definition, job } = this.record;
    const thread = leadThread(job, state, n);
    const body = leadTask(definition, state, cause);
    const message = fromOrchestrator(job, `task:${thread}`, "task", body);
    return { kind: "deliver", agent: definition.states[state].agent, thread, message };
  }

  steer(view: View): readonly Draft[] {
    const { record } = this;
    const root: ThreadId = `job:${record.job}`;
    if (isOver(record)) {
      if (record.delivered === null || view.configuration.isClosed(root) || view.configuration.dying(root))
        return [];
      const reason = "the work is delivered";
      return [{ kind: "terminate", body: { thread: root, mode: "merge", reason, origin: "orchestrator" } }];
    }
    if (pastDeadline(record, view.now)) {
      const reason = "the deadline of the job has passed";
      return [
        noticeDraft(record.job, "deadline", {
          action: "FAILURE",
          reason,
          origin: "orchestrator",
          record: null,
        }),
      ];
    }
    if (record.parked !== null) return [];
    const spent = spentBudget(record, view);
    if (spent !== undefined && view.active.size > 0 && view.running === 0) {
      return [{ kind: "park", body: { parked: true, why: spent, origin: "orchestrator" } }];
    }
    return this.#stateTimeout(view) ?? steerLead(record, view);
  }

  /** A state that lasts too long has failed once more; only then does its clock start again. */
  #stateTimeout(view: View): readonly Draft[] | undefined {
    const { record } = this;
    const until = stateDeadline(record);
    const lead = view.ledger.threads.get(leadOf(record));
    if (until === undefined || lead === undefined || lead.closed || view.now.getTime() < until)
      return undefined;
    return stateFailure(record, lead, STATE_TIMED_OUT, null);
  }

  afterTurn(turn: EntryBody<"turn">, message: Message, view: View): readonly Draft[] {
    if (isOver(this.record)) return [];
    const { status } = turn;
    const stop = status !== null && isStatusToken(status) ? afterStatus(this.record, turn, status, view) : [];
    return [...stop, ...afterFailedTurn(this.record, turn, message, view)];
  }

  fallbackOf(agent: AgentName): AgentName | undefined {
    return this.record.definition.agents[agent]?.fallback ?? undefined;
  }

  statusVersion(): StatusVersion {
    return this.record.definition.status_tokens;
  }

  afterLostStatus(thread: ThreadId, turn: number, status: StatusToken, view: View): readonly Draft[] {
    return isOver(this.record) ? [] : afterLostStatus(thread, turn, status, view);
  }

  act(item: InboxItem, view: View): ActResult | undefined {
    return actOf(this.record, item, view);
  }

  brief(thread: ThreadId, message: Message, { ledger }: View): Brief {
    return briefOf(this.record, { thread, tree: this.treeOf(thread) }, message, ledger);
  }

  readiness(thread: ThreadId, view: View): Readiness {
    return readinessIn(this.record.definition, thread, view);
  }

  hindrance(view: View): string | undefined {
    return this.record.parked ?? spentBudget(this.record, view);
  }

  alarm(_view: View): Date | undefined {
    return isOver(this.record) ? undefined : nextAlarm(this.record);
  }

  standing({ configuration, ledger }: View): Standing {
    const { record } = this;
    if (configuration.isClosed(`job:${record.job}`) && ledger.unreleased.size === 0) {
      return { kind: "ended", state: record.machine.state };
    }
    return record.parked === null ? { kind: "running" } : { kind: "parked", why: record.parked };
  }

  delivery({ configuration, ledger }: View): ReturnType<Director["delivery"]> {
    const { record } = this;
    if (record.machine.state !== "DONE" || record.delivered !== null || ledger.unreleased.size > 0)
      return undefined;
    if (!configuration.isClosed(this.#lastLead())) return undefined;
    return {
      mode: record.definition.deliver,
      message: deliveryMessage(record.definition, record.machine.state),
      summary: record.definition.artifacts.summary,
    };
  }

  /** The lead whose approval ended the job. */
  #lastLead(): ThreadId {
    const { job, machine, entries } = this.record;
    const from = machine.history.at(-1)?.from ?? "INTENT";
    return leadThread(job, from, entries[from]);
  }

  proxy(policy: Policy): Stand | undefined {
    const { proxy: agent, limits } = this.record.definition;
    // Where the human has to be asked and is not there, it could say nothing.
    if (agent === undefined || (policy === "always" && !asksHuman(this.record, policy))) return undefined;
    return { agent, retries: limits.retries };
  }

  proxyBrief(proxy: Proxy, known: readonly Remembered[], view: View): ProxyBrief {
    return proxyBriefOf(this.record, proxy, known, view);
  }

  unanswerable(policy: Policy): string | undefined {
    if (policy === "never")
      return "Nobody is asked in this state (escalation: never). Decide yourself, and say what you assumed.";
    if (this.record.definition.human === "none")
      return "There is nobody to ask (human: none). Decide yourself, and say what you assumed.";
    return undefined;
  }
}

function note(text: string): Draft {
  return { kind: "note", body: { level: "warn", thread: null, text } };
}

function transitionDraft(
  from: JobRecord,
  action: string,
  reason: string,
  origin: EntryBody<"transition">["origin"],
  to: JobRecord,
  record: string | null,
): Draft {
  const { state, backtracks } = to;
  return {
    kind: "transition",
    body: { from: from.state, action, to: state, reason, origin, backtracks, record },
  };
}
