/**
 * Random jobs: an opened job and seeds, one a step, that decide what the agents, the human and the outside do and which
 * rule fires next. Agents misbehave at will: they address anybody, close what is not theirs, ignore their roster.
 * Whatever happens is kept as the entries of a log.
 */
import type { Draft } from "../../src/persistence/entry.ts";
import { type Choice, fire, firingOf } from "../../src/rules/fire.ts";
import { type Move, move } from "../../src/rules/moves.ts";
import { firstStructural, redexes, type Redex } from "../../src/rules/redex.ts";
import type { RuleTable } from "../../src/rules/table.ts";
import { Configuration } from "../../src/soup/configuration.ts";
import type { Message, MessageKind, Payload, ThreadId } from "../../src/soup/message.ts";
import { POLICIES } from "../../src/soup/message.ts";
import type { Send } from "../../src/soup/molecule.ts";
import { firedBy } from "../../src/testing/fired.ts";
import { randomFrom } from "../../src/testing/random.ts";
import { printConfiguration } from "../../src/testing/soup.ts";
import { trace } from "../../src/testing/trace.ts";
import { firingDraft, moveDraft } from "./drafts.ts";

/** The thread of the root instance. */
export const ROOT = "job";
/** Most open children. */
export const CAP = 2;
const [A, B] = ["constructor", "valueOf"] as const;
const ROSTERS: Readonly<Record<string, readonly string[]>> = { O: [A, B], [A]: [B, A], [B]: [A] };
const AGENTS = ["O", A, B, "toString"];
/** Names of the first threads and questions, such as members of every object have; those after them have numbers. */
const THREADS = ["__proto__", "作业", "constructor", "0", "write it, 2"];
const QUESTIONS = ["__proto__", "valueOf"];

/** A step that was taken: a firing, or an outside move that was accepted. */
export type Taken = { readonly before: Configuration; readonly after: Configuration } & (
  { readonly redex: Redex; readonly choice: Choice | undefined } | { readonly move: Move }
);

/** A job that runs by the seeds it is given. */
export class RandomJob {
  readonly #table: RuleTable;
  #random = randomFrom(0);
  #threads = 0;
  #questions = 0;
  #messages = 0;
  readonly taken: Taken[] = [];
  configuration = Configuration.empty();

  constructor(table: RuleTable) {
    this.#table = table;
    const root = { agent: "O", thread: ROOT };
    this.outside({ kind: "open", root, rosters: ROSTERS, cap: CAP });
    this.outside({ kind: "post", ...root, message: this.#message("go", "human"), head: false });
  }

  /** Everything that happened, as the entries of a log. */
  drafts(): Draft[] {
    return this.taken.map((one) =>
      "move" in one ? moveDraft(one.move, one.before) : firingDraft(firingOf(one.redex, one.choice)),
    );
  }

  /** Everything that happened, a line a step, and the soup at the end. */
  lines(): string[] {
    const events = this.taken.map((one) =>
      "move" in one
        ? ({ kind: "moved", move: one.move, after: one.after } as const)
        : firedBy(one.before, one.redex, one.choice),
    );
    return [...trace(events), printConfiguration(this.configuration)];
  }

  /** A number below `limit`, from the seed of the step. */
  below(limit: number): number {
    return this.#random(limit);
  }

  /** One of these. */
  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  /** Takes a step for each seed; `look` is called after each. */
  run(seeds: readonly number[], look: (at: number) => void = () => undefined): void {
    for (const [at, seed] of seeds.entries()) {
      this.step(seed);
      look(at);
    }
  }

  /** One firing or, one time in five, one outside move. */
  step(seed: number): void {
    this.#random = randomFrom(seed);
    const all = named(redexes(this.#table, this.configuration));
    if (all.length === 0 || this.below(5) === 0) this.outside(this.#move());
    else {
      const weighted = all.flatMap((one) => (one.rule.id === "send-step" ? [one, one, one, one] : [one]));
      this.fire(this.pick(weighted));
    }
  }

  /** Ends every turn, question and wait in the plainest way until nothing moves; false when that is not within `limit` steps. */
  drain(limit = 2_000): boolean {
    for (let left = limit; left > 0; left--) {
      for (const thread of this.waiting()) this.outside(ready(thread));
      const next = this.#structural() ?? this.#plain();
      if (next === undefined) return true;
      this.fire(next);
    }
    return false;
  }

  #structural(): Redex | undefined {
    for (const { thread } of this.configuration.cells()) {
      const found = firstStructural(this.#table, this.configuration, thread);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #plain(): Redex | undefined {
    const all = redexes(this.#table, this.configuration);
    return PLAIN.flatMap((id) => all.filter(({ rule }) => rule.id === id))[0];
  }

  /** Fires a redex with a random choice. */
  fire(redex: Redex): void {
    const before = this.configuration;
    const choice = this.choice(redex);
    this.configuration = fire(before, redex, choice);
    this.taken.push({ before, redex, choice, after: this.configuration });
  }

  /** An outside move; a refused one changes nothing. Returns whether it was accepted. */
  outside(one: Move): boolean {
    const before = this.configuration;
    const result = move(before, one);
    if ("refused" in result) return false;
    this.configuration = result.configuration;
    this.taken.push({ before, move: one, after: result.configuration });
    return true;
  }

  /** Threads that a broadcast wants to open and whose workspace is not known. */
  waiting(): ThreadId[] {
    return this.broadcasts().flatMap(({ payloads }) => {
      const head = payloads.head;
      if (head?.kind !== "deliver") return [];
      return this.configuration.cell(head.thread)?.workspace === undefined ? [head.thread] : [];
    });
  }

  /** The broadcasts of live threads that have payloads left. */
  broadcasts(): Send[] {
    return [...this.configuration.molecules()].filter(
      (one): one is Send =>
        one.kind === "Send" && one.payloads.length > 0 && !this.configuration.dying(one.thread),
    );
  }

  /** Threads that have appeared, closed ones too. */
  threads(): ThreadId[] {
    return [...this.configuration.cells()].map((cell) => cell.thread);
  }

  /** What is chosen for a redex. */
  choice({ rule, bindings }: Redex): Choice | undefined {
    switch (rule.id) {
      case "send-step":
        return { ps: Array.from({ length: this.below(4) }, () => this.#payload(bindings.A, bindings.t)) };
      case "ask-step":
        return { e: this.#question(), x: this.#message("why", "task"), π: this.pick(POLICIES) };
      case "escalate":
        return { y: bindings.x };
      case "human-reply":
        return { "x'": bindings.y };
      case "respond":
        return { a: this.#message("so", "answer") };
      default:
        return undefined;
    }
  }

  #message(body: string, kind: MessageKind): Message {
    return { id: `m${this.#messages++}`, from: null, kind, body };
  }

  #question(): string {
    const number = this.#questions++;
    return QUESTIONS[number] ?? `e${number}`;
  }

  #move(): Move {
    const [waiting] = this.waiting();
    if (waiting !== undefined && this.below(4) > 0) {
      const commit = this.below(5) > 0 ? "c" : null;
      return { kind: "workspace", thread: waiting, commit, refused: commit === null ? "disk full" : null };
    }
    const all = this.threads().filter(
      (thread) => this.below(4) === 0 || !this.configuration.isClosed(thread),
    );
    const busy = all.filter((thread) => this.#isBusy(thread));
    const thread = this.pick([...all.slice(1), ...busy, ...busy, ROOT]);
    const message = this.#message("y", "human");
    const agent = this.configuration.cell(thread)?.mailboxes[0]?.agent ?? A;
    const mode = this.pick(["merge", "drop"] as const);
    return this.pick<Move>([
      { kind: "post", agent, thread, message, head: this.below(2) === 0 },
      { kind: "interrupt", thread, message },
      { kind: "rollback", thread },
      ...(thread !== ROOT || this.below(8) === 0 ? [{ kind: "terminate", thread, mode } as const] : []),
    ]);
  }

  /** A turn, a question or a withdrawal is under way below the root. */
  #isBusy(thread: ThreadId): boolean {
    const { lifecycles = [], questions = [], terminates = [] } = this.configuration.cell(thread) ?? {};
    return (
      thread !== ROOT &&
      questions.length + terminates.length + lifecycles.filter(({ kind }) => kind === "Run").length > 0
    );
  }

  /** Half of it mail to parent and children, the rest sparks, closes, questions, and anything to anybody. */
  #payload(agent: string, thread: ThreadId): Payload {
    const { configuration } = this;
    const message = this.#message("x", "task");
    const children = [...configuration.children(thread)];
    const parent = configuration.parent(thread);
    const neighbours = [...children, ...children, ...(parent === undefined ? [] : [parent])];
    const dice = neighbours.length === 0 ? 9 + this.below(11) : this.below(20);
    if (dice < 9) {
      const to = this.pick(neighbours);
      const owner = configuration.cell(to)?.mailboxes[0]?.agent ?? this.pick(AGENTS);
      return { kind: "deliver", agent: owner, thread: to, message };
    }
    if (dice < 15 || (dice < 17 && neighbours.length === 0)) {
      const roster = agent === AGENTS.at(-1) ? AGENTS : (ROSTERS[agent] ?? AGENTS);
      return { kind: "deliver", agent: this.pick(roster), thread: threadName(this.#threads++), message };
    }
    if (dice < 17) return { kind: "terminate", thread: this.pick(neighbours) };
    if (dice < 18)
      return { kind: "ask", question: this.#question(), text: message, policy: this.pick(POLICIES) };
    const anybody = this.pick([...this.threads(), threadName(this.#threads)]);
    return this.pick<Payload>([
      { kind: "deliver", agent: this.pick(AGENTS), thread: anybody, message },
      { kind: "terminate", thread: anybody },
    ]);
  }
}

/**
 * Those that a log can name: where a record fits several redexes (two interrupts of one thread, three Terminates), it means
 * the first.
 */
export function named(all: readonly Redex[]): Redex[] {
  const seen = new Set<string>();
  return all.filter((redex) => {
    const { rule, at } = firingOf(redex);
    const record = JSON.stringify([rule, at]);
    if (seen.has(record)) return false;
    seen.add(record);
    return true;
  });
}

/** What ends a Run, a Proxy that may answer, an AskHuman, and a Proxy that must ask first. */
const PLAIN: readonly string[] = ["nosend-step", "respond", "human-reply", "escalate"];

function threadName(number: number): ThreadId {
  return THREADS[number] ?? `t${number}`;
}

function ready(thread: ThreadId): Move {
  return { kind: "workspace", thread, commit: "c", refused: null };
}
