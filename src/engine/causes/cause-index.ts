/**
 * Which entry brought about which: one chief cause each, found while a log is read from its start.
 *
 * I1. The cause of an entry is an earlier one: the choice that it carries out, the message that it takes up, the turn, act or
 *     transition that it follows in its commit. What comes from outside (a request, a person, a clock) has none.
 * I2. Reading goes on from entry to entry; a cause costs a look-up, whatever the log's length.
 */
import { questionOf } from "../../persistence/conversation.ts";
import type { Entry, EntryBody, EntryKind } from "../../persistence/entry.ts";
import type { Step } from "../../persistence/verify.ts";
import type { Configuration } from "../../soup/configuration.ts";
import type { ThreadId } from "../../soup/message.ts";
import { newMail } from "./new-mail.ts";

type Firing = EntryBody<"fire">;

/** See the header. Numbers are those of entries. */
export class CauseIndex {
  /** Cause of each entry, by its number. */
  readonly #causes = new Map<number, number>();
  /** Newest entries of the present commit, by kind. */
  #commit = new Map<EntryKind, number>();
  #round = 0;
  /** Newest entries of each kind. */
  readonly #newest = new Map<EntryKind, number>();
  /** Who put a message into a mailbox, by thread and message. */
  readonly #mail = new Map<string, number>();
  readonly #interrupts = new Map<ThreadId, number[]>();
  /** Entries that ended a turn, by thread and turn, and by the record that it left. */
  readonly #turns = new Map<string, number>();
  readonly #records = new Map<string, number>();
  /** Newest stage of each question; of one that has its answer that is the answer. */
  readonly questions = new Map<string, number>();
  /** Newest choice and newest Run of each thread; what made it die, and what ended it. */
  readonly choices = new Map<ThreadId, number>();
  readonly runs = new Map<ThreadId, number>();
  readonly terminations = new Map<ThreadId, number>();
  readonly ends = new Map<ThreadId, number>();
  /** The job's own thread. */
  root: ThreadId = "";

  /** The chief cause of an entry, if it has one in the log. */
  causeOf(seq: number): number | undefined {
    return this.#causes.get(seq);
  }

  /** The newest entry of a kind. */
  newest(kind: EntryKind): number | undefined {
    return this.#newest.get(kind);
  }

  /** Takes up the next step of the log. */
  take(step: Step): void {
    const { entry } = step;
    if (entry.round !== this.#round) this.#commit = new Map();
    this.#round = entry.round;
    const cause = this.#cause(entry, step.before);
    if (cause !== undefined) this.#causes.set(entry.seq, cause);
    this.#learn(step);
    this.#commit.set(entry.kind, entry.seq);
    this.#newest.set(entry.kind, entry.seq);
  }

  #cause(entry: Entry, before: Configuration): number | undefined {
    switch (entry.kind) {
      case "fire":
        return this.#causeOfFiring(entry.body, before);
      case "workspace":
        return this.#asked(entry.body.thread) ?? this.choices.get(entry.body.parent);
      case "post":
        return (
          this.#here("open", "violation", "turn", "release", "act") ?? this.#noticed(entry.body.message.id)
        );
      case "interrupt":
        return this.#here("act");
      case "terminate":
        return this.#here("turn", "transition", "act") ?? this.#causeOfEnd(entry.body.thread);
      case "rollback":
      case "start":
      case "turn":
        return this.#asked(entry.body.thread) ?? this.runs.get(entry.body.thread);
      case "release":
        return this.#asked(entry.body.thread) ?? this.#here("turn") ?? this.ends.get(entry.body.thread);
      case "transition":
        return this.runs.get(this.root);
      case "violation":
        return this.#here("turn") ?? this.#turns.get(`${entry.body.thread} ${entry.body.turn}`);
      case "hold":
        return entry.body.record === null ? this.newest("hold") : this.#records.get(entry.body.record);
      case "park":
        return this.#here("act") ?? (entry.body.parked ? this.newest("turn") : undefined);
      case "deliver":
        return this.newest("transition");
      case "notify":
        return this.questions.get(entry.body.question);
      case "note":
        return this.#here("act", "turn", "transition");
      case "open":
      case "configure":
      case "act":
      case "fork":
      case "resume":
        return undefined;
    }
  }

  #causeOfFiring({ rule, at }: Firing, before: Configuration): number | undefined {
    const [thread = "", question = ""] = [at["t"], at["e"]];
    switch (rule) {
      case "wake": {
        const mailbox = before.cell(thread)?.mailboxes.find(({ agent }) => agent === at["A"]);
        return this.#mail.get(`${thread} ${mailbox?.messages.head?.id ?? ""}`);
      }
      case "interrupt":
      case "wake-int":
        return this.#interrupts.get(thread)?.[0];
      case "send-step":
      case "nosend-step":
      case "ask-step":
        return this.#here("turn", "transition") ?? this.runs.get(thread);
      case "escalate":
      case "respond":
        return this.#here("turn") ?? this.questions.get(question);
      case "human-reply":
        return this.#here("act");
      default:
        return rule.startsWith("term-") || rule === "cascade"
          ? this.terminations.get(thread)
          : this.choices.get(thread);
    }
  }

  /** Why the orchestrator ends a thread out of its own: the work is delivered, or an approval waits for its children. */
  #causeOfEnd(thread: ThreadId): number | undefined {
    return thread === this.root ? this.newest("deliver") : this.newest("hold");
  }

  /** What stands in the log of the conversation of a question follows from the newest stage of the question. */
  #asked(thread: ThreadId): number | undefined {
    const question = questionOf(thread);
    return question === undefined ? undefined : this.questions.get(question);
  }

  /** The first of these kinds that stands in the present commit. */
  #here(...kinds: readonly EntryKind[]): number | undefined {
    return kinds.map((kind) => this.#commit.get(kind)).find((seq) => seq !== undefined);
  }

  /** The turn that a notice to the orchestrator is about; its id ends in thread and turn (job/notice.ts). */
  #noticed(id: string): number | undefined {
    const [, thread, turn] = /^notice:(.+):(\d+)$/.exec(id) ?? [];
    return this.#turns.get(`${thread} ${turn}`);
  }

  #learn(step: Step): void {
    const { entry, before } = step;
    for (const { thread, id } of newMail(step)) this.#mail.set(`${thread} ${id}`, entry.seq);
    switch (entry.kind) {
      case "open":
        this.root = entry.body.root.thread;
        return;
      case "interrupt":
        this.#interrupts.set(entry.body.thread, [
          ...(this.#interrupts.get(entry.body.thread) ?? []),
          entry.seq,
        ]);
        return;
      case "terminate":
        if (!before.dying(entry.body.thread)) this.terminations.set(entry.body.thread, entry.seq);
        return;
      case "turn":
        this.#turns.set(`${entry.body.thread} ${entry.body.turn}`, entry.seq);
        if (entry.body.outcome !== null) this.#records.set(entry.body.outcome, entry.seq);
        return;
      case "fire":
        this.#learnFiring(entry.body, entry.seq);
        return;
      default:
        return;
    }
  }

  #learnFiring({ rule, at }: Firing, seq: number): void {
    const [thread = "", other = "", question = ""] = [at["t"], at["t'"], at["e"]];
    switch (rule) {
      case "wake":
        this.runs.set(thread, seq);
        return;
      case "wake-int":
      case "interrupt":
        this.runs.set(thread, seq);
        this.#interrupts.get(thread)?.shift();
        return;
      case "send-step":
      case "nosend-step":
      case "ask-step":
        this.choices.set(thread, seq);
        return;
      case "ask":
      case "send-ask":
      case "escalate":
      case "human-reply":
      case "respond":
        this.questions.set(question, seq);
        return;
      case "send-terminate":
      case "cascade":
        this.terminations.set(other, seq);
        return;
      case "term-final":
        this.ends.set(thread, seq);
        return;
      default:
        return;
    }
  }
}
