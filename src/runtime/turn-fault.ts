/**
 * Whose fault it is that a turn could not be carried through: what an agent can have done to its workspace or outbox is
 * a failure of its turn; what the machine lacks, and a bug of cfa, ends the run instead.
 */
import { isErrno } from "../soup/errno.ts";
import { GitFailure } from "./workspaces/git.ts";
import { TreeBroken } from "./workspaces/port.ts";

/** What no agent is counted for: the machine has no room, no descriptors, a broken or read-only disk. */
const OF_THE_MACHINE = ["ENOSPC", "EDQUOT", "EIO", "EROFS", "EMFILE", "ENFILE", "ENOMEM"];
/** The same, as git says it. */
const SAID_BY_GIT =
  /No space left on device|Disk quota exceeded|Input\/output error|Read-only file system|Too many open files|Cannot allocate memory/;

/** True for an error that counts as a failure of the turn; its message is the sentence to show. */
export function isFaultOfTurn(error: unknown): error is Error {
  // Bugs have classes of their own: TypeError, InvariantViolation, ZodError, …
  if (!(error instanceof Error) || !isPlain(error)) return false;
  return !isErrno(error, ...OF_THE_MACHINE) && !SAID_BY_GIT.test(error.message);
}

function isPlain(error: Error): boolean {
  return error.constructor === Error || error instanceof GitFailure || error instanceof TreeBroken;
}
