/**
 * The thread and the agent that somebody asks for, against those that a log names: a slip of the pen is said, not answered with nothing.
 *
 * N1. A name that no entry knows is unknown, whichever entries are printed.
 */
import { suggest } from "../../job/suggest.ts";
import { shortThread } from "../../job/thread-names.ts";
import { threadsNamed } from "../../persistence/change.ts";
import type { Step } from "../../persistence/verify.ts";
import { agentsNamed, touches } from "./replay-line.ts";

/** What is asked for; undefined asks for nothing. */
type Asked = { readonly thread?: string | undefined; readonly agent?: string | undefined };

/** See the header. */
export class NamesAsked {
  readonly #asked: Asked;
  readonly #threads = new Set<string>();
  readonly #agents = new Set<string>();
  #thread: boolean;
  #agent: boolean;

  constructor(asked: Asked) {
    this.#asked = asked;
    this.#thread = asked.thread === undefined;
    this.#agent = asked.agent === undefined;
  }

  /** Whether all that is asked for has been met. */
  get met(): boolean {
    return this.#thread && this.#agent;
  }

  /** Takes up the next entry. */
  meet({ entry }: Step): void {
    if (this.met) return;
    for (const thread of threadsNamed(entry)) this.#threads.add(shortThread(thread));
    const declared = entry.kind === "open" ? Object.keys(entry.body.rosters) : [];
    for (const agent of [...declared, ...agentsNamed(entry)]) this.#agents.add(agent);
    this.#thread ||= this.#asked.thread !== undefined && touches(entry, this.#asked.thread);
    this.#agent ||= this.#asked.agent !== undefined && this.#agents.has(this.#asked.agent);
  }

  /** What the log `name`, which has been read to its end, does not know, as a sentence. */
  unknown(name: string): string | undefined {
    const { thread = "", agent = "" } = this.#asked;
    if (!this.#thread) return `${name} has no thread ${thread}${hint(thread, this.#threads)}`;
    if (!this.#agent) return `${name} has no agent ${agent}${hint(agent, this.#agents)}`;
    return undefined;
  }
}

function hint(word: string, known: ReadonlySet<string>): string {
  const near = suggest(word, [...known]);
  return near === undefined ? "" : `: did you mean ${near}?`;
}
