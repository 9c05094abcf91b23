/**
 * Answering questions below the live view: which one is in front, what is typed, what the keys do.
 *
 * A1. Keys are listened to only while a question is open; otherwise the terminal is as it was, and Ctrl-C is a signal.
 * A2. What was typed for a question that has ended meanwhile is not sent, and is shown so that it is not lost.
 * A3. A question that was answered here is not offered again while its answer is on its way. It is when that has failed, and when
 *     the human is asked again after a reply.
 * A4. A key counts only for a question that stands on the screen: whatever was typed or pasted before is dropped.
 * A5. After A2 the next question takes no text until Tab has chosen it, for what is typed then may belong to the one that has gone.
 */
import type { Input, Key, Output } from "../context.ts";
import type { QuestionView } from "../view/question-view.ts";
import { clip, clipStart, count, firstLine, plain } from "../view/text.ts";
import { threadName } from "../view/thread-view.ts";
import { NOTHING_TYPED, PASTE_OFF, PASTE_ON, press, type Typed } from "./typing.ts";

/** What answering needs of the run. */
export type AnsweringMeans = {
  readonly keys: NonNullable<Input["keys"]>;
  /** Gives an answer to the job; rejects where it could not be given. */
  readonly send: (question: string, text: string) => Promise<void>;
  /** What Ctrl-C does. */
  readonly stop: () => void;
};

/** Most lines of an answer that are shown; the last ones. */
const LINES_SHOWN = 6;

const HELP = "type the answer, Enter sends it; Ctrl-U clears, Ctrl-C stops the run";

const HELD = "press Tab to answer this question; until then nothing typed counts";

/** See the header. */
export class Answering {
  readonly #means: AnsweringMeans;
  readonly #output: Output;
  readonly #say: (line: string) => void;
  readonly #sent = new Set<string>();
  #asked: readonly QuestionView[] = [];
  #open: readonly QuestionView[] = [];
  #front: string | undefined;
  /** The question whose keys count (A4). */
  #shown: string | undefined;
  /** Set until Tab chooses (A5). */
  #held = false;
  /** Set during a paste that began for no question, or for one that has gone. */
  #strayPaste = false;
  #typed: Typed = NOTHING_TYPED;
  #hint = "";
  #over = false;
  #unlisten: (() => void) | undefined;

  /** `say` prints a line above the view, for good. */
  constructor(means: AnsweringMeans, output: Output, say: (line: string) => void) {
    this.#means = means;
    this.#output = output;
    this.#say = say;
  }

  /** A picture is about to be drawn: keys pressed up to now were not for a question that it is the first to show (A4). */
  beforePicture(): void {
    if (this.#unlisten !== undefined) this.#shown = this.#front;
  }

  /** Takes note of the questions that are open now; of none any more after the end. */
  take(questions: readonly QuestionView[]): void {
    if (this.#over) return;
    this.#asked = questions;
    this.#open = questions.filter(({ id }) => !this.#sent.has(id));
    if (this.#front !== undefined && !this.#open.some(({ id }) => id === this.#front))
      this.#leave(this.#front);
    this.#front ??= this.#open[0]?.id;
    if (this.#front === undefined) this.#stopListening();
    else this.#listen();
  }

  /** Somebody has replied to the question; if it is open later on, the human is asked again. */
  replied(question: string): void {
    this.#sent.delete(question);
    if (question === this.#front) this.#leave(question);
  }

  /** The lines below the tree; none while no question is open or its keys do not count yet. */
  lines(width: number): readonly string[] {
    const at = this.#open.findIndex(({ id }) => id === this.#front);
    const question = this.#open[at];
    if (question === undefined || this.#shown !== question.id) return [];
    const { id, agent, thread, text } = question;
    const others =
      this.#open.length > 1 ? ` (${at + 1} of ${count(this.#open.length, "question")}, Tab: next)` : "";
    const answer = this.#typed.text.split("\n").slice(-LINES_SHOWN);
    return [
      `? ${id} of ${agent} ${threadName(thread)}${others}: ${firstLine(text)}`,
      ...answer.map((line, row) => `${row === 0 ? "> " : "  "}${clipStart(plainLine(line), width - 2)}`),
      this.#hint === "" ? (this.#held ? HELD : HELP) : this.#hint,
    ].map((line) => clip(line, width));
  }

  /** Gives the terminal back. */
  end(): void {
    this.#over = true;
    this.#asked = [];
    this.#open = [];
    this.#stopListening();
  }

  #listen(): void {
    if (this.#unlisten !== undefined) return;
    this.#output.write(PASTE_ON);
    this.#unlisten = this.#means.keys((key) => this.#press(key));
  }

  #stopListening(): void {
    if (this.#unlisten === undefined) return;
    this.#unlisten();
    this.#unlisten = undefined;
    this.#shown = undefined;
    this.#strayPaste = false;
    this.#output.write(PASTE_OFF);
  }

  #press(key: Key): void {
    if (this.#isDropped(key)) return;
    const { typed, wish } = press(this.#typed, key);
    this.#typed = typed;
    this.#hint = "";
    switch (wish) {
      case "type":
        return;
      case "send":
        return this.#send();
      case "next":
        return this.#next();
      case "stop":
        return this.#means.stop();
      case "nothing":
        this.#hint = HELP;
        return;
    }
  }

  /** Whether the key is none for the question in front (A4, A5). Ctrl-C always counts. */
  #isDropped(key: Key): boolean {
    if (key.ctrl && key.name === "c") return false;
    const unseen = this.#shown === undefined || this.#shown !== this.#front;
    if (key.name === "paste-start" && (unseen || this.#held)) this.#strayPaste = true;
    if (this.#strayPaste) {
      if (key.name === "paste-end") this.#strayPaste = false;
      return true;
    }
    return unseen || (this.#held && key.name !== "tab");
  }

  #send(): void {
    const { text } = this.#typed;
    if (this.#front === undefined) return;
    if (text.trim() === "") {
      this.#hint = "the answer is empty: say something";
      return;
    }
    void this.#give(this.#front, text);
    this.#typed = NOTHING_TYPED;
    this.#front = undefined;
    this.take(this.#asked);
  }

  async #give(question: string, text: string): Promise<void> {
    this.#sent.add(question);
    try {
      await this.#means.send(question, text);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#say(`the answer to ${question} was not given: ${plain(reason)}; not sent: ${plain(text)}`);
      this.#sent.delete(question);
      this.take(this.#asked);
    }
  }

  #next(): void {
    if (this.#held) {
      this.#held = false;
      return;
    }
    const at = this.#open.findIndex(({ id }) => id === this.#front);
    const next = this.#open[(at + 1) % this.#open.length]?.id;
    if (next === this.#front) this.#hint = "no other question is open";
    else if (this.#typed.text !== "") this.#hint = "send or clear (Ctrl-U) what you have typed first";
    else this.#front = next;
  }

  #leave(question: string): void {
    const { text, pasting } = this.#typed;
    if (text.trim() !== "") this.#say(`question ${question} is not open any more; not sent: ${plain(text)}`);
    this.#held ||= text !== "" || pasting;
    this.#strayPaste ||= pasting;
    this.#front = undefined;
    this.#shown = undefined;
    this.#typed = NOTHING_TYPED;
    this.#hint = "";
  }
}

function plainLine(line: string): string {
  return line.replaceAll("\t", "  ");
}
