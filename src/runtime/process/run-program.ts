/**
 * Runs one program so that it and all its descent die with the call.
 *
 * R1. `runProgram` settles only when nothing of the program is alive (T2 of tree.ts), whatever way it ended.
 * R2. It never rejects for what a program does; how it ended is a {@link ProgramEnd}.
 * R3. The program gets exactly the environment and descriptors 0 to 2 that are given here, and runs in a session of its own: no
 *     signal that is meant for it can reach cfa.
 * R4. The time-out counts from the start of the process.
 * R5. The bare `child_process` is used, not execa: the start is a handshake, and waiting for pipes that a stranger may
 *     hold open would break R1.
 */
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { Duplex, type Readable } from "node:stream";
import { processIdentity, type ProcessIdentity } from "../../persistence/process-identity.ts";
import { invariant } from "../../soup/invariant.ts";
import { isErrno } from "../../soup/errno.ts";
import { stopRequest } from "../stop-request.ts";
import { findProgram } from "./find-program.ts";
import { childrenFile, type ProcessIsolation } from "./isolation.ts";
import { ProgramOutput } from "./output.ts";
import { type Exit, launch } from "./launch.ts";
import { contain, type Containment, type ProcessLimit } from "./process-limit.ts";
import { killTree, signalGroup } from "./tree.ts";

/** A program to run. */
export type ProgramRequest = {
  /** Program and arguments; a name without a slash is looked up on PATH of `env`. */
  readonly run: readonly string[];
  readonly cwd: string;
  /** The whole environment (R3). */
  readonly env: Readonly<Record<string, string>>;
  /** The whole of standard input. */
  readonly input: string;
  /** It reads no input and opens none of its descriptors by name: it gets sockets, which cost no process (descriptors.ts, D1). */
  readonly sockets?: boolean;
  /** File that the output is appended to (output.ts, O1). */
  readonly stream: string;
  /** Milliseconds (R4). */
  readonly timeout: number;
  /** Sent to the program's group on abort and time-out, one after the other, before it is killed. */
  readonly stopSignals: readonly NodeJS.Signals[];
  /** Milliseconds that the program has after each of `stopSignals`. */
  readonly grace: number;
  readonly signal: AbortSignal;
  /** A bound on its processes, where the machine offers one; the program is told nothing of it. */
  readonly processes?: { readonly limit: ProcessLimit; readonly most: number };
  /** The program runs; the identity recognises it after a crash (killStray). */
  readonly onStart: (root: ProcessIdentity) => void;
  /** A line of output; some are left out under load. */
  readonly onLine: (line: string) => void;
};

/** How a program ended. */
export type ProgramEnd =
  /** Exit status as a shell says it: 128 + n for death by signal n. */
  | { readonly kind: "exit"; readonly status: number }
  | { readonly kind: "timeout" }
  | { readonly kind: "aborted" }
  /** It was never started; one sentence why. */
  | { readonly kind: "unstarted"; readonly why: string };

/** What became of a program. */
export type ProgramResult = {
  readonly end: ProgramEnd;
  /** Standard output (output.ts, O2). */
  readonly text: string;
  /** Last line of standard error, or empty. */
  readonly complaint: string;
  /** Why not all output stands in the stream file; what else was remarkable about its processes. Sentences. */
  readonly problem: string | undefined;
};

/** How long the pipes of a dead program may be held open by somebody else. */
const DRAIN_MILLIS = 2000;

/** Runs a program to its end (R1, R2). */
export async function runProgram(
  request: ProgramRequest,
  isolation: ProcessIsolation,
): Promise<ProgramResult> {
  const nothing = { text: "", complaint: "", problem: undefined };
  if (request.signal.aborted) return { end: { kind: "aborted" }, ...nothing };
  const argv = await commandLine(request, isolation);
  if ("missing" in argv) return { end: { kind: "unstarted", why: argv.missing }, ...nothing };
  const output = await ProgramOutput.open(request.stream, request.onLine);
  try {
    const { end, remarks } = await runWith(output, request, isolation, argv.line);
    const problems = [...(output.problem === undefined ? [] : [output.problem]), ...remarks];
    const problem = problems.length === 0 ? undefined : problems.join("; ");
    return { end, text: output.text(), complaint: output.complaint(), problem };
  } finally {
    await output.close();
  }
}

async function runWith(
  output: ProgramOutput,
  request: ProgramRequest,
  isolation: ProcessIsolation,
  line: readonly string[],
): Promise<{ readonly end: ProgramEnd; readonly remarks: readonly string[] }> {
  const handshake = isolation.kind === "pid-namespace";
  const launched = await launch(line, request, handshake);
  if ("why" in launched) return { end: launched, remarks: [] };
  const { child, exited, stdout, stderr } = launched;
  const stop = stopRequest(request.timeout, request.signal);
  const taken = Promise.all([output.take(stdout, "stdout"), output.take(stderr, "stderr")]);
  try {
    const init = handshake ? await awaitInit(child) : undefined;
    const root = handshake ? init?.root : rootOf(child.pid);
    if (root === undefined) {
      const { status } = await exited;
      const why = `its PID namespace could not be made (status ${status})`;
      return { end: { kind: "unstarted", why }, remarks: [] };
    }
    const containment = init === undefined ? undefined : containmentOf(request, root);
    init?.go();
    request.onStart(root);
    const stopped = stop.reason.then((kind) => ({ kind }));
    const end = await Promise.race([exited, stopped]);
    if (end.kind !== "exit") await askToStop(root, request, exited);
    await killTree(root);
    await exited;
    const left = end.kind === "exit" ? ((await init?.left()) ?? 0) : 0;
    return { end, remarks: remarksOn(left, containment?.end() ?? false, request) };
  } finally {
    stop.cancel();
    await drain(taken, [stdout, stderr]);
  }
}

/** The full command line: the program as a file, behind the wrapper of a namespace. */
async function commandLine(
  { run, env, cwd }: ProgramRequest,
  isolation: ProcessIsolation,
): Promise<{ readonly line: readonly string[] } | { readonly missing: string }> {
  const [name = "", ...args] = run;
  try {
    if (!(await stat(cwd)).isDirectory())
      return { missing: `cannot run "${name}": ${cwd} is not a directory` };
  } catch (error) {
    if (!isErrno(error, "ENOENT", "ENOTDIR", "EACCES")) throw error;
    return { missing: `cannot run "${name}": its working directory ${cwd} is not there` };
  }
  const found = await findProgram(name, env["PATH"] ?? "", cwd);
  if ("missing" in found) return found;
  const wrapper = isolation.kind === "pid-namespace" ? isolation.wrapper : [];
  return { line: [...wrapper, found.path, ...args] };
}

/** The bound on the program's processes: a fork bomb meets it. */
function containmentOf({ processes }: ProgramRequest, root: ProcessIdentity): Containment | undefined {
  if (processes === undefined || "missing" in processes.limit) return undefined;
  return contain(processes.limit, root.pid, processes.most);
}

function remarksOn(left: number, boundMet: boolean, { processes }: ProgramRequest): readonly string[] {
  const most = processes?.most ?? 0;
  const met = `it reached the bound of ${most} processes and threads, and could start no more`;
  const behind =
    left === 1
      ? "a process that it left behind was killed"
      : `${left} processes that it left behind were killed`;
  return [...(boundMet ? [met] : []), ...(left > 0 ? [behind] : [])];
}

/** The init of a namespace that waits for its order. */
type Init = {
  readonly root: ProcessIdentity;
  /** Starts the program. */
  readonly go: () => void;
  /** How many processes the program has left behind; to be asked when all of them are dead. */
  readonly left: () => Promise<number>;
};

/** The init of the namespace, once the chain of death signals stands (isolation.ts, I3); undefined when it never stood. */
async function awaitInit(child: ChildProcess): Promise<Init | undefined> {
  const control = child.stdio[3];
  invariant(control instanceof Duplex, "descriptor 3 is a socket, open in both directions");
  let said = "";
  const closed = new Promise<void>((resolve) => control.once("close", resolve));
  const ready = await new Promise<boolean>((resolve) => {
    control.on("data", (chunk: Buffer) => {
      said += chunk.toString("latin1");
      resolve(true);
    });
    control.once("close", () => resolve(false));
    control.on("error", () => resolve(false));
  });
  const pid = ready ? childOf(child.pid) : undefined;
  const root = rootOf(pid);
  if (root === undefined) {
    // Without an answer the init ends.
    control.destroy();
    return undefined;
  }
  const left = async (): Promise<number> => {
    await closed;
    return Number(/l(\d+)$/.exec(said)?.[1] ?? 0);
  };
  return { root, go: () => void control.end("go\n"), left };
}

function childOf(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined;
  try {
    return Number(readFileSync(childrenFile(pid), "utf8").trim()) || undefined;
  } catch (error) {
    if (isErrno(error, "ENOENT", "ESRCH")) return undefined;
    throw error;
  }
}

/** A program that has ended at once still has a group to look after. */
function rootOf(pid: number | undefined): ProcessIdentity | undefined {
  return pid === undefined ? undefined : (processIdentity(pid) ?? { pid, started: "" });
}

async function askToStop(
  root: ProcessIdentity,
  request: ProgramRequest,
  exited: Promise<Exit>,
): Promise<void> {
  for (const signal of request.stopSignals) {
    signalGroup(root, signal);
    if (await settles(exited, request.grace)) return;
  }
}

/** Takes what the pipes still hold, which is little: everybody who could print is dead, or a stranger. */
async function drain(taken: Promise<unknown>, sources: readonly Readable[]): Promise<void> {
  if (!(await settles(taken, DRAIN_MILLIS))) for (const source of sources) source.destroy();
  await taken;
}

async function settles(promise: Promise<unknown>, millis: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), millis)));
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
