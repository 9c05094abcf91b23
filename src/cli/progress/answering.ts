/**
 * Answering questions below the live view: which one is in front, what is typed, what the keys do.
 *
 * A1. Keys are listened to only while a question is open; otherwise the terminal is as it was, and Ctrl-C is a signal.
 * A2. What was typed for a question that has ended meanwhile is not sent, and is shown so that it is not lost.
 * A3. A question that was answered here is not offered again while its answer is on its way.
 */
import type { Input, Key, Output } from "../context.ts";
import type { QuestionView } from "../view/question-view.ts";
import { clip, count, firstLine, graphemes, plain } from "../view/text.ts";
import { threadName } from "../view/thread-view.ts";
import { NOTHING_TYPED, PASTE_OFF, PASTE_ON, press, type Typed } from "./typing.ts";

/** What answering needs of the run. */
export type AnsweringMeans = {
  readonly keys: NonNullable<Input["keys"]>;
  /** Gives an answer to the job. */
  readonly send: (question: string, text: string) => void;
  /** What Ctrl-C does. */
  readonly stop: () => void;
};

/** Most lines of an answer that are shown; the last ones. */
const LINES_SHOWN = 6;

const HELP = "type the answer, Enter sends it; Ctrl-U clears, Ctrl-C stops the run";

/** See the header. */
export class Answering {
  readonly #means: AnsweringMeans;
  readonly #output: Output;
  readonly #say: (line: string) => void;
  readonly #sent = new Set<string>();
  #open: readonly QuestionView[] = [];
  #front: string | undefined;
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

  /** Takes note of the questions that are open now; of none any more after the end. */
  take(questions: readonly QuestionView[]): void {
    if (this.#over) return;
    this.#open = questions.filter(({ id }) => !this.#sent.has(id));
    if (this.#front !== undefined && !this.#open.some(({ id }) => id === this.#front))
      this.#leave(this.#front);
    this.#front ??= this.#open[0]?.id;
    if (this.#front === undefined) this.#stopListening();
    else this.#listen();
  }

  /** The lines below the tree; none when no question is open. */
  lines(width: number): readonly string[] {
    const at = this.#open.findIndex(({ id }) => id === this.#front);
    const question = this.#open[at];
    if (question === undefined) return [];
    const { id, agent, thread, text } = question;
    const others =
      this.#open.length > 1 ? ` (${at + 1} of ${count(this.#open.length, "question")}, Tab: next)` : "";
    const answer = this.#typed.text.split("\n").slice(-LINES_SHOWN);
    return [
      `? ${id} of ${agent} ${threadName(thread)}${others}: ${firstLine(text)}`,
      ...answer.map((line, row) => tail(`${row === 0 ? "> " : "  "}${plainLine(line)}`, width)),
      this.#hint === "" ? HELP : this.#hint,
    ].map((line) => clip(line, width));
  }

  /** Gives the terminal back. */
  end(): void {
    this.#over = true;
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
    this.#output.write(PASTE_OFF);
  }

  #press(key: Key): void {
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

  #send(): void {
    const { text } = this.#typed;
    if (this.#front === undefined) return;
    if (text.trim() === "") {
      this.#hint = "the answer is empty: say something";
      return;
    }
    this.#means.send(this.#front, text);
    this.#sent.add(this.#front);
    this.#typed = NOTHING_TYPED;
    this.#front = undefined;
    this.take(this.#open);
  }

  #next(): void {
    const at = this.#open.findIndex(({ id }) => id === this.#front);
    const next = this.#open[(at + 1) % this.#open.length]?.id;
    if (next === this.#front) this.#hint = "no other question is open";
    else if (this.#typed.text !== "") this.#hint = "send or clear (Ctrl-U) what you have typed first";
    else this.#front = next;
  }

  #leave(question: string): void {
    if (this.#typed.text.trim() !== "")
      this.#say(`question ${question} is not open any more; not sent: ${plain(this.#typed.text)}`);
    this.#front = undefined;
    this.#typed = NOTHING_TYPED;
    this.#hint = "";
  }
}

function plainLine(line: string): string {
  return line.replaceAll("\t", "  ");
}

/** The end of a line that is too long, where one types. */
function tail(line: string, width: number): string {
  const letters = graphemes(line);
  return letters.length < width ? line : `> …${letters.slice(letters.length - width + 4).join("")}`;
}
