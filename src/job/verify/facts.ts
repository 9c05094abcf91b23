/**
 * What the entries so far say of a job, as far as its checks need it. Folded from entries alone, and by nothing of the engine.
 *
 * F1. The checks of an entry see the facts before it; {@link JobFacts.apply} comes after them.
 */
import type { Entry, EntryBody } from "../../persistence/entry.ts";
import { invariant } from "../../soup/invariant.ts";
import type { ThreadId } from "../../soup/message.ts";
import { type JobDefinition, jobDefinitionSchema } from "../definition.ts";
import { isAction, type JobRecord, NEW_RECORD, type Origin, step } from "../machine.ts";
import { leadThread } from "../state-record.ts";

/** See the header. */
export class JobFacts {
  /** The job's thread and its agent, and the id by which the threads of its states are named. */
  root: EntryBody<"open">["root"] = { agent: "", thread: "" };
  job = "";
  machine: JobRecord = NEW_RECORD;
  /** State-level failures since the state was entered. */
  failures = 0;
  /** When the job was opened, milliseconds since 1970; later by what lies before a fork. */
  openedAt = 0;
  parked = false;
  /** An approval is held. */
  held = false;
  delivered = false;
  readonly #entered = new Map<string, number>([["INTENT", 1]]);
  #definition: JobDefinition | undefined;
  /** Newest outcome record of each thread; of a turn that was judged a failure, none. */
  readonly records = new Map<ThreadId, string | null>();
  /** Threads whose newest turn has failed. */
  readonly failing = new Set<ThreadId>();
  /** How many turns of each thread have failed. */
  readonly failedTurns = new Map<ThreadId, number>();
  /** How many turns of each thread have ended and were not overtaken. */
  readonly turns = new Map<ThreadId, number>();
  readonly parents = new Map<ThreadId, ThreadId>();
  readonly failed = new Set<ThreadId>();
  readonly optional = new Set<ThreadId>();
  /** What turns have called optional, below their thread. */
  readonly #named = new Set<string>();

  get definition(): JobDefinition {
    invariant(this.#definition !== undefined, "the definition is judged before it is used");
    return this.#definition;
  }

  /** The lead of the present state. */
  get lead(): ThreadId {
    const { state } = this.machine;
    return leadThread(this.job, state, this.#entered.get(state) ?? 0);
  }

  apply(entry: Entry): void {
    switch (entry.kind) {
      case "open":
        this.#open(entry);
        return;
      case "fork":
        this.openedAt += Date.parse(entry.at) - Date.parse(entry.body.at);
        return;
      case "turn":
        this.#turn(entry.body);
        return;
      case "violation":
        this.failures = entry.body.failures;
        this.records.delete(entry.body.thread);
        return;
      case "hold":
        this.held = entry.body.action !== null;
        return;
      case "park":
        this.parked = entry.body.parked;
        return;
      case "deliver":
        this.delivered = true;
        return;
      case "transition":
        this.#enter(entry.body);
        return;
      case "terminate": {
        const { thread, mode, origin } = entry.body;
        if (mode === "drop" && (origin === "orchestrator" || origin === "engine")) this.failed.add(thread);
        return;
      }
      case "fire":
        this.#fire(entry.body);
        return;
      default:
        return;
    }
  }

  /** The required children of a thread that have failed, and that it has not closed. */
  failedBelow(thread: ThreadId): readonly ThreadId[] {
    return [...this.failed].filter((one) => this.parents.get(one) === thread && !this.optional.has(one));
  }

  #open({ at, body }: Extract<Entry, { kind: "open" }>): void {
    this.root = body.root;
    this.job = body.job;
    this.openedAt = Date.parse(at);
    this.#definition = jobDefinitionSchema.safeParse(body.definition).data;
  }

  #turn({ thread, result, outcome, optional }: EntryBody<"turn">): void {
    if (result === "aborted") return;
    this.records.set(thread, outcome);
    if (result === "failed") {
      this.failing.add(thread);
      this.failedTurns.set(thread, (this.failedTurns.get(thread) ?? 0) + 1);
    } else this.failing.delete(thread);
    this.turns.set(thread, (this.turns.get(thread) ?? 0) + 1);
    for (const one of optional) this.#named.add(`${thread} ${one}`);
  }

  #fire({ rule, at }: EntryBody<"fire">): void {
    const [thread = "", other = ""] = [at["t"], at["t'"]];
    if (rule === "spark") {
      this.parents.set(other, thread);
      if (this.#named.has(`${thread} ${other}`)) this.optional.add(other);
    }
    if (rule === "send-closed" && this.parents.get(other) === thread) this.failed.delete(other);
    if ((rule === "wake" || rule === "wake-int" || rule === "interrupt") && thread === this.lead)
      this.held = false;
  }

  #enter({ action, reason, origin }: EntryBody<"transition">): void {
    if (!isAction(action)) return;
    const next = step(this.machine, action, { reason, origin: originOf(origin) });
    if ("refused" in next) return;
    this.machine = next.record;
    this.failures = 0;
    this.held = false;
    this.#entered.set(next.record.state, (this.#entered.get(next.record.state) ?? 0) + 1);
  }
}

/** Who takes an action, as the machine knows them: the engine acts for the orchestrator. */
export function originOf(origin: EntryBody<"transition">["origin"]): Origin {
  return origin === "engine" ? "orchestrator" : origin;
}
