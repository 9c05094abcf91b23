/** What an outbox cannot take: the machine's fault, told to the agent in one sentence, the same for the command line and for MCP. */
import { isErrno } from "../soup/errno.ts";

const CODES = ["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "ENOENT", "ENOTDIR", "EIO"] as const;

/** Why a call of this name could not be written; undefined for an error that says something else. */
export function unwritten(name: string, error: unknown): string | undefined {
  if (!(error instanceof Error) || !isErrno(error, ...CODES)) return undefined;
  return `${name} could not be written, and nothing was done (${error.message}): make room, or say the rest in your final text`;
}
