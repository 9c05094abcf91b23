/**
 * The job in its log: every transition is one of the machine's, decided by who says so, on the ground that it names.
 *
 * V1. A transition starts where the job stands, leads where its action leads, and counts backtracks (CfA §3).
 * V2. One of a skill repeats the outcome record of its lead's newest turn, byte for byte, and says what that says.
 * V3. An approval leaves no child of the lead open, and none failed that the lead has not closed, unless it was optional.
 * V4. A transition is a choice of the orchestrator: its commit fires one on the job's thread.
 * V5. Whoever runs a turn in the place of an agent is its fallback, and the turn of that thread before it failed (docs/job.md, "Failures").
 */
import type { Entry, EntryBody } from "../persistence/entry.ts";
import type { Flaw, LogCheck, Step } from "../persistence/verify.ts";
import type { Configuration } from "../soup/configuration.ts";
import type { ThreadId } from "../soup/message.ts";
import { isAction, type JobRecord, NEW_RECORD, step } from "./machine.ts";
import { jobDefinitionSchema } from "./definition.ts";
import { judgeRecord } from "./outcome.ts";
import { leadThread } from "./state-record.ts";
import { isLive } from "./machine.ts";

/** The check of the job's states. */
export function jobCheck(): LogCheck {
  const facts = new JobFacts();
  return {
    name: "job",
    says: "every transition is the machine's, on the ground that it names",
    step: (one) => {
      const problem = facts.flaw(one);
      facts.apply(one.entry);
      return problem;
    },
    commit: (steps) => undecided(steps, facts.root),
  };
}

/** What the entries so far say of the job. */
class JobFacts {
  /** The job's thread, and the id by which the threads of its states are named. */
  root: ThreadId = "";
  #job = "";
  #machine: JobRecord = NEW_RECORD;
  #entered = new Map<string, number>([["INTENT", 1]]);
  #failures = 0;
  readonly #records = new Map<ThreadId, string | null>();
  readonly #withdrawals = new Set<string>();
  readonly #optional = new Set<ThreadId>();
  readonly #parents = new Map<ThreadId, ThreadId>();
  readonly #failed = new Set<ThreadId>();
  readonly #fallbacks = new Map<string, string>();
  /** Threads whose newest turn has failed. */
  readonly #failing = new Set<ThreadId>();

  flaw({ entry, before }: Step): string | undefined {
    switch (entry.kind) {
      case "open":
        return jobDefinitionSchema.safeParse(entry.body.definition).error === undefined
          ? undefined
          : "its definition is not that of a job: this cfa does not know its form";
      case "start":
      case "turn":
        return this.#substitution(entry.body);
      case "transition":
        return this.#transition(entry.body, before);
      case "violation":
        return this.#violation(entry.body);
      case "deliver":
        return this.#machine.state === "DONE"
          ? undefined
          : `the job is ${this.#machine.state}; only DONE delivers`;
      default:
        return undefined;
    }
  }

  apply(entry: Entry): void {
    switch (entry.kind) {
      case "open":
        this.#job = entry.body.job;
        this.root = entry.body.root.thread;
        this.#learnFallbacks(entry.body.definition);
        return;
      case "turn":
        if (entry.body.result !== "aborted") this.#records.set(entry.body.thread, entry.body.outcome);
        if (entry.body.result === "failed") this.#failing.add(entry.body.thread);
        if (entry.body.result === "ok") this.#failing.delete(entry.body.thread);
        for (const thread of entry.body.optional) this.#optional.add(thread);
        return;
      case "act":
        if (entry.body.verb === "withdraw") this.#withdrawals.add(entry.body.text);
        return;
      case "violation":
        this.#failures = entry.body.failures;
        return;
      case "transition":
        this.#enter(entry.body);
        return;
      case "terminate": {
        const { thread, mode, origin } = entry.body;
        if (mode === "drop" && (origin === "orchestrator" || origin === "engine")) this.#failed.add(thread);
        return;
      }
      case "fire":
        this.#fire(entry.body);
        return;
      default:
        return;
    }
  }

  #learnFallbacks(definition: unknown): void {
    const agents = jobDefinitionSchema.safeParse(definition).data?.agents ?? {};
    for (const [name, { fallback }] of Object.entries(agents))
      if (fallback !== null) this.#fallbacks.set(name, fallback);
  }

  /** Why nobody may stand in as the entry says (V5). */
  #substitution({ thread, agent, by }: EntryBody<"start"> | EntryBody<"turn">): string | undefined {
    if (by === undefined) return undefined;
    if (this.#fallbacks.get(agent) !== by) return `${by} is not the fallback of ${agent}`;
    return this.#failing.has(thread)
      ? undefined
      : `${by} stands in for ${agent} after a failed turn only, and the one before on ${thread} has not failed`;
  }

  #fire({ rule, at }: EntryBody<"fire">): void {
    const [thread = "", other = ""] = [at["t"], at["t'"]];
    if (rule === "spark") this.#parents.set(other, thread);
    if (rule === "send-closed" && this.#parents.get(other) === thread) this.#failed.delete(other);
  }

  #enter({ action, reason, origin }: EntryBody<"transition">): void {
    if (!isAction(action)) return;
    const next = step(this.#machine, action, { reason, origin: originOf(origin) });
    if ("refused" in next) return;
    this.#machine = next.record;
    this.#failures = 0;
    this.#entered.set(next.record.state, (this.#entered.get(next.record.state) ?? 0) + 1);
  }

  #violation({ state, failures }: EntryBody<"violation">): string | undefined {
    if (state !== this.#machine.state) return `it is of ${state}, and the job is in ${this.#machine.state}`;
    const next = this.#failures + 1;
    return failures === next
      ? undefined
      : `it counts ${failures} failures, and this is number ${next} of its state`;
  }

  #transition(body: EntryBody<"transition">, before: Configuration): string | undefined {
    const { from, action, to, reason, origin, backtracks } = body;
    const { state } = this.#machine;
    if (from !== state) return `it leaves ${from}, and the job is in ${state}`;
    if (!isAction(action)) return `${action} is no action of a job`;
    const next = step(this.#machine, action, { reason, origin: originOf(origin) });
    if ("refused" in next) return next.refused;
    if (to !== next.record.state) return `${action} leads to ${next.record.state}, not to ${to}`;
    if (backtracks !== next.record.backtracks)
      return `it counts ${backtracks} backtracks, and there are ${next.record.backtracks}`;
    if (origin === "human" && action === "WITHDRAW" && !this.#withdrawals.has(reason))
      return "it needs the act of a person before it that withdraws the job with this reason";
    if (origin !== "skill" || !isLive(state)) return undefined;
    const lead = leadThread(this.#job, state, this.#entered.get(state) ?? 0);
    return (
      this.#groundless(body, lead) ??
      (action.startsWith("APPROVED_") ? this.#unready(lead, before) : undefined)
    );
  }

  /** Why the record that a transition names is not its ground (V2). */
  #groundless({ from, action, reason, record }: EntryBody<"transition">, lead: ThreadId): string | undefined {
    const written = this.#records.get(lead) ?? null;
    if (record === null || record !== written)
      return `it needs the outcome record that the newest turn of ${lead} has left, and repeats another`;
    if (from !== "INTENT" && from !== "PLAN" && from !== "EXECUTE") return undefined;
    const verdict = judgeRecord(from, record);
    if (verdict.verdict === "action" && verdict.action === action && verdict.reason === reason)
      return undefined;
    return `its record says ${verdict.verdict === "action" ? `${verdict.action}: ${verdict.reason}` : verdict.verdict}`;
  }

  /** Why an approval comes too early (V3). */
  #unready(lead: ThreadId, before: Configuration): string | undefined {
    const [open] = before.children(lead);
    if (open !== undefined)
      return `an approval waits until every child of ${lead} has ended, and ${open} is open`;
    const failed = [...this.#failed].find(
      (one) => this.#parents.get(one) === lead && !this.#optional.has(one),
    );
    return failed === undefined
      ? undefined
      : `${failed} has failed, and ${lead} has not closed it: it holds the approval`;
  }
}

function originOf(origin: EntryBody<"transition">["origin"]): "skill" | "orchestrator" | "human" {
  return origin === "engine" ? "orchestrator" : origin;
}

/** A transition without a choice of the orchestrator after it in its commit (V4). */
function undecided(steps: readonly Step[], root: ThreadId): Flaw | undefined {
  const at = steps.findIndex(({ entry }) => entry.kind === "transition");
  const transition = steps[at]?.entry;
  if (transition === undefined) return undefined;
  const chosen = steps.slice(at + 1).some(({ entry }) => isChoiceOn(entry, root));
  if (chosen) return undefined;
  return {
    seq: transition.seq,
    problem: `its commit must go on with the choice of the orchestrator on ${root}`,
  };
}

function isChoiceOn(entry: Entry, thread: ThreadId): boolean {
  return (
    entry.kind === "fire" &&
    ["send-step", "nosend-step"].includes(entry.body.rule) &&
    entry.body.at["t"] === thread
  );
}
