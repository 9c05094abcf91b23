/**
 * What this machine offers to make a program and all its descent die together.
 *
 * I1. `pid-namespace`: the program runs under an init of its own. When that init dies, the kernel kills everything
 *     in the namespace, whatever session or group it moved to.
 * I2. The chain from cfa to the init is held by parent death signals: `setpriv --pdeathsig` becomes `unshare`, which dies
 *     with the thread of cfa that started it, and `--kill-child` makes the init die with `unshare`. So a SIGKILL of
 *     cfa reaches everything (pid_namespaces(7), PR_SET_PDEATHSIG(2const)).
 * I3. A death signal that is set too late is never sent: the init therefore says `r` on descriptor 3 when the chain stands
 *     and starts the program only on the line that answers; a cfa that has died answers with end of file.
 * I4. An offer is believed only after it was tried.
 */
import { readFile } from "node:fs/promises";
import { execa } from "execa";
import { isErrno } from "../../soup/errno.ts";
import { findProgram } from "./find-program.ts";

/** How programs are held together; `why` is one sentence for people, in the fallback one that says what is not guaranteed. */
export type ProcessIsolation =
  | {
      readonly kind: "pid-namespace";
      readonly why: string;
      /** Command line that a program and its arguments are appended to; speaks the handshake of I3 on descriptor 3 and takes standard error on 4. */
      readonly wrapper: readonly string[];
    }
  | { readonly kind: "process-group"; readonly why: string };

/**
 * The program's init. It stays the parent of the program, because an init itself is deaf to signals without a handler, and it
 * reaps what the program leaves behind. Its status is the program's. Descriptor 4 becomes the program's standard error, so
 * that what wrapper and shell say on 2 (`Terminated`) is never taken for the program's. When the program has ended, it says on
 * descriptor 3 how many processes it leaves behind (`l` and the number); they die with the init.
 */
export const INIT = `
printf r >&3 && read -r cfa_go <&3 || exit 125
(exec "$@" 2>&4 3>&- 4>&-)
cfa_status=$? cfa_left=0
for cfa_process in /proc/[0-9]*; do
  { read -r cfa_stat <"$cfa_process/stat"; } 2>/dev/null || continue
  case "$cfa_process \${cfa_stat##*) }" in "/proc/1 "* | *" Z "* | *" X "*) ;; *) cfa_left=$((cfa_left + 1)) ;; esac
done
[ $cfa_left -eq 0 ] || printf "l$cfa_left" >&3
exit $cfa_status
`;

/** Ways to be allowed a PID namespace: as root, else inside a user namespace. */
const PRIVILEGES: readonly (readonly string[])[] = [[], ["--map-current-user"], ["--map-root-user"]];

const PROBE_MILLIS = 10_000;

let probed: Promise<ProcessIsolation> | undefined;

/** What this machine offers; tried once per process (I4). */
export function processIsolation(): Promise<ProcessIsolation> {
  probed ??= probe();
  return probed;
}

/** The fallback: everything that stays in the program's process group, or below it in the tree, dies with its turn. */
export function processGroup(because: string): ProcessIsolation {
  return {
    kind: "process-group",
    why:
      `programs run in process groups (${because}): a descendant that starts a session of its own and leaves its ` +
      `parent can outlive its turn, and a kill of cfa itself leaves programs running until the job is resumed`,
  };
}

async function probe(): Promise<ProcessIsolation> {
  if (process.platform !== "linux") return processGroup(`no PID namespaces on ${process.platform}`);
  if (!(await listsChildren())) return processGroup("/proc does not list the children of a process");
  const tools: string[] = [];
  for (const name of ["setpriv", "unshare", "setsid", "sh"]) {
    const found = await findProgram(name, `${process.env["PATH"] ?? ""}:/usr/bin:/bin`, "/");
    if ("missing" in found) return processGroup(`${name} is not installed`);
    tools.push(found.path);
  }
  let refusal = "";
  for (const privilege of PRIVILEGES) {
    const [program = "", ...args] = wrapperOf(tools, privilege, "echo $$");
    const trial = await execa(program, args, { reject: false, timeout: PROBE_MILLIS });
    if (trial.stdout === "1") {
      return {
        kind: "pid-namespace",
        why: "every program runs in a PID namespace of its own and dies with its turn, descendants included",
        wrapper: wrapperOf(tools, privilege, INIT),
      };
    }
    refusal = trial.stderr.trim().split("\n").at(-1) ?? "";
  }
  return processGroup(`a PID namespace was refused: ${refusal || "the trial did not become process 1"}`);
}

/** The session of its own keeps signals for the program's group away from `unshare`, and gives the program a group id that it can see. */
function wrapperOf(
  tools: readonly string[],
  privilege: readonly string[],
  script: string,
): readonly string[] {
  const [setpriv = "", unshare = "", setsid = "", sh = ""] = tools;
  const namespace = [unshare, ...privilege, "--fork", "--pid", "--kill-child", "--mount-proc", "--"];
  return [setpriv, "--pdeathsig", "KILL", "--", ...namespace, setsid, sh, "-c", script, "cfa-init"];
}

async function listsChildren(): Promise<boolean> {
  try {
    await readFile(childrenFile(process.pid), "utf8");
    return true;
  } catch (error) {
    if (isErrno(error, "ENOENT", "EACCES")) return false;
    throw error;
  }
}

/** Where Linux lists the children that the main thread of a process has started (proc_pid_task(5)). */
export function childrenFile(pid: number): string {
  return `/proc/${pid}/task/${pid}/children`;
}
