/**
 * A bound on how many processes and threads one program may have, descent included: what stops a fork bomb.
 *
 * L1. It is a control group of the `pids` controller (version 1 or 2), one a program, entered before the program starts. An
 *     rlimit is no substitute: it counts all processes of the user, and none of root's.
 * L2. An offer is believed only after a process has really been moved into such a group.
 * L3. A group goes with its program. One that a killed cfa has left is empty and goes when the next cfa looks.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { isErrno } from "../../soup/errno.ts";

/** Processes and threads that one program may have unless it is told otherwise. */
export const PROCESSES_MAX = 2048;

/** The group of one program. */
export type Containment = {
  /** Ends the group; every process of it must be dead. Returns whether the program has ever met the bound. */
  readonly end: () => boolean;
};

/** What the machine offers: a folder in which groups can be made, or one sentence that says why there is none. */
export type ProcessLimit = { readonly groups: string } | { readonly missing: string };

let tried: Promise<ProcessLimit> | undefined;
let made = 0;

/** What this machine offers; tried once per process (L2). */
export function processLimit(): Promise<ProcessLimit> {
  tried ??= attempt();
  return tried;
}

/** Moves a process into a group of its own; its children will be born there. Undefined when the system refuses. */
export function contain(
  { groups }: { readonly groups: string },
  pid: number,
  most: number,
): Containment | undefined {
  const group = join(groups, `cfa-${process.pid}-${++made}`);
  try {
    mkdirSync(group);
    writeFileSync(join(group, "pids.max"), String(most));
    writeFileSync(join(group, "cgroup.procs"), String(pid));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    remove(group);
    return undefined;
  }
  return {
    end: () => {
      const wasMet = hasMetBound(group);
      remove(group);
      return wasMet;
    },
  };
}

async function attempt(): Promise<ProcessLimit> {
  if (process.platform !== "linux") return { missing: `there are no control groups on ${process.platform}` };
  for (const groups of places()) {
    removeLeft(groups);
    const group = join(groups, `cfa-${process.pid}-0`);
    try {
      mkdirSync(group);
      writeFileSync(join(group, "pids.max"), "16");
      const { exitCode } = await execa("/bin/sh", ["-c", 'echo $$ >"$1/cgroup.procs"', "cfa", group], {
        reject: false,
      });
      if (exitCode === 0) return { groups };
    } catch (error) {
      if (!isRefusal(error)) throw error;
    } finally {
      remove(group);
    }
  }
  return { missing: "no control group for processes (pids) can be made here" };
}

/** Folders in which groups of the controller might be made: below our own group, and beside it. */
function places(): readonly string[] {
  const mounts = linesOf("/proc/mounts").map((line) => line.split(" "));
  return linesOf("/proc/self/cgroup").flatMap((line) => {
    const [, controllers = "", path = ""] = line.split(":");
    const isOurs = (type = "", options = ""): boolean =>
      controllers === "" ? type === "cgroup2" : type === "cgroup" && options.split(",").includes("pids");
    if (controllers !== "" && !controllers.split(",").includes("pids")) return [];
    const mount = mounts.find(([, , type, options]) => isOurs(type, options))?.[1];
    return mount === undefined ? [] : [...new Set([join(mount, path), join(mount, dirname(path))])];
  });
}

function linesOf(file: string): readonly string[] {
  return existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];
}

/** `max N` counts how often a process was refused (cgroups(7), pids.events). */
function hasMetBound(group: string): boolean {
  const count = linesOf(join(group, "pids.events"))
    .find((line) => line.startsWith("max "))
    ?.slice(4);
  return Number(count ?? 0) > 0;
}

/** See L3. */
function removeLeft(groups: string): void {
  if (!existsSync(groups)) return;
  for (const name of readdirSync(groups)) {
    const owner = /^cfa-(\d+)-\d+$/.exec(name)?.[1];
    if (owner !== undefined && !existsSync(`/proc/${owner}`)) remove(join(groups, name));
  }
}

/** A group that still holds a process stays. */
function remove(group: string): void {
  try {
    rmdirSync(group);
  } catch (error) {
    if (!isErrno(error, "ENOENT", "EBUSY", "ENOTEMPTY") && !isRefusal(error)) throw error;
  }
}

/** The system does not let us; EINVAL and EOPNOTSUPP are said by groups of the second version that cannot hold processes. */
function isRefusal(error: unknown): boolean {
  return isErrno(
    error,
    "EACCES",
    "EPERM",
    "EROFS",
    "ENOENT",
    "EBUSY",
    "EINVAL",
    "EOPNOTSUPP",
    "ENOSPC",
    "EAGAIN",
    "ESRCH",
    "EEXIST",
  );
}
