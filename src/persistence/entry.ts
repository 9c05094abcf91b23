/**
 * The entries of a job's log: everything that ever happened, in one closed list of kinds.
 *
 * E1. An entry is one rule firing, one outside move, or one record of what the world did (docs/log.md).
 * E2. Moves and firings alone determine the configuration; records never change it.
 * E3. The body of every entry read from a store is parsed with {@link parseDraft}; an unknown kind is refused, not skipped.
 */
import { z } from "zod";

/** Versions named by the first entry; a participant with others refuses the job (CfA §13). */
export const VERSIONS = { format: 1, threads: 1, states: 1 } as const;

const id = z.string().min(1);
const count = z.int().nonnegative();
const policy = z.enum(["never", "when_unsure", "always"]);
const endMode = z.enum(["merge", "drop"]);
/** Who caused an outside move or a transition. */
const origin = z.enum(["skill", "orchestrator", "human", "engine"]);

/** A file of the sender's workspace that travels with a message: its path in the tree and the hash of its bytes. */
export const fileSchema = z.strictObject({
  path: id,
  sha256: z.string().length(64),
  executable: z.boolean(),
});

/** A message as it stands in the log. */
export const messageSchema = z.strictObject({
  id,
  from: z.strictObject({ agent: id, thread: id }).nullable(),
  kind: z.enum(["task", "reply", "answer", "refusal", "recovery", "human", "control"]),
  body: z.string(),
  re: z.string().exactOptional(),
});

/** A payload as it stands in the log. */
export const payloadSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("deliver"), agent: id, thread: id, message: messageSchema }),
  z.strictObject({ kind: z.literal("terminate"), thread: id }),
  z.strictObject({ kind: z.literal("ask"), question: id, text: messageSchema, policy }),
]);

/** The choice that a firing records: what the agent, the proxy or the human decided. */
export const choiceSchema = z.strictObject({
  ps: z.array(payloadSchema).exactOptional(),
  e: id.exactOptional(),
  x: messageSchema.exactOptional(),
  π: policy.exactOptional(),
  y: messageSchema.exactOptional(),
  "x'": messageSchema.exactOptional(),
  a: messageSchema.exactOptional(),
});

/** One firing: rule id, the values of the rule's naming variables, and the choice. */
export const firingSchema = z.strictObject({
  rule: id,
  at: z.record(z.string(), z.string()),
  choice: choiceSchema.exactOptional(),
});

/** Tokens and money of one turn, as they were reported or as the job's prices make them (docs/cost.md); null is unknown, never zero. */
export const usageSchema = z.strictObject({
  tokens: count.nullable(),
  usd: z.number().nonnegative().nullable(),
  /** Amounts of which a part is unknown: they are lower bounds. */
  partial: z.array(z.enum(["tokens", "usd"])).exactOptional(),
  /** The tokens by kind, where every report names them. */
  kinds: z.strictObject({ input: count, output: count, cached: count }).exactOptional(),
  /** Models that were named. */
  models: z.array(id).exactOptional(),
  /** Some of the money comes from the job's prices. */
  priced: z.literal(true).exactOptional(),
});

const bodies = {
  /** First entry. Makes the root instance and records what guards read. */
  open: z.strictObject({
    versions: z.strictObject({ format: z.int(), threads: z.int(), states: z.int() }),
    job: id,
    engine: id,
    root: z.strictObject({ agent: id, thread: id }),
    rosters: z.record(id, z.array(id)),
    cap: count,
    base: z.string().nullable(),
    /** Branch that was checked out when the job began; null when HEAD was detached. */
    branch: z.string().nullable(),
    definition: z.json(),
  }),
  /** A later change of what guards or budgets read. */
  configure: z.strictObject({
    rosters: z.record(id, z.array(id)).exactOptional(),
    cap: count.exactOptional(),
    budget: z.record(z.string(), z.number()).exactOptional(),
    origin,
  }),
  fire: firingSchema,
  /** Outside move before a spark: the workspace of `thread` is ready at a commit, or refused. */
  workspace: z.strictObject({
    thread: id,
    parent: id,
    commit: z.string().nullable(),
    refused: z.string().nullable(),
  }),
  /** Environment mail. `head` puts it before the mail that waits. */
  post: z.strictObject({ agent: id, thread: id, message: messageSchema, head: z.boolean(), origin }),
  interrupt: z.strictObject({
    thread: id,
    message: messageSchema,
    origin,
    /** What the instance was working on, which the message takes the place of; absent when it did nothing. */
    abandons: messageSchema.exactOptional(),
  }),
  terminate: z.strictObject({ thread: id, mode: endMode, reason: z.string(), origin }),
  rollback: z.strictObject({ thread: id, turn: count, reason: z.string() }),
  /** A turn's program has started: enough to recognise a stray one after a crash. */
  start: z.strictObject({
    thread: id,
    turn: count,
    agent: id,
    pid: z.int().nullable(),
    started: z.string().nullable(),
    /** What confines the program; absent where there is no program. */
    boundary: id.exactOptional(),
    /** The agent that stands in for `agent` in this turn; absent where none does. */
    by: id.exactOptional(),
  }),
  /** A turn has ended; its snapshot, session and raw outcome record. Precedes the firing of its choice. */
  turn: z.strictObject({
    thread: id,
    turn: count,
    agent: id,
    /** The agent that stood in for `agent`; absent where none did. */
    by: id.exactOptional(),
    result: z.enum(["ok", "failed", "aborted"]),
    failure: z.string().nullable(),
    text: z.string(),
    commit: z.string().nullable(),
    session: z.string().nullable(),
    usage: usageSchema,
    /** Bytes of `.cfa/outcome.json`; null when there is none. */
    outcome: z.string().nullable(),
    /** Recognised token of the status file; null when there is none. */
    status: z.string().nullable(),
    /** Files that travel with messages of the broadcast, by message id. */
    files: z.array(z.strictObject({ message: id, files: z.array(fileSchema) })),
    /** Threads of the broadcast whose failure does not hold DONE. */
    optional: z.array(id),
    /** Answers that count for questions of the broadcast when nobody has given one in time. */
    defaults: z.array(z.strictObject({ question: id, answer: id, millis: count })).exactOptional(),
    /** How far a file-based agent has come by its own account; absent for every other (docs/files.md). */
    work: z
      .strictObject({
        state: z.enum(["pending", "running", "completed", "failed"]),
        recoverable: z.boolean(),
      })
      .exactOptional(),
    millis: count,
  }),
  /** The human was told of a question outside of cfa: `to` is the program or the address, `problem` why that failed. */
  notify: z.strictObject({ question: id, to: id, problem: z.string().nullable() }),
  /** What became of an ended thread's tree: merged, in conflict, completed later, or dropped. */
  release: z.strictObject({
    thread: id,
    into: id.nullable(),
    result: z.enum(["merged", "conflict", "completed", "dropped"]),
    /** Private ref that keeps the thread's last commit. */
    ref: z.string().nullable(),
    /** The merge commit; the child's commit on a conflict. */
    commit: z.string().nullable(),
    /** Snapshot of the receiving tree afterwards, to which a lost turn goes back. */
    snapshot: z.string().nullable(),
    paths: z.array(z.string()),
  }),
  /** The job changed state: action, reason and who decided (CfA §3). */
  transition: z.strictObject({
    from: id,
    action: id,
    to: id,
    reason: z.string(),
    origin,
    backtracks: count,
    record: z.string().nullable(),
  }),
  /** A state-level failure or a nudge: counted against the retry budget of the state. */
  violation: z.strictObject({
    state: id,
    thread: id,
    turn: count,
    problem: z.string(),
    record: z.string().nullable(),
    failures: count,
  }),
  /** A forward approval that waits for open children; `action` null lets it go. */
  hold: z.strictObject({
    action: id.nullable(),
    reason: z.string(),
    why: z.string(),
    record: z.string().nullable(),
  }),
  park: z.strictObject({ parked: z.boolean(), why: z.string(), origin }),
  /** The job's result has left the engine: branch and commit of the delivery. */
  deliver: z.strictObject({
    branch: z.string(),
    commit: z.string().nullable(),
    mode: id,
    /** Why it could not be delivered as the job asks, and what a person can do; `mode` is how it was delivered instead. */
    problem: id.exactOptional(),
  }),
  /** What a person did, taken from the inbox by its id. */
  act: z.strictObject({
    id,
    verb: id,
    target: z.string(),
    text: z.string(),
    by: z.string(),
    result: z.string(),
  }),
  /** A process goes on with the job, which nobody has run since the newest entry before, written at `since`. */
  resume: z.strictObject({ since: z.iso.datetime() }),
  /**
   * The entries before it are those of another job, up to and with its entry `seq`, written at `at` with that `hash`; from
   * here on the job is one of its own (docs/fork.md).
   */
  fork: z.strictObject({ job: id, seq: count, hash: z.string().length(64), at: z.iso.datetime() }),
  /** A warning or remark for the reader of the log. */
  note: z.strictObject({ level: z.enum(["info", "warn", "error"]), thread: id.nullable(), text: z.string() }),
} as const;

/** Schema of each entry kind's body. */
export const bodySchemas = bodies;

/** Name of an entry kind. */
export type EntryKind = keyof typeof bodies;

/** Body of an entry of kind K. */
export type EntryBody<K extends EntryKind> = z.infer<(typeof bodies)[K]>;

/** What happened, before the log gives it a number and a hash. */
export type Draft = { [K in EntryKind]: { readonly kind: K; readonly body: EntryBody<K> } }[EntryKind];

/** The place of an entry in the log. */
export type Stamp = {
  readonly job: string;
  /** From 1, without gaps. */
  readonly seq: number;
  /** Round that committed it, from 1; all entries of one commit share it. */
  readonly round: number;
  /** Wall time, ISO 8601 in UTC with milliseconds. Outside what replay compares. */
  readonly at: string;
  /** Hash of the entry before, 64 hex digits; 64 zeros for the first. */
  readonly prev: string;
  /** SHA-256 of this entry (docs/log.md says of which bytes). */
  readonly hash: string;
};

/** An entry as it stands in the log. */
export type Entry = Draft & Stamp;

/**
 * Parses `{kind, body}` that crossed a boundary.
 * @throws ZodError that names the field; Error with a sentence for a kind that this cfa does not know (E3).
 */
export function parseDraft(kind: string, body: unknown): Draft {
  if (!Object.hasOwn(bodies, kind))
    throw new Error(`unknown entry kind "${kind}": this log was written by a newer cfa`);
  const known = kind as EntryKind; // oxlint-disable-line typescript/no-unsafe-type-assertion -- checked above
  return { kind: known, body: bodies[known].parse(body) } as Draft; // oxlint-disable-line typescript/no-unsafe-type-assertion -- pairs kind with its own schema
}
