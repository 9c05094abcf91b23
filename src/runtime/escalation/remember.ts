/**
 * The memory of the human, as the scheduler uses it: what the log says of questions is noted in it, and what it holds is told to the
 * proxy, to nobody else.
 *
 * R1. What is noted follows from the log alone, under keys that are the same each time: it is written after the commit, and again when
 *     a process takes the job over; what stands there already stays.
 * R2. A memory that cannot be read or written is said in the log, and holds nothing up.
 */
import { conversationOf } from "../../persistence/conversation.ts";
import type { Draft } from "../../persistence/entry.ts";
import type { Experience, HumanMemory, Remembered } from "../../persistence/human-memory.ts";
import type { QuestionId, ThreadId } from "../../soup/message.ts";
import type { Proxy } from "../../soup/molecule.ts";
import type { Ledger } from "../ledger.ts";
import type { QuestionRecord } from "../question-record.ts";
import type { Launch } from "../tree-effects.ts";
import type { EscalationRecord } from "./escalations.ts";

/** Most that one prompt is told, in records and in bytes of their texts. */
const BOUNDS = { records: 12, bytes: 16 * 1024 };

/** A human of whom something is known, and what the job asks for: part of the context of its questions. */
export type RememberedHuman = { readonly memory: HumanMemory; readonly request: string };

/** What the memory says to a question, and the remark that it could not be read (R2). */
export async function recallFor(
  remembered: RememberedHuman | undefined,
  { text, question }: Proxy,
  { exchanges }: EscalationRecord,
): Promise<{ readonly known: readonly Remembered[]; readonly remark: readonly Draft[] }> {
  const words = [text.body, ...exchanges.map(({ asked }) => asked)].join("\n");
  try {
    return { known: (await remembered?.memory.recall(words, BOUNDS)) ?? [], remark: [] };
  } catch (error) {
    return { known: [], remark: [remarkOn(error, "read", conversationOf(question))] };
  }
}

/** What is to be noted of a question by now (R1). */
export function experiencesOf(
  record: EscalationRecord,
  { policy }: Pick<QuestionRecord, "policy">,
  { root, job, request }: { readonly root: ThreadId; readonly job: string; readonly request: string },
): readonly Experience[] {
  const { question, agent, thread, text, exchanges, answer } = record;
  const context = `${agent} on ${thread} under ${policy}, in job ${job}: ${request}`;
  // A fork takes over the entries of another job: what was said in them was said once.
  const common = (at: string) => ({ key: `${root}/${question}/${at}`, at, job, question, context, text });
  // A default answer is nothing that the human has said.
  const replies = exchanges.flatMap(({ asked, byProxy, byDefault, replied, at }): Experience[] =>
    replied === null || byDefault ? [] : [{ ...common(at), view: byProxy ? asked : null, answer: replied }],
  );
  if (replies.length > 0 || answer === undefined || !answer.byProxy) return replies;
  return [{ ...common(answer.at), view: answer.text, answer: null }];
}

/** Notes what the log says of questions, after it has been committed. */
export class MemoryEffects {
  readonly #remembered: RememberedHuman;
  readonly #job: string;
  readonly #launch: Launch;
  /** How many experiences have been handed over, by question. */
  readonly #noted = new Map<QuestionId, number>();
  #due: Set<QuestionId> | undefined;
  #isWriting = false;

  constructor(remembered: RememberedHuman, job: string, launch: Launch) {
    this.#remembered = remembered;
    this.#job = job;
    this.#launch = launch;
  }

  /** Takes note of a thread whose questions may have changed. */
  observe(thread: ThreadId, { escalations }: Ledger): void {
    for (const { question } of escalations.of(thread)) this.#due?.add(question);
  }

  /** Writes what is new. The first time that is everything: a crash may have come before a write (R1). */
  start(ledger: Ledger): void {
    this.#due ??= new Set(ledger.escalations.records.keys());
    if (this.#isWriting) return;
    const fresh = this.#take(ledger);
    if (fresh.length === 0) return;
    this.#isWriting = true;
    this.#launch(async () => {
      const remarks = await this.#write(fresh);
      return () => {
        this.#isWriting = false;
        return remarks;
      };
    });
  }

  #take({ escalations, questions, root }: Ledger): readonly Experience[] {
    const { request } = this.#remembered;
    const found: Experience[] = [];
    for (const question of this.#due ?? []) {
      const record = escalations.records.get(question);
      const asked = questions.get(question);
      if (record === undefined || asked === undefined) continue;
      const all = experiencesOf(record, asked, { root, job: this.#job, request });
      found.push(...all.slice(this.#noted.get(question) ?? 0));
      this.#noted.set(question, all.length);
    }
    this.#due?.clear();
    return found;
  }

  async #write(experiences: readonly Experience[]): Promise<readonly Draft[]> {
    try {
      await this.#remembered.memory.note(experiences);
      return [];
    } catch (error) {
      return [remarkOn(error, "written", null)];
    }
  }
}

function remarkOn(error: unknown, what: "read" | "written", thread: ThreadId | null): Draft {
  if (!(error instanceof Error)) throw error;
  const text = `the memory of the human could not be ${what}: ${error.message}`;
  return { kind: "note", body: { level: "warn", thread, text } };
}
