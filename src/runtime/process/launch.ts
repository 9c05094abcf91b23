/**
 * The start of one program, with its descriptors: files and pipes with names (descriptors.ts), or sockets where it needs none.
 *
 * L1. What the system refuses is an end of kind `unstarted`, whatever way it says so. Nothing of ours stays open then.
 */
import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { constants as os } from "node:os";
import { Readable } from "node:stream";
import { invariant, InvariantViolation } from "../../soup/invariant.ts";
import { openDescriptors } from "./descriptors.ts";
import type { ProgramEnd, ProgramRequest } from "./run-program.ts";

/** One of the descriptors 0 to 2 of a program. */
type Standard = number | "ignore" | "pipe";
/** The end of a process that has run. */
export type Exit = Extract<ProgramEnd, { kind: "exit" }>;
/** A program that runs, and what it prints. */
export type Launched = {
  readonly child: ChildProcess;
  readonly exited: Promise<Exit>;
  readonly stdout: Readable;
  readonly stderr: Readable;
};

/**
 * Starts the command line. With `handshake` descriptor 3 is a socket to the init of its namespace, and 4 takes the program's standard
 * error (isolation.ts).
 */
export async function launch(
  [file = "", ...args]: readonly string[],
  { cwd, env, input, sockets = false }: ProgramRequest,
  handshake: boolean,
): Promise<Launched | Extract<ProgramEnd, { kind: "unstarted" }>> {
  const start = async (stdin: Standard, stdout: Standard, stderr: Standard): Promise<ChildProcess> => {
    const stdio: StdioOptions = handshake
      ? [stdin, stdout, "ignore", "pipe", stderr]
      : [stdin, stdout, stderr];
    const child = spawn(file, args, { cwd, env, detached: true, stdio });
    if (child.pid !== undefined) return child;
    // Rejects with the error that the child is about to emit.
    await once(child, "exit");
    throw new InvariantViolation("bug in cfa: a program without pid has ended");
  };
  try {
    if (sockets) return ownSockets(await start("ignore", "pipe", "pipe"), handshake ? 4 : 2);
    const { theirs, stdout, stderr, release } = await openDescriptors(input);
    try {
      const child = await start(theirs.stdin, theirs.stdout, theirs.stderr);
      return { child, exited: exitOf(child), stdout, stderr };
    } catch (error) {
      stdout.destroy();
      stderr.destroy();
      throw error;
    } finally {
      release();
    }
  } catch (error) {
    // What the system refuses comes as an event or, as E2BIG does, as an exception.
    if (!(error instanceof Error && "syscall" in error)) throw error;
    return { kind: "unstarted", why: `cannot start ${file}: ${error.message}` };
  }
}

function ownSockets(child: ChildProcess, complaints: 2 | 4): Launched {
  const [, stdout] = child.stdio;
  const stderr = child.stdio[complaints];
  invariant(stdout instanceof Readable && stderr instanceof Readable, "a pipe of ours can be read");
  return { child, exited: exitOf(child), stdout, stderr };
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      resolve({ kind: "exit", status: code ?? 128 + (signal === null ? 0 : os.signals[signal]) });
    });
  });
}
