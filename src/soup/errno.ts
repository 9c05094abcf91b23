/** Telling failed system calls by their code. */

/** True when `error` is a failed system call with one of these codes, for example `ENOENT` (errno(3)). */
export function isErrno(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.some((code) => code === error.code);
}
