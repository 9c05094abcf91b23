/**
 * Random jobs: an opened job and a stream of numbers that decides what the agents, the human and the outside do, and
 * which rule fires next. Agents misbehave at will: they address anybody, close what is not theirs, ignore their roster.
 */
import { type Choice, fire } from "../../src/rules/fire.ts";
import { type Move, move } from "../../src/rules/moves.ts";
import { redexes, type Redex } from "../../src/rules/redex.ts";
import { reduce } from "../../src/rules/round.ts";
import type { RuleTable } from "../../src/rules/table.ts";
import { Configuration } from "../../src/soup/configuration.ts";
import type { Payload, ThreadId } from "../../src/soup/message.ts";
import { POLICIES } from "../../src/soup/message.ts";
import type { Send } from "../../src/soup/molecule.ts";
import { plainMessage } from "../../src/soup/parse.ts";

/** The thread of the root instance. */
export const ROOT = "job";
/** Most open children. */
export const CAP = 2;
const ROSTERS: Readonly<Record<string, readonly string[]>> = { O: ["A", "B"], A: ["B", "A"], B: ["A"] };
const AGENTS = ["O", "A", "B", "Z"];

/** A job that runs by the numbers it is given. */
export class RandomJob {
  readonly #table: RuleTable;
  readonly #numbers: readonly number[];
  #used = 0;
  #threads = 0;
  #questions = 0;
  configuration: Configuration;

  constructor(table: RuleTable, numbers: readonly number[]) {
    this.#table = table;
    this.#numbers = numbers;
    const root = { agent: "O", thread: ROOT };
    this.configuration = moved(Configuration.empty(), { kind: "open", root, rosters: ROSTERS, cap: CAP });
    this.#outside({ kind: "post", ...root, message: plainMessage("go", "human"), head: false });
  }

  /** Whether numbers are left. */
  get goesOn(): boolean {
    return this.#used < this.#numbers.length;
  }

  /** The next number, below `limit`. */
  below(limit: number): number {
    return (this.#numbers[this.#used++] ?? 0) % limit;
  }

  /** One of these. */
  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  /** One firing or, one time in five, one outside move. Returns the redex that fired, if any. */
  step(): Redex | undefined {
    const all = redexes(this.#table, this.configuration);
    if (all.length === 0 || this.below(5) === 0) {
      this.#outside(this.#move());
      return undefined;
    }
    const redex = this.pick(
      all.flatMap((one) => (one.rule.id === "send-step" ? [one, one, one, one] : [one])),
    );
    this.configuration = fire(this.configuration, redex, this.#choice(redex));
    return redex;
  }

  /** Ends every turn, question and wait in the plainest way until nothing moves. */
  drain(): void {
    for (let left = 1_000; left > 0; left--) {
      this.configuration = reduce(this.#table, this.configuration).configuration;
      for (const thread of this.waiting()) this.#outside(ready(thread));
      const all = redexes(this.#table, this.configuration);
      if (all.length === 0) return;
      const [plain] = PLAIN.flatMap((id) => all.filter(({ rule }) => rule.id === id));
      if (plain !== undefined) this.configuration = fire(this.configuration, plain, this.#choice(plain));
    }
    throw new Error("the job does not come to rest");
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

  #outside(one: Move): void {
    const result = move(this.configuration, one);
    if ("configuration" in result) this.configuration = result.configuration;
  }

  #move(): Move {
    const [waiting] = this.waiting();
    if (waiting !== undefined && this.below(4) > 0) {
      const commit = this.below(5) > 0 ? "c" : null;
      return { kind: "workspace", thread: waiting, commit, refused: commit === null ? "disk full" : null };
    }
    const all = this.threads();
    const thread = this.pick([...all.slice(1), ...all.slice(1), ROOT]);
    const message = plainMessage("y", "human");
    const agent = this.configuration.cell(thread)?.mailboxes[0]?.agent ?? "A";
    return this.pick<Move>([
      { kind: "post", agent, thread, message, head: this.below(2) === 0 },
      { kind: "interrupt", thread, message },
      { kind: "rollback", thread },
      ...(this.below(4) === 0 ? [{ kind: "terminate", thread, mode: "merge" } as const] : []),
    ]);
  }

  #choice({ rule, bindings }: Redex): Choice | undefined {
    switch (rule.id) {
      case "send-step":
        return { ps: Array.from({ length: this.below(4) }, () => this.#payload(bindings.A, bindings.t)) };
      case "ask-step":
        return { e: `e${this.#questions++}`, x: plainMessage("why"), π: this.pick(POLICIES) };
      case "escalate":
        return { y: bindings.x };
      case "human-reply":
        return { "x'": bindings.y };
      case "respond":
        return { a: bindings.x };
      default:
        return undefined;
    }
  }

  /** Half of it mail to parent and children, the rest sparks, closes, questions, and anything to anybody. */
  #payload(agent: string, thread: ThreadId): Payload {
    const { configuration } = this;
    const message = plainMessage("x");
    const children = [...configuration.children(thread)];
    const parent = configuration.parent(thread);
    const neighbours = [...children, ...children, ...(parent === undefined ? [] : [parent])];
    const dice = neighbours.length === 0 ? 9 : this.below(20);
    if (dice < 9) {
      const to = this.pick(neighbours);
      const owner = configuration.cell(to)?.mailboxes[0]?.agent ?? this.pick(AGENTS);
      return { kind: "deliver", agent: owner, thread: to, message };
    }
    if (dice < 15) {
      const roster = ROSTERS[agent] ?? AGENTS;
      return { kind: "deliver", agent: this.pick(roster), thread: `t${this.#threads++}`, message };
    }
    if (dice < 17) return { kind: "terminate", thread: this.pick(neighbours) };
    if (dice < 18) {
      return { kind: "ask", question: `e${this.#questions++}`, text: message, policy: this.pick(POLICIES) };
    }
    const anybody = this.pick([...this.threads(), `t${this.#threads}`]);
    return this.pick<Payload>([
      { kind: "deliver", agent: this.pick(AGENTS), thread: anybody, message },
      { kind: "terminate", thread: anybody },
    ]);
  }
}

/** What ends a Run, a Proxy that may answer, an AskHuman, and a Proxy that must ask first. */
const PLAIN: readonly string[] = ["nosend-step", "respond", "human-reply", "escalate"];

function ready(thread: ThreadId): Move {
  return { kind: "workspace", thread, commit: "c", refused: null };
}

function moved(configuration: Configuration, one: Move): Configuration {
  const result = move(configuration, one);
  if ("refused" in result) throw new Error(result.refused);
  return result.configuration;
}
