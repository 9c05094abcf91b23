/**
 * Escalations: what the log says of each question's way to its answer, beyond the molecules. Derived by folding entries.
 *
 * E1. In the log a question is the conversation `escalation:<id>` below its asker: its workspace, the turns of the proxy, and the
 *     release of the workspace stand there under that name, as those of a thread do.
 * E2. What a person was asked and said stays for good: the memory of the human is made of it (remember.ts).
 */
import { conversationOf, questionOf } from "../../persistence/conversation.ts";
import type { Entry, EntryBody } from "../../persistence/entry.ts";
import type { AgentName, Message, QuestionId, ThreadId } from "../../soup/message.ts";

/** What the human was asked, and what they said to it. */
export type Exchange = {
  readonly asked: string;
  /** By the proxy; otherwise the question was put to the human as it stands. */
  readonly byProxy: boolean;
  /** The reply is the default answer, whose time had come: it counts as the answer, also where the proxy had asked. */
  readonly byDefault: boolean;
  /** Null until the human has replied. */
  readonly replied: string | null;
  /** When that was; until then, when they were asked. ISO 8601. */
  readonly at: string;
};

/** A program that runs for a question; a start time that is not known is null. */
type Process = { readonly pid: number; readonly started: string | null };

/** A question on its way. */
export type EscalationRecord = {
  readonly question: QuestionId;
  /** Who asked, and where. */
  readonly agent: AgentName;
  readonly thread: ThreadId;
  /** In the asker's words. */
  readonly text: string;
  /** The workspace of its asker when it asked: a snapshot; null where there was none. */
  readonly commit: string | null;
  /** Its workspace; absent before the first turn of the proxy. */
  workspace: "ready" | "refused" | "released" | undefined;
  /** Number of the next turn of the proxy. It goes up with each turn and with each process that takes the job over, so none is used twice. */
  next: number;
  /** Turns of the proxy that have ended, those that failed since the last good one, and why it failed last. */
  turns: number;
  failures: number;
  failure: string | null;
  session: string | undefined;
  /** A turn of the proxy has started and not ended. */
  running: boolean;
  /** Since when it is with whoever it is with now: asked, a turn begun or over, put to the human, replied to; ISO 8601. */
  since: string;
  process: Process | undefined;
  exchanges: readonly Exchange[];
  /** The answer, who gave it, and when; absent while there is none. */
  answer: { readonly text: string; readonly byProxy: boolean; readonly at: string } | undefined;
  /** An interrupt has taken the place of the turn on the answer, and no turn of the asker has ended well since. */
  lost: boolean;
  /** Answered, or gone with its thread. */
  over: boolean;
};

/** A record where what is not known may be left out. */
export type EscalationForm = Partial<EscalationRecord> &
  Pick<EscalationRecord, "question" | "agent" | "thread" | "text" | "commit" | "since">;

/** What folding escalations reads of the other folds. */
export type EscalationContext = {
  /** Newest logged snapshot of the tree in which a thread works; undefined where there is none. */
  readonly snapshotOf: (thread: ThreadId) => string | undefined;
};

/** Id of the act, and of the reply, by which a default answer is given. */
export function defaultReply(question: QuestionId): string {
  return `default:${question}`;
}

/** See the header. */
export class Escalations {
  readonly records = new Map<QuestionId, EscalationRecord>();
  /** Questions of each thread, in the order in which they were asked. */
  readonly #byThread = new Map<ThreadId, QuestionId[]>();

  /** The escalations of a form, which is not changed. */
  static from(form: Iterable<EscalationForm>): Escalations {
    const escalations = new Escalations();
    for (const record of form) escalations.#add({ ...NEW, ...record });
    return escalations;
  }

  /** The records of the questions of a thread. */
  of(thread: ThreadId): readonly EscalationRecord[] {
    return (this.#byThread.get(thread) ?? []).flatMap((question) => this.records.get(question) ?? []);
  }

  /** How often the human has been asked the question; 0 before the first time. */
  exchange(question: QuestionId): number {
    return this.records.get(question)?.exchanges.length ?? 0;
  }

  /** The turn on a message was given up for another one: if that was an answer, it is lost. */
  lose(message: Message | undefined): void {
    const record = this.records.get(message?.re ?? "");
    if (record?.answer !== undefined) record.lost = true;
  }

  /** Takes up an entry. Returns whether it is one of a question's conversation, and so of no thread. */
  apply(entry: Entry, context: EscalationContext): boolean {
    if (entry.kind === "fire") this.#fire(entry.body, entry.at, context);
    if (entry.kind === "resume")
      for (const record of this.records.values()) if (!record.over) lostWithProcess(record, entry.at);
    if (entry.kind === "turn" && entry.body.result === "ok")
      for (const record of this.of(entry.body.thread)) record.lost = false;
    if (entry.kind === "fork") for (const record of this.records.values()) forgetProcess(record);
    const thread = "thread" in entry.body ? entry.body.thread : null;
    const question = thread === null ? undefined : questionOf(thread);
    if (question === undefined) return false;
    const record = this.records.get(question);
    if (record !== undefined) take(record, entry);
    return true;
  }

  #fire({ rule, at, choice }: EntryBody<"fire">, time: string, { snapshotOf }: EscalationContext): void {
    const { A: agent = "", t: thread = "", e: question = "" } = at;
    const asked = (id: QuestionId, text: string): void =>
      this.#add({
        ...NEW,
        question: id,
        agent,
        thread,
        text,
        commit: snapshotOf(thread) ?? null,
        since: time,
      });
    if (rule === "ask-step" && choice?.e !== undefined) return asked(choice.e, choice.x?.body ?? "");
    for (const one of choice?.ps ?? []) if (one.kind === "ask") asked(one.question, one.text.body);
    if (rule === "term-final") for (const record of this.of(thread)) goWith(record, time);
    const record = this.records.get(question);
    if (record !== undefined) answerStage(record, rule, choice, time);
  }

  #add(record: EscalationRecord): void {
    this.records.set(record.question, record);
    const known = this.#byThread.get(record.thread);
    if (known === undefined) this.#byThread.set(record.thread, [record.question]);
    else known.push(record.question);
  }
}

const NEW = {
  workspace: undefined,
  next: 1,
  turns: 0,
  failures: 0,
  failure: null,
  session: undefined,
  running: false,
  process: undefined,
  exchanges: [],
  answer: undefined,
  lost: false,
  over: false,
} as const;

/** Its thread has ended. */
function goWith(record: EscalationRecord, at: string): void {
  if (!record.over) record.since = at;
  record.over = true;
  record.running = false;
}

/** A turn that was under way is run again, under another number. */
function lostWithProcess(record: EscalationRecord, at: string): void {
  record.next += 1;
  if (record.running) Object.assign(record, { running: false, since: at });
}

function forgetProcess(record: EscalationRecord): void {
  record.process = undefined;
  record.running = false;
  record.session = undefined;
}

/** The stages of a question between its asking and its answer. */
function answerStage(
  record: EscalationRecord,
  rule: string,
  choice: EntryBody<"fire">["choice"],
  at: string,
): void {
  const byProxy = (from: { readonly thread: ThreadId } | null | undefined): boolean =>
    from?.thread === conversationOf(record.question);
  if (rule === "escalate" && choice?.y !== undefined) {
    const { body, from } = choice.y;
    record.since = at;
    record.exchanges = [
      ...record.exchanges,
      { asked: body, byProxy: byProxy(from), byDefault: false, replied: null, at },
    ];
  }
  if (rule === "human-reply") {
    record.since = at;
    const last = record.exchanges.at(-1);
    const replied = choice?.["x'"]?.body ?? "";
    const byDefault = choice?.["x'"]?.id === defaultReply(record.question);
    if (last !== undefined)
      record.exchanges = [...record.exchanges.slice(0, -1), { ...last, byDefault, replied, at }];
  }
  if (rule !== "respond") return;
  record.answer = { text: choice?.a?.body ?? "", byProxy: byProxy(choice?.a?.from), at };
  record.over = true;
  record.since = at;
}

/** Takes up an entry of the question's own conversation. */
function take(record: EscalationRecord, entry: Entry): void {
  switch (entry.kind) {
    case "workspace":
      record.workspace = entry.body.commit === null ? "refused" : "ready";
      record.failure = entry.body.refused;
      return;
    case "start": {
      const { pid, started } = entry.body;
      record.process = pid === null ? undefined : { pid, started };
      record.running = true;
      record.since = entry.at;
      return;
    }
    case "turn": {
      const { result, failure, session } = entry.body;
      record.next = entry.body.turn + 1;
      record.turns += 1;
      record.process = undefined;
      record.running = false;
      if (!record.over) record.since = entry.at;
      record.session = session ?? record.session;
      if (result === "aborted") return;
      record.failures = result === "ok" ? 0 : record.failures + 1;
      record.failure = result === "ok" ? null : (failure ?? "it failed");
      return;
    }
    case "release":
      record.workspace = "released";
      return;
    default:
      return;
  }
}
