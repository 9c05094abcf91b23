/**
 * A program and its descent, as the system sees them: who belongs to it, and killing until nobody is left.
 *
 * T1. A tree is named by its root, recognised by pid and start time; a stranger that got the pid later is never touched.
 * T2. To a tree belong the root, what descends from it, and what is in the process group that it leads. In a PID namespace that is
 *     everything (orphans fall to the root); otherwise all but what left both group and parent.
 * T3. A zombie is dead: nothing runs in it any more, and nobody but its parent can remove it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { processState, type ProcessIdentity } from "../../persistence/process-identity.ts";
import { isErrno } from "../../soup/errno.ts";

type ProcessRow = { readonly pid: number; readonly parent: number; readonly group: number };

/**
 * Who of the tree is alive, as targets for kill(2): pids, or where there is no /proc the negative group id.
 */
export function liveMembers(root: ProcessIdentity): readonly number[] {
  const rows = processTable();
  if (rows === undefined) return signal(-root.pid, 0) ? [-root.pid] : [];
  const reused = rows.some((row) => row.pid === root.pid) && processState(root) === "gone";
  if (reused) return [];
  const members = new Set<number>();
  const next = [root.pid];
  for (let pid = next.pop(); pid !== undefined; pid = next.pop()) {
    for (const row of rows) {
      const belongs = row.pid === pid || row.parent === pid || row.group === root.pid;
      if (!belongs || members.has(row.pid)) continue;
      members.add(row.pid);
      next.push(row.pid);
    }
  }
  return [...members];
}

/** Kills the tree with SIGKILL and settles when nothing of it is alive (T2, T3). */
export async function killTree(root: ProcessIdentity): Promise<void> {
  for (let pause = 1; ; pause = Math.min(2 * pause, 100)) {
    const alive = liveMembers(root);
    if (alive.length === 0) return;
    for (const target of alive) signal(target, "SIGKILL");
    await delay(pause);
  }
}

/** Sends a signal to the process group that the root leads. */
export function signalGroup(root: ProcessIdentity, name: NodeJS.Signals): void {
  signal(-root.pid, name);
}

/**
 * Kills a program that an earlier cfa left behind, with its descent, when pid and start time say that it is the same one.
 * Settles with `unknown` when that cannot be told (no start time, another PID namespace): then nothing is killed.
 */
export async function killStray(pid: number, started: string | null): Promise<"killed" | "gone" | "unknown"> {
  if (started === null || started === "") return "unknown";
  const state = processState({ pid, started });
  if (state !== "running") return state;
  await killTree({ pid, started });
  return "killed";
}

/** All live processes; undefined without /proc. */
function processTable(): readonly ProcessRow[] | undefined {
  if (process.platform !== "linux") return undefined;
  const rows: ProcessRow[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const row = processRow(Number(name));
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

function processRow(pid: number): ProcessRow | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch (error) {
    // It has ended between listing and reading, or is another user's and hidden.
    if (isErrno(error, "ENOENT", "ESRCH", "EACCES", "EPERM")) return undefined;
    throw error;
  }
  // Fields are counted behind the last parenthesis: field 2, the name, may hold anything (proc_pid_stat(5)).
  const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (state === "Z" || state === "X") return undefined;
  return { pid, parent: Number(parent), group: Number(group) };
}

/** True when the target exists. One that may not be signalled exists, but is not ours to kill. */
function signal(target: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, name);
    return true;
  } catch (error) {
    if (isErrno(error, "ESRCH")) return false;
    if (isErrno(error, "EPERM")) return name === 0;
    throw error;
  }
}
