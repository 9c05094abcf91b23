/**
 * What a tool server knows of its turn, and the way of its calls into the outbox.
 *
 * M1. The facts of the turn are read once, when the server starts; a tool that only reads answers from them and from the calls made
 *     through this server, and touches no disk: a full disk, a read-only or vanished outbox never silences it.
 * M2. A tool that writes finds its turn anew each time: a call after the turn has ended is refused.
 * M3. What a call cannot write is answered with a sentence; the server goes on.
 * M4. Calls that a client makes without waiting for answers are written one after another, in the order in which they came.
 */
import { makeCall, makeOutcome } from "../../runtime/outbox-calls.ts";
import { noteRefusal } from "../../runtime/outbox-refusals.ts";
import type { Call } from "../../runtime/admission.ts";
import type { TurnFacts } from "../../runtime/agents/port.ts";
import type { OutboxEntry } from "../../runtime/outbox.ts";
import { filesInWorkspace } from "../files.ts";
import { type Environment, findTurn, type NoTurn, type Turn } from "../turn.ts";
import { unwritten } from "../unwritten.ts";
import { type Answer, failure, success } from "./result.ts";

/** How a call ended that goes into the outbox: what it wrote, or the answer that says why not. */
type Written = { readonly entry: OutboxEntry } | { readonly answer: Answer };

/** See the header. */
export class ToolSession {
  readonly #env: Environment;
  readonly #start: Turn | NoTurn;
  readonly #made: OutboxEntry[] = [];
  /** Settles when the calls that came before are written (M4). */
  #earlier: Promise<unknown> = Promise.resolve();

  private constructor(env: Environment, start: Turn | NoTurn) {
    this.#env = env;
    this.#start = start;
  }

  /** The session of the turn that the environment names; without one every call says so. */
  static async open(env: Environment): Promise<ToolSession> {
    return new ToolSession(env, await findTurn(env));
  }

  /** The facts of the turn, as they were when the server started (M1). */
  get facts(): TurnFacts | undefined {
    return "facts" in this.#start ? this.#start.facts : undefined;
  }

  /** The calls made through this server, in order. */
  get made(): readonly OutboxEntry[] {
    return this.#made;
  }

  /** Answers from the facts of the turn (M1). */
  read(tool: string, answer: (facts: TurnFacts) => Readonly<Record<string, unknown>>): Answer {
    if ("noTurn" in this.#start) return failure("no_turn", `${tool} ${this.#start.noTurn}`);
    return success(answer(this.#start.facts));
  }

  /** Makes a call, exactly as the verb of the command line does. `files` are named relative to the workspace. */
  async call(tool: string, verb: string, call: Call): Promise<Written> {
    return this.#write(tool, verb, async ({ outbox, facts }) => {
      const files =
        call.verb === "send" ? await filesInWorkspace(facts, facts.workspace, call.files, "files:") : [];
      if ("refused" in files) return files;
      const admission = await makeCall(outbox, facts, call.verb === "send" ? { ...call, files } : call);
      if ("entry" in admission) this.#made.push(admission.entry);
      return admission;
    });
  }

  /** Writes the outcome record, exactly as `cfa outcome` does. */
  async outcome(tool: string, outcome: string, reason: string): Promise<Answer> {
    const written = await this.#write(tool, "outcome", ({ facts }) => makeOutcome(facts, outcome, reason));
    return "answer" in written ? written.answer : success({ outcome });
  }

  /** Notes for the log that a call was refused, as the verb of the command line does. */
  async noteRefused(verb: string, sentence: string): Promise<void> {
    if ("outbox" in this.#start) await noteRefusal(this.#start.outbox, verb, sentence);
  }

  #write<T extends object>(
    tool: string,
    verb: string,
    write: (turn: Turn) => Promise<T | { readonly refused: string }>,
  ): Promise<T | { readonly answer: Answer }> {
    const written = this.#earlier.then(() => this.#writeNow(tool, verb, write));
    this.#earlier = Promise.allSettled([written]);
    return written;
  }

  async #writeNow<T extends object>(
    tool: string,
    verb: string,
    write: (turn: Turn) => Promise<T | { readonly refused: string }>,
  ): Promise<T | { readonly answer: Answer }> {
    try {
      const turn = await findTurn(this.#env);
      if ("noTurn" in turn) return { answer: failure("no_turn", `${tool} ${turn.noTurn}`) };
      const written = await write(turn);
      if (!("refused" in written)) return written;
      await noteRefusal(turn.outbox, verb, written.refused);
      return { answer: failure("refused", written.refused) };
    } catch (error) {
      const why = unwritten(tool, error);
      if (why === undefined) throw error;
      return { answer: failure("unavailable", why) };
    }
  }
}
