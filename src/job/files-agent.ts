/**
 * The keys of an agent with `adapter: files` that no other has: in job.yaml, in a role, and in the job as it runs (docs/files.md).
 *
 * K1. Paths are relative, below outbox/ on one side and below the root of the worktree on the other, without `.` and `..`.
 * K2. What may become of a failure is one word for those of which trying again may help, and one for the others.
 */
import { z } from "zod";
import { named, oneOf } from "./schema-parts.ts";

/** What may become of a failed turn of a file-based agent (docs/files.md, "When it fails"). */
export const RECOVERY_OPTIONS = ["retry", "fix", "skip", "escalate"] as const;

/** A path that leads down and nowhere else, not into `.git`, `.cfa` or `.sortie`; a folder may end in a slash. */
const DOWNWARD =
  /^(?!\/)(?!\.(?:cfa|sortie)(?:\/|$))(?!(?:.*\/)?\.git(?:\/|$))(?!(?:.*\/)?\.{1,2}(?:\/|$))(?!.*\/\/)[^\0]{1,200}$/i;

const pathBelow = (where: string) => named(DOWNWARD, `must be a path below ${where}, without . and ..`);
/** As it counts: without the slash of a folder, and below the outbox without its name. */
const withoutOutbox = (path: string): string => path.replace(/^outbox\//, "").replace(/\/$/, "");
const inOutbox = pathBelow("outbox/").transform(withoutOutbox);
const inWorktree = pathBelow("the worktree").transform((path) => path.replace(/\/$/, ""));

const COLLECT = "must list files of the outbox, or say where in the worktree each goes";
const bytes = z.int({ error: "must be a whole number of bytes" }).min(0, "must be 0 or more");
const option = oneOf(RECOVERY_OPTIONS);

const ABOUT = {
  outputs: "Files or folders that the outbox must hold at the end, beside summary.md.",
  collect:
    "What is copied from the outbox into the worktree: paths in the outbox, each with its path in the worktree, or a list where both are the same.",
  inline_limit: "Largest file that is copied into the inbox, bytes; a larger one is named by its path.",
  recovery:
    "What becomes of a failed turn: retry it, tell the parent, who may fix the inputs or skip the work (fix), end it at once (skip), or ask the human (escalate).",
  recoverable: "Of one that the agent calls recoverable, or does not explain.",
  unrecoverable: "Of one of which it says that trying again does not help.",
};

/** Keys of job.yaml. */
export const filesKeys = {
  outputs: z.array(inOutbox).default([]).meta({ description: ABOUT.outputs }),
  collect: z
    .union([z.array(pathBelow("outbox/")), z.record(z.string(), inWorktree)], { error: COLLECT })
    .transform((collect) =>
      Array.isArray(collect)
        ? Object.fromEntries(collect.map((path) => [path, withoutOutbox(path)]))
        : collect,
    )
    .pipe(z.record(inOutbox, z.string()))
    .default({})
    .meta({ description: ABOUT.collect }),
  inline_limit: bytes.default(1024 * 1024).meta({ description: ABOUT.inline_limit }),
  recovery: z
    .strictObject({
      recoverable: option.default("retry").meta({ description: ABOUT.recoverable }),
      unrecoverable: option.default("fix").meta({ description: ABOUT.unrecoverable }),
    })
    .prefault({})
    .meta({ description: ABOUT.recovery }),
};

/** Those of a role, as they are written. */
export const filesKeysOfRole = {
  outputs: z.array(pathBelow("outbox/")).optional().meta({ description: ABOUT.outputs }),
  collect: z
    .union([z.array(pathBelow("outbox/")), z.record(z.string(), pathBelow("the worktree"))], {
      error: COLLECT,
    })
    .optional()
    .meta({ description: ABOUT.collect }),
  inline_limit: bytes.optional().meta({ description: ABOUT.inline_limit }),
  recovery: z
    .strictObject({
      recoverable: option.optional().meta({ description: ABOUT.recoverable }),
      unrecoverable: option.optional().meta({ description: ABOUT.unrecoverable }),
    })
    .optional()
    .meta({ description: ABOUT.recovery }),
};

const text = z.string();

/** The same keys in the job as it runs. */
export const filesDefinition = {
  outputs: z.array(text).readonly(),
  collect: z.record(text, text),
  inline_limit: z.int().nonnegative(),
  recovery: z.strictObject({
    recoverable: z.enum(RECOVERY_OPTIONS),
    unrecoverable: z.enum(RECOVERY_OPTIONS),
  }),
};
