/**
 * What the machine lacks: room, descriptors, memory, a disk that works. It is nobody's failure in the job: the run ends with a
 * sentence and can be resumed when it is there again.
 */
import { isErrno } from "../soup/errno.ts";

type Lack = { readonly codes: readonly string[]; readonly git: RegExp; readonly says: string };

/** What no agent is counted for, as system calls and as git say it, and as a person is told. */
const LACKS: readonly Lack[] = [
  {
    codes: ["ENOSPC", "EDQUOT"],
    git: /No space left on device|Disk quota exceeded/,
    says: "no space left on a disk that the job needs",
  },
  { codes: ["EIO"], git: /Input\/output error/, says: "a disk that the job needs cannot be read or written" },
  { codes: ["EROFS"], git: /Read-only file system/, says: "a disk that the job needs is mounted read-only" },
  {
    codes: ["EMFILE", "ENFILE"],
    git: /Too many open files/,
    says: "the system lets no more files be opened (ulimit -n)",
  },
  { codes: ["ENOMEM"], git: /Cannot allocate memory/, says: "the machine has no memory left" },
];

/** The machine lacks what the job needs: the run ends and can be resumed. The message is the sentence to show. */
export class MachineFault extends Error {
  override readonly name = "MachineFault";
}

/** True for an error by which the system says that the machine lacks something. */
export function isMachineFault(error: unknown): boolean {
  return lackOf(error) !== undefined;
}

/** Throws `error` again, as a {@link MachineFault} when it is one. */
export function rethrowMachineFault(error: unknown): never {
  const lack = lackOf(error);
  if (lack === undefined || !(error instanceof Error)) throw error;
  const detail = error.message.replace(/\s+/g, " ").slice(0, DETAIL_CHARS);
  throw new MachineFault(`${lack.says} (${detail}): set that right, then resume the job`, { cause: error });
}

const DETAIL_CHARS = 300;

function lackOf(error: unknown): Lack | undefined {
  const said = error instanceof Error ? error.message : "";
  return LACKS.find(({ codes, git }) => isErrno(error, ...codes) || git.test(said));
}
