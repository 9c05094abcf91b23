/**
 * The outbox of a turn: a directory outside the worktree, one JSON file a call, numbered in the order of the calls.
 *
 * O1. `0001.json`, `0002.json`, … each hold one {@link OutboxEntry}; a call number is taken once (exclusive link).
 * O2. `turn.json` holds the {@link TurnFacts} that early refusal reads.
 * O3. `files/` holds the bytes of the files that calls name, under their SHA-256, as they were when the call was made.
 * O4. `refused.jsonl` holds the sentences with which calls were refused, one JSON string a line.
 * O5. `resolved.jsonl` holds the paths that `cfa resolve` has declared, one JSON string a line: an agent cannot write what git and cfa
 *     keep of its tree.
 * O6. `mcp.json` tells a client of MCP how to start the tool server of the turn; not every turn has one.
 * O7. `usage.jsonl` holds what the agent reports of its own use, one report a line (usage-file.ts).
 * O8. When the turn has ended `turn.json` is called `turn-ended.json`: no call is taken any more.
 * O9. It is read once, when the turn has ended; what is unreadable or malformed is named, never guessed.
 */
import { z } from "zod";

/** Folder of the outbox for the bytes of named files (O3). */
export const FILES_FOLDER = "files";

/** File of the outbox for the paths that were declared resolved (O5). */
export const RESOLVED_FILE = "resolved.jsonl";

/** File of the outbox that configures clients of MCP (O6). */
export const MCP_FILE = "mcp.json";

/** File of the outbox for reports of use (O7). */
export const USAGE_FILE = "usage.jsonl";

/** File of the outbox for the sentences of refused calls (O4). */
export const REFUSED_FILE = "refused.jsonl";

/** The answer that counts when nobody has given one within `millis` milliseconds after the question was asked. */
export const defaultAnswerSchema = z.strictObject({ answer: z.string().min(1), millis: z.int().positive() });

/** See {@link defaultAnswerSchema}. */
export type DefaultAnswer = z.infer<typeof defaultAnswerSchema>;

/** One call of an agent. */
export const outboxEntrySchema = z.discriminatedUnion("verb", [
  z.strictObject({
    verb: z.literal("send"),
    to: z.string().min(1),
    thread: z.string().min(1),
    /** The call opens the thread. */
    opens: z.boolean(),
    message: z.string(),
    files: z.array(
      z.strictObject({
        path: z.string().min(1),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
        executable: z.boolean(),
      }),
    ),
    /** A child that may fail without holding DONE. */
    optional: z.boolean(),
  }),
  /** `cfa send --none`: the turn says on purpose that it sends nothing. */
  z.strictObject({ verb: z.literal("none") }),
  z.strictObject({
    verb: z.literal("ask"),
    question: z.string().min(1),
    text: z.string(),
    default: defaultAnswerSchema.exactOptional(),
  }),
  z.strictObject({ verb: z.literal("close"), thread: z.string().min(1) }),
  /** The proxy's answer, or the reason for which the human gives up. */
  z.strictObject({ verb: z.literal("respond"), text: z.string(), withdraw: z.boolean() }),
]);

/** See {@link outboxEntrySchema}. */
export type OutboxEntry = z.infer<typeof outboxEntrySchema>;
