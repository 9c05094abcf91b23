/** What the ledger knows of a thread beyond its molecules. */
import type { EntryBody } from "../persistence/entry.ts";
import type { AgentName, Message, ThreadId } from "../soup/message.ts";

/** What is known of one thread. */
export type ThreadRecord = {
  readonly thread: ThreadId;
  readonly agent: AgentName;
  readonly serial: number;
  readonly parent: ThreadId | undefined;
  /** First message, for display. */
  readonly task: string;
  /** Failure does not hold DONE. */
  optional: boolean;
  /** Number of the newest turn, and when its Run began. */
  turn: number;
  since: string;
  turns: number;
  session: string | undefined;
  /** Newest turn that has ended and was not overtaken. */
  last: EntryBody<"turn"> | undefined;
  /** Turns that failed. */
  failures: number;
  /** The next turn is of a new dispatch: none has gone well yet, or since its agent had stopped itself. */
  fresh: boolean;
  /** Payloads refused in a row. */
  refusals: number;
  /** The parent has sent something that has not been replied to. */
  owes: boolean;
  /** Ended for good by failure, and the parent has not yet closed it. */
  failed: boolean;
  /** Dying or ended: how its tree leaves, and who asked. */
  ending: "merge" | "drop" | undefined;
  closed: boolean;
  release: EntryBody<"release"> | undefined;
  /** Identity of the program of the running turn. */
  process: { readonly pid: number; readonly started: string | null } | undefined;
  /** The message that an interrupt has taken the place of, until the turn on the new one has ended. */
  abandoned: Abandoned | undefined;
  readonly children: ThreadId[];
};

/** A message whose turn was given up for another one. */
export type Abandoned = {
  /** Id of the message that took its place. */
  readonly by: string;
  readonly message: Message;
  /** The interrupt has fired; before that a crash may still give the message back. */
  readonly taken: boolean;
};

/** The members of a record that are the same for every thread that has just been opened. */
export const NEW_THREAD = {
  turn: 0,
  turns: 0,
  parent: undefined,
  session: undefined,
  last: undefined,
  failures: 0,
  fresh: true,
  refusals: 0,
  failed: false,
  ending: undefined,
  closed: false,
  release: undefined,
  process: undefined,
  abandoned: undefined,
} as const;

/** An interrupt was recorded: what it takes the place of, if anything. */
export function noteInterrupt(record: ThreadRecord, { message, abandons }: EntryBody<"interrupt">): void {
  if (abandons !== undefined) record.abandoned = { by: message.id, message: abandons, taken: false };
}

/** The turn was lost with its process: its message is back, unless an interrupt had taken its place before. */
export function rollBack(record: ThreadRecord): void {
  record.process = undefined;
  if (record.abandoned?.taken === false) record.abandoned = undefined;
}

/** A turn has ended. One that was overtaken leaves its session; the message that took its place is still to be worked on. */
export function endTurn(record: ThreadRecord, turn: EntryBody<"turn">): void {
  record.process = undefined;
  if (turn.session !== null) record.session = turn.session;
  if (turn.result === "aborted") return;
  record.last = turn;
  record.abandoned = undefined;
  record.turns += 1;
  if (turn.result === "failed") record.failures += 1;
  else record.fresh = turn.status !== null;
}

/** A turn begins. */
export function beginTurn(record: ThreadRecord, rule: string, at: string): void {
  record.turn += 1;
  record.since = at;
  if (rule === "interrupt" && record.abandoned !== undefined)
    record.abandoned = { ...record.abandoned, taken: true };
}
