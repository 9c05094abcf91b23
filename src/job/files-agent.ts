/**
 * The keys of an agent with `adapter: files` that no other has: in job.yaml, and in the job as it runs (docs/files.md, "Keys").
 *
 * K1. Paths are relative, below outbox/ on one side and below the root of the worktree on the other, without `.` and `..`.
 * K2. What may become of a failure is one word for those of which trying again may help, and one for the others.
 */
import { z } from "zod";
import { named, oneOf } from "./schema-parts.ts";

/** What may become of a failed turn of a file-based agent (docs/files.md, "When it fails"). */
export const RECOVERY_OPTIONS = ["retry", "fix", "skip", "escalate"] as const;

/** One of {@link RECOVERY_OPTIONS}. */
export type RecoveryOption = (typeof RECOVERY_OPTIONS)[number];

/** A path that leads down and nowhere else, not into `.git` or `.cfa`; a folder may end in a slash. */
const DOWNWARD =
  /^(?!\/)(?!\.cfa(?:\/|$))(?!(?:.*\/)?\.git(?:\/|$))(?!(?:.*\/)?\.{1,2}(?:\/|$))(?!.*\/\/)[^\0]{1,200}$/i;

const pathIn = (where: string) =>
  named(DOWNWARD, `must be a path below ${where}, without . and ..`).transform((path) =>
    path.replace(/\/$/, ""),
  );

const option = (preset: RecoveryOption, when: string) =>
  oneOf(RECOVERY_OPTIONS)
    .default(preset)
    .meta({ description: `What becomes of a failure ${when}.` });

const inOutbox = pathIn("outbox/");
const collectSchema = z
  .union([z.array(inOutbox), z.record(z.string(), pathIn("the worktree"))], {
    error: "must list files of the outbox, or say where in the worktree each goes",
  })
  .transform((collect) =>
    Array.isArray(collect) ? Object.fromEntries(collect.map((path) => [path, path])) : collect,
  )
  .pipe(z.record(inOutbox, z.string()));

/** Keys of job.yaml. */
export const filesKeys = {
  outputs: z
    .array(inOutbox)
    .default([])
    .meta({ description: "Files or folders that the outbox must hold at the end, beside summary.md." }),
  collect: collectSchema.default({}).meta({
    description:
      "What is copied from the outbox into the worktree: paths in the outbox, each with its path in the worktree, or a list where both are the same.",
  }),
  inline_limit: z
    .int({ error: "must be a whole number of bytes" })
    .min(0, "must be 0 or more")
    .default(1024 * 1024)
    .meta({
      description: "Largest file that is copied into the inbox, bytes; a larger one is named by its path.",
    }),
  recovery: z
    .strictObject({
      recoverable: option("retry", "that the agent calls recoverable, or does not explain"),
      unrecoverable: option("fix", "of which it says that trying again does not help"),
    })
    .prefault({})
    .meta({
      description:
        "What becomes of a failed turn: retry it, tell the parent, who may fix the inputs or skip the work (fix), end it at once (skip), or ask the human (escalate).",
    }),
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
