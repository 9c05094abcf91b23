/**
 * The boundary on Linux: bubblewrap builds a root of its own for each program, with nothing in it but what is listed.
 *
 * W1. The root is empty and read-only; into it come the system (system-paths.ts), /proc of the turn's own processes, a minimal /dev,
 *     a private /tmp and what the space lists. So `..`, links, absolute paths and /proc lead nowhere else.
 * W2. Namespaces of its own for users, processes, IPC, host name and, unless the network is `full`, network. No capability is kept,
 *     also for root, and none is gained by running a program (no_new_privs).
 * W3. Everything inside dies with the init, the init with bubblewrap, bubblewrap with cfa (`--die-with-parent`); the init waits for
 *     cfa as any other (isolation.ts, I3).
 * W4. What is bound in is sorted by depth: a folder never hides what lies below it.
 */
import { execa } from "execa";
import { findProgram } from "../process/find-program.ts";
import { INIT, type ProcessIsolation } from "../process/isolation.ts";
import type { Boundary, Mount, Space } from "./port.ts";
import { procMounts, systemMounts } from "./system-paths.ts";

/** A boundary, or one sentence that says why there is none. */
export type Offer = { readonly boundary: Boundary } | { readonly missing: string };

/** How bubblewrap is installed, as a command. */
export const INSTALL_BUBBLEWRAP = "apt-get install bubblewrap";

const PROBE_MILLIS = 10_000;

const NAMESPACES = [
  "--unshare-user",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--cap-drop",
  "ALL",
  "--die-with-parent",
  "--new-session",
  "--as-pid-1",
];

const WHY =
  "every program runs in a root of its own (bubblewrap) and dies with its turn, descendants included";

/** What bubblewrap offers on this machine, found on `searchPath` and really started. */
export async function tryBubblewrap(searchPath: string): Promise<Offer> {
  if (process.platform !== "linux") return { missing: `there is no bubblewrap on ${process.platform}` };
  const found = await findProgram("bwrap", searchPath, "/");
  if ("missing" in found) return { missing: "bubblewrap is not installed" };
  const system = { mounts: await systemMounts(), proc: await procMounts() };
  const line = [...argumentsOf(system, { workspace: "/tmp", mounts: [], network: "none" }), "/bin/sh"];
  const trial = await execa(found.path, [...line, "-c", "echo $$"], {
    reject: false,
    timeout: PROBE_MILLIS,
    cwd: "/",
  });
  if (trial.stdout === "1") return { boundary: bubblewrap(found.path, system) };
  const said = trial.stderr.trim().split("\n").at(-1) ?? "";
  return { missing: `bubblewrap is installed, but does not work here: ${said || "it started nothing"}` };
}

/** What is the same in every root. */
type System = { readonly mounts: readonly Mount[]; readonly proc: readonly Mount[] };

function bubblewrap(path: string, system: System): Boundary {
  return {
    kind: "bubblewrap",
    around: (space): Promise<ProcessIsolation> => {
      const init = ["/bin/sh", "-c", INIT, "cfa-init"];
      const wrapper = [path, ...argumentsOf(system, space), ...init];
      return Promise.resolve({ kind: "pid-namespace", why: WHY, wrapper });
    },
  };
}

/** The arguments up to the program (W1, W2). */
function argumentsOf(system: System, { workspace, mounts, network }: Space): readonly string[] {
  return [
    ...NAMESPACES,
    ...(network === "full" ? [] : ["--unshare-net"]),
    ...system.mounts.flatMap(words),
    "--proc",
    "/proc",
    ...system.proc.flatMap(words),
    "--dev",
    "/dev",
    "--tmpfs",
    "/tmp",
    ...byDepth(mounts).flatMap(words),
    "--remount-ro",
    "/",
    "--chdir",
    workspace,
    "--",
  ];
}

function words(mount: Mount): readonly string[] {
  switch (mount.kind) {
    case "bind":
      return [mount.write ? "--bind" : "--ro-bind", mount.from, mount.at];
    case "link":
      return ["--symlink", mount.to, mount.at];
    case "empty":
      return ["--tmpfs", mount.at];
  }
}

/** One mount a place, what can be written before what cannot; parents first (W4). */
function byDepth(mounts: readonly Mount[]): readonly Mount[] {
  const places = new Map<string, Mount>();
  for (const mount of mounts) {
    const known = places.get(mount.at);
    const wins = known === undefined || known.kind === "empty" || (mount.kind === "bind" && mount.write);
    if (wins) places.set(mount.at, mount);
  }
  const depth = ({ at }: Mount): number => at.split("/").length;
  return [...places.values()].sort((a, b) => depth(a) - depth(b));
}
