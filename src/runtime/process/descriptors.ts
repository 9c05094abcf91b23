/**
 * Descriptors 0 to 2 of a program, as real files and pipes.
 *
 * D1. What Node calls a pipe is a socket pair, and a socket cannot be opened by name: `cat /dev/stdin`, `tee /dev/stderr` and
 *     `readFileSync("/dev/stdin")` fail on it. Input is therefore a file and output a FIFO.
 * D2. They have no name any more when the program starts, so nothing is left behind by its death. Only a cfa that is killed in the
 *     moment in which it opens them leaves their folder, `cfa-program-*`, in the temporary directory.
 */
import { closeSync, constants, openSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { execa } from "execa";

/** The two sides of a program's descriptors. */
export type Descriptors = {
  /** What to hand to the program. */
  readonly theirs: { readonly stdin: number; readonly stdout: number; readonly stderr: number };
  /** What the program prints. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Closes our copy of their side: to be called when the program has been started, so that its end is seen. */
  readonly release: () => void;
};

/** Opens the descriptors of one program, with `input` on standard input. */
export async function openDescriptors(input: string): Promise<Descriptors> {
  const directory = await mkdtemp(join(tmpdir(), "cfa-program-"));
  try {
    const stdin = join(directory, "stdin");
    const stdout = join(directory, "stdout");
    const stderr = join(directory, "stderr");
    await writeFile(stdin, input, { mode: 0o600 });
    await execa("mkfifo", ["-m", "600", stdout, stderr]);
    const out = openPipe(stdout);
    const err = openPipe(stderr);
    const theirs = { stdin: openSync(stdin, "r"), stdout: out.write, stderr: err.write };
    return {
      theirs,
      stdout: out.read,
      stderr: err.read,
      release: () => Object.values(theirs).forEach(closeSync),
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function openPipe(path: string): { readonly read: Socket; readonly write: number } {
  // The reader comes first and does not wait; then the writer finds it there.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return {
    write: openSync(path, constants.O_WRONLY),
    read: new Socket({ fd, readable: true, writable: false }),
  };
}
