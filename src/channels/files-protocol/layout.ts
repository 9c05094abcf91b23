/**
 * Where the files of a file-based agent stand (docs/files.md, "The layout").
 *
 * L1. Each conversation has a home of its own, `<job directory>/homes/<thread>/`, outside of every worktree; it stays until the job is removed.
 * L2. The agent reads `SKILL.md` and `inbox/`; it writes all the rest.
 */
import { join } from "node:path";
import type { ThreadId } from "../../soup/message.ts";

/** Folder of the job for the homes of its file-based agents. */
export const HOMES_FOLDER = "homes";

/** The skill that the agent works by. */
export const SKILL_FILE = "SKILL.md";
/** What the agent is given: instructions, files, dependencies. */
export const INBOX_FOLDER = "inbox";
/** What it delivers. */
export const OUTBOX_FOLDER = "outbox";
/** Its private area; nothing is ever collected from it. */
export const WORKSPACE_FOLDER = "workspace";
/** Its life cycle. */
export const STATUS_FILE = "status.json";
/** What it and its siblings say to each other. */
export const MESSAGES_FOLDER = "messages";
/** What earlier turns left, `kept/<turn>/`: their outbox and status.json. */
export const KEPT_FOLDER = "kept";

/** The task of the turn, in the inbox. */
export const INSTRUCTIONS_FILE = "instructions.md";
/** What the agent depends on, in the inbox. */
export const DEPENDENCIES_FILE = "dependencies.json";
/** What the agent says it has done, in the outbox. */
export const SUMMARY_FILE = "summary.md";
/** What it may say besides, in the outbox: none of it is a deliverable. */
export const OPTIONAL_FILES = ["changelog.md", "issues.md", "metadata.json"] as const;
/** What went wrong, in the outbox. */
export const ERROR_REPORT_FILE = "error_report.md";
/** What was done before it went wrong, in the outbox. */
export const PARTIAL_FOLDER = "partial";

/** Absolute path of the home of a thread's file-based agent; `jobDirectory` is `.cfa/jobs/<id>`. */
export function filesHome(jobDirectory: string, thread: ThreadId): string {
  return join(jobDirectory, HOMES_FOLDER, fileNameOf(thread));
}

/** A thread as one file name; no two have the same. A `:` would not stand in a PATH. */
function fileNameOf(thread: ThreadId): string {
  return encodeURIComponent(thread).replace(/^\./, "%2E");
}
