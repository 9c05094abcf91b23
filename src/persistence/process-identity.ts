/**
 * Which process is meant by a pid: pids are reused, the pair of pid and start time is not.
 *
 * P1. Where /proc exists a start time is `<boot id>/<pid namespace>/<clock ticks since boot>` (proc_pid_stat(5), field 22).
 * P2. Without /proc it is the empty string, and a process counts as running while its pid is in use: a reused pid
 *     is then taken for the old process, and only a lease ends its ownership.
 * P3. "gone" is said only when it is certain. A zombie is gone: it runs nothing any more.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isErrno } from "../soup/errno.ts";

/** A process, recognisable after its pid has been reused (P1). */
export type ProcessIdentity = { readonly pid: number; readonly started: string };

/** A process and the name of its host. */
export type HostProcess = ProcessIdentity & { readonly host: string };

/** What is known of a recorded process. "unknown": it belongs to another pid namespace, or is hidden from us. */
export type ProcessState = "running" | "gone" | "unknown";

/** The identity of a running process of this host; undefined when there is none or it may not be seen. */
export function processIdentity(pid: number): ProcessIdentity | undefined {
  const kernel = kernelIdentity();
  if (kernel === undefined) return pidInUse(pid) === "free" ? undefined : { pid, started: "" };
  const ticks = startTicks(pid);
  return ticks === undefined ? undefined : { pid, started: `${kernel}/${ticks}` };
}

/** This process, with the name of its host. */
export function thisProcess(): HostProcess {
  return { host: hostname(), ...(processIdentity(process.pid) ?? { pid: process.pid, started: "" }) };
}

/** Whether a process recorded on this host still runs (P3). */
export function processState({ pid, started }: ProcessIdentity): ProcessState {
  const kernel = kernelIdentity();
  if (kernel === undefined || started === "") return pidInUse(pid) === "free" ? "gone" : "running";
  const [boot, namespace, ticks] = started.split("/");
  const [bootNow, namespaceNow] = kernel.split("/");
  if (boot !== bootNow) return "gone";
  if (namespace !== namespaceNow) return "unknown";
  const ticksNow = startTicks(pid);
  if (ticksNow !== undefined) return ticksNow === ticks ? "running" : "gone";
  return pidInUse(pid) === "hidden" ? "unknown" : "gone";
}

let kernel: { readonly identity: string | undefined } | undefined;

/** `<boot id>/<pid namespace>`; undefined without /proc. Both stay the same while this process runs. */
function kernelIdentity(): string | undefined {
  kernel ??= { identity: readKernelIdentity() };
  return kernel.identity;
}

function readKernelIdentity(): string | undefined {
  const boot = readIfThere("/proc/sys/kernel/random/boot_id")?.trim();
  if (boot === undefined || readIfThere("/proc/self/stat") === undefined) return undefined;
  const namespace = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "";
  return `${boot}/${namespace}`;
}

/** Field 22 of /proc/PID/stat; undefined when there is no such process or it is a zombie. */
function startTicks(pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // Field 2, the program's name, may itself hold spaces and parentheses: the fields are counted behind its last one.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isErrno(error, "ENOENT", "ESRCH", "ENOTDIR", "EACCES", "EPERM")) return undefined;
    throw error;
  }
}

/** "hidden": in use, but by a process that this user may not signal. */
function pidInUse(pid: number): "free" | "used" | "hidden" {
  try {
    process.kill(pid, 0);
    return "used";
  } catch (error) {
    if (isErrno(error, "ESRCH")) return "free";
    if (isErrno(error, "EPERM")) return "hidden";
    throw error;
  }
}
