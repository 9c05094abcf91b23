/**
 * The director: the port through which a layer above steers the scheduler. The job layer implements it as the
 * orchestrator of CfA §5: it observes, and it acts by outside moves and by the choices of its own instance.
 *
 * D1. Every method but `apply` is a pure question to the state that `apply` has folded: asking twice changes nothing.
 * D2. Whatever it wants is returned as drafts; the scheduler commits them or, when a condition fails, notes why not.
 * D3. `steer` must be idempotent: once its drafts are committed it must not return them again.
 */
import type { Draft, Entry, EntryBody } from "../persistence/entry.ts";
import type { InboxItem } from "../persistence/ports.ts";
import type { Remembered } from "../persistence/human-memory.ts";
import type { Configuration } from "../soup/configuration.ts";
import type { AgentName, Message, Payload, Policy, ThreadId } from "../soup/message.ts";
import type { Proxy } from "../soup/molecule.ts";
import type { RoleTool, Sendable, Spending, TurnFacts, TurnRequest } from "./agents/port.ts";
import type { Readiness } from "./dependencies/readiness.ts";
import type { Hooks } from "./hooks.ts";
import type { Ledger } from "./ledger.ts";
import type { StatusToken, StatusVersion } from "./status-file.ts";
import type { Prices } from "./usage.ts";
import type { DeliverMode } from "./workspaces/port.ts";

/** What the director may look at. */
export type View = {
  readonly configuration: Configuration;
  readonly ledger: Ledger;
  readonly now: Date;
  /** Threads whose turn waits for a slot or runs as a program right now. */
  readonly active: ReadonlySet<ThreadId>;
  /** Those of them whose turn runs. */
  readonly underWay: ReadonlySet<ThreadId>;
  /** How many turns run right now. */
  readonly running: number;
};

/** The choice of the director's own instance: records first, then the broadcast. */
export type Decision = {
  readonly drafts: readonly Draft[];
  readonly payloads: readonly Payload[];
  readonly after: readonly Draft[];
};

/** What a turn needs to know from above. */
export type Brief = Pick<TurnRequest, "prompt" | "instructions" | "entry" | "artifacts" | "timeout"> & {
  readonly state: string;
  readonly lead: boolean;
  readonly policy: Policy;
  readonly outcomes: readonly string[];
  readonly spending: Spending;
  /** What tokens cost, where agents report no money. */
  readonly prices: Prices;
  readonly skill: TurnFacts["skill"];
  /** The turn is the first of a dispatch. */
  readonly dispatch: boolean;
  readonly hooks: Hooks;
  /** The agent whose adapter runs the turn in place of the thread's own; null for no other. */
  readonly substitute: AgentName | null;
  readonly statusVersion: StatusVersion;
  /** Tools of the agent's role beside cfa's own. */
  readonly tools: readonly RoleTool[];
  /** File whose presence makes an `align` entry; null when the turn has none. */
  readonly artifact: string | null;
  /** The parent to which the agent may reply; null when it is the director itself. */
  readonly answersTo: ThreadId | null;
  /** Longest silence of the running turn, milliseconds; null for no limit. */
  readonly stall: number | null;
  /** What the agent's role lets it send; absent where it may send everything. */
  readonly sends?: readonly Sendable[] | undefined;
  /** Refused payloads in a row after which a turn that only repeats them fails. */
  readonly refusals: number;
};

/** Who stands for the human in questions (docs/escalation.md). */
export type Stand = {
  readonly agent: AgentName;
  /** Turns on one question that may fail in a row; after one more the question goes on without the proxy. */
  readonly retries: number;
};

/** What a turn of the proxy needs. */
export type ProxyBrief = Pick<TurnRequest, "prompt" | "instructions" | "artifacts" | "timeout"> &
  Pick<TurnFacts, "spending" | "skill" | "tools"> & {
    readonly state: string;
    /** What tokens cost, where the proxy reports no money. */
    readonly prices: Prices;
    /** The human may be asked: by the policy, and because there is one. */
    readonly asksHuman: boolean;
    /** Longest silence of the running turn, milliseconds; null for no limit. */
    readonly stall: number | null;
  };

/** How a job stands. */
export type Standing =
  | { readonly kind: "running" }
  | { readonly kind: "parked"; readonly why: string }
  /** The root has ended and nothing is left to do. */
  | { readonly kind: "ended"; readonly state: string };

/** See the header. */
export interface Director {
  /** Folds an entry; called after the ledger has. */
  apply(entry: Entry, ledger: Ledger): void;
  /** The tree in which a thread works, named by a thread. */
  treeOf(thread: ThreadId): ThreadId;
  /** What the director's own instance decides on a message. */
  decide(message: Message, view: View): Decision;
  /** The agent that stands in for this one in the turn after a failed one; undefined where none does. */
  fallbackOf(agent: AgentName): AgentName | undefined;
  /** Which words of status files are honoured. */
  statusVersion(): StatusVersion;
  /** What is to be done now; asked when the soup is inert. */
  steer(view: View): readonly Draft[];
  /** What follows from the end of a turn, in the same commit, after the firing of its choice. */
  afterTurn(turn: EntryBody<"turn">, message: Message, view: View): readonly Draft[];
  /** What follows from the status file of a turn that a crash has lost, in the commit of its rollback. */
  afterLostStatus(thread: ThreadId, turn: number, status: StatusToken, view: View): readonly Draft[];
  /**
   * What follows from a person's act, in the same commit; the sentence says what came of it. Undefined when the act has
   * to wait: it stays in the inbox and is asked about again.
   */
  act(
    item: InboxItem,
    view: View,
  ): { readonly drafts: readonly Draft[]; readonly result: string } | undefined;
  /** What a turn needs. */
  brief(thread: ThreadId, message: Message, view: View): Brief;
  /** Whether the turn that the thread is to have may start, for the siblings that its agent needs. */
  readiness(thread: ThreadId, view: View): Readiness;
  /** Why no turn may start now; undefined when one may. */
  hindrance(view: View): string | undefined;
  /** Next time at which `steer` may want something although nothing has happened. */
  alarm(view: View): Date | undefined;
  standing(view: View): Standing;
  /** The job's work is to be handed over now; `summary` is the artifact whose text becomes the message of a `pr-ready` commit. */
  delivery(
    view: View,
  ): { readonly mode: DeliverMode; readonly message: string; readonly summary: string } | undefined;
  /** The proxy for questions under this policy; undefined when they go to the human, or are refused, as they stand. */
  proxy(policy: Policy): Stand | undefined;
  /** What a turn of the proxy on an open question needs; `known` is what the memory of the human has to say to it. */
  proxyBrief(proxy: Proxy, known: readonly Remembered[], view: View): ProxyBrief;
  /** How the proxy's stand-in treats a question: put to the human as it stands, or refused with this sentence. */
  unanswerable(policy: Policy): string | undefined;
}
