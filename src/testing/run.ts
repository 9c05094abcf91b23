/**
 * Running a protocol with scripted agents until it rests: the engine's loop without programs, files or time.
 *
 * V1. The run is a function of its configuration, its scripts and the seed: no clock, no randomness of the machine.
 * V2. Without a seed it goes as the engine does: rounds until the soup is inert, then every waiting choice once. With
 *     one, a single step that is possible is picked each time, so other seeds are other schedules.
 * V3. A run that does not rest within its limit is an error, never a partial answer.
 */
import type { Choice } from "../rules/fire.ts";
import { type Move, move } from "../rules/moves.ts";
import { type Redex, redexesOf } from "../rules/redex.ts";
import { fullAgenda, nextRound } from "../rules/round.ts";
import { complete, type RuleTable } from "../rules/table.ts";
import type { Configuration } from "../soup/configuration.ts";
import { invariant } from "../soup/invariant.ts";
import type { AgentName, Message } from "../soup/message.ts";
import type { AskHuman, Molecule, Proxy, Run } from "../soup/molecule.ts";
import { plainMessage } from "../soup/parse.ts";
import { printAtom, printMolecule } from "../soup/print.ts";
import { choiceOf, type ScriptedAgent, turnOf } from "./agents.ts";
import { type Event, firedBy } from "./fired.ts";
import { randomFrom } from "./random.ts";
import type { Steps } from "./step.ts";
import { trace } from "./trace.ts";

/** Who plays in a run, and how long. */
export type Play = {
  readonly agents: Readonly<Record<AgentName, ScriptedAgent>>;
  /** Ends the run; asked before each step. Without it the run ends when nothing is left to do. */
  readonly until?: (configuration: Configuration) => boolean;
  /** Picks each step at random; the same seed is the same run (V2). */
  readonly seed?: number;
  /** Answers what the human is asked. Without it a question to the human waits. */
  readonly human?: (question: AskHuman) => string;
  /** Answers for the human, or undefined to ask the human. Without it `never` is answered with {@link NOBODY}, all else put to the human. */
  readonly proxy?: (question: Proxy) => string | undefined;
  /** Why a thread gets no workspace; undefined: it gets one. Without it all do. */
  readonly refuse?: (thread: string) => string | undefined;
  /** Most steps; 10,000 by default. */
  readonly limit?: number;
  readonly table?: RuleTable;
};

/** How a run ended: `until` held, a human is waited for, or nothing is left to do. */
export type End = "until" | "waiting" | "rest";

/** What the proxy answers under `never` where nobody plays it. */
export const NOBODY = "nobody may be asked";

/** A run: its last configuration, every step, and how it ended. */
export type Played = Steps & { readonly end: End };

/** Something that could be done now. */
type Possible = { readonly redex: Redex } | { readonly move: Move };

/** See the header. */
class Runner {
  readonly #play: Play;
  readonly #table: RuleTable;
  readonly #events: Event[] = [];
  #configuration: Configuration;

  constructor(configuration: Configuration, play: Play) {
    this.#configuration = configuration;
    this.#play = play;
    this.#table = play.table ?? complete;
  }

  run(): Played {
    const { seed, limit = 10_000 } = this.#play;
    const random = seed === undefined ? undefined : randomFrom(seed);
    for (;;) {
      const possible = this.#possible();
      const next =
        random === undefined
          ? this.#inTurn(possible)
          : possible.slice(random(possible.length || 1)).slice(0, 1);
      for (const one of next) {
        if (this.#play.until?.(this.#configuration) === true) return this.#played("until");
        if (this.#events.length >= limit) throw this.#restless(limit);
        this.#take(one);
      }
      if (next.length > 0) continue;
      if (this.#play.until?.(this.#configuration) === true) return this.#played("until");
      const asked = [...this.#configuration.molecules()].some(({ kind }) => kind === "AskHuman");
      return this.#played(asked ? "waiting" : "rest");
    }
  }

  #played(end: End): Played {
    return { configuration: this.#configuration, events: this.#events, end };
  }

  /** Outside moves that are due, redexes without a choice, and one redex for each choice that somebody makes. */
  #possible(): Possible[] {
    const moves = this.#workspaces().map((one) => ({ move: one }));
    const redexes = [...this.#configuration.cells()].flatMap(({ thread }) =>
      redexesOf(this.#table, this.#configuration, thread).filter(
        ({ rule }) => rule.structural || this.#stands(rule.id),
      ),
    );
    const seen = new Set<Molecule | undefined>();
    const single = redexes.filter(({ rule, matched: [anchor] }) => {
      if (rule.structural) return true;
      if (seen.has(anchor)) return false;
      seen.add(anchor);
      return true;
    });
    return [...moves, ...single.map((redex) => ({ redex }))];
  }

  #stands(rule: string): boolean {
    return rule !== "human-reply" || this.#play.human !== undefined;
  }

  /** Moves; else a round; else every choice once (V2). */
  #inTurn(possible: readonly Possible[]): readonly Possible[] {
    const moves = possible.filter((one) => "move" in one);
    if (moves.length > 0) return moves;
    const { fired } = nextRound(this.#table, this.#configuration, fullAgenda(this.#configuration));
    return fired.length > 0 ? fired.map((redex) => ({ redex })) : possible;
  }

  /** The sparks that wait for a workspace get one, or the reason why not. */
  #workspaces(): Move[] {
    const { refuse } = this.#play;
    return [...this.#configuration.cells()].flatMap(({ lifecycles, terminates }) =>
      lifecycles.flatMap((one): Move[] => {
        const head = one.kind === "Send" ? one.payloads.head : undefined;
        if (head?.kind !== "deliver" || terminates.length > 0) return [];
        const { thread } = head;
        const cell = this.#configuration.cell(thread);
        if (cell !== undefined && (cell.workspace !== undefined || cell.mailboxes.length > 0 || cell.closed))
          return [];
        const refused = refuse?.(thread) ?? null;
        return [{ kind: "workspace", thread, commit: refused === null ? "ready" : null, refused }];
      }),
    );
  }

  #take(one: Possible): void {
    if ("move" in one) {
      const moved = move(this.#configuration, one.move);
      invariant("configuration" in moved, "a workspace is never refused to its poster");
      this.#configuration = moved.configuration;
      this.#events.push({ kind: "moved", move: one.move, after: moved.configuration });
      return;
    }
    const { redex, choice } = this.#chosen(one.redex);
    const event = firedBy(this.#configuration, redex, choice);
    this.#configuration = event.after;
    this.#events.push(event);
  }

  /** The redex with the choice of whoever plays its anchor. */
  #chosen(redex: Redex): { readonly redex: Redex; readonly choice: Choice | undefined } {
    const [anchor] = redex.matched;
    if (redex.rule.structural || anchor === undefined) return { redex, choice: undefined };
    const { rule, choice } = this.#decide(anchor);
    const meant = redexesOf(this.#table, this.#configuration, anchor.thread).find(
      (one) => one.rule.id === rule && one.matched[0] === anchor,
    );
    if (meant === undefined) throw new Error(`${rule} is not possible for ${printMolecule(anchor)}`);
    return { redex: meant, choice };
  }

  #decide(anchor: Molecule): { readonly rule: string; readonly choice: Choice } {
    switch (anchor.kind) {
      case "Run":
        return this.#turn(anchor);
      case "Proxy":
        return this.#proxied(anchor);
      case "AskHuman":
        return { rule: "human-reply", choice: { "x'": said(this.#play.human?.(anchor) ?? "", anchor) } };
      default:
        invariant(false, `nobody decides about a ${anchor.kind}`);
    }
  }

  #turn(run: Run): { readonly rule: string; readonly choice: Choice } {
    const script = this.#play.agents[run.agent];
    if (script === undefined) {
      throw new Error(
        `nobody plays ${printAtom(run.agent)}, whose turn it is: ${printMolecule(run)}; add it to \`agents\``,
      );
    }
    const turn = turnOf(this.#configuration, run);
    return choiceOf(turn, script(run.message, turn));
  }

  #proxied(question: Proxy): { readonly rule: string; readonly choice: Choice } {
    const { proxy = put } = this.#play;
    const answer =
      question.phase === "post-human" && this.#play.proxy === undefined
        ? question.text.body
        : proxy(question);
    if (answer === undefined) return { rule: "escalate", choice: { y: question.text } };
    return { rule: "respond", choice: { a: said(answer, question) } };
  }

  #restless(limit: number): Error {
    const last = trace(this.#events.slice(-6)).map((line) => `  ${line}`);
    return new Error(
      [`the run has not come to rest after ${limit} steps; the last ones were`, ...last].join("\n"),
    );
  }
}

/** What the proxy does where nobody plays it. */
function put({ policy }: Proxy): string | undefined {
  return policy === "never" ? NOBODY : undefined;
}

/** What was said to a question; its id is that of the question with what it is behind it. */
function said(body: string, { question, kind }: Proxy | AskHuman): Message {
  return { ...plainMessage(body, kind === "AskHuman" ? "human" : "answer"), id: `${question}.${kind}` };
}

/**
 * Runs a configuration with scripted agents until it rests (V1-V3).
 *
 * @throws Error when nobody plays an agent whose turn it is, and when the run does not rest within its limit; it then
 * shows the last steps.
 */
export function run(configuration: Configuration, play: Play): Played {
  return new Runner(configuration, play).run();
}
