/** What the machine itself offers: Node, git, the boundary, how processes are held together, SQLite. Each is tried, not asked for. */
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteBus } from "../../persistence/sqlite/bus.ts";
import { INSTALL_BUBBLEWRAP, tryBubblewrap } from "../../runtime/boundary/bubblewrap.ts";
import { prove, Unproven } from "../../runtime/boundary/proof.ts";
import { processIsolation } from "../../runtime/process/isolation.ts";
import { PROCESSES_MAX, processLimit } from "../../runtime/process/process-limit.ts";
import { gitAt } from "../../runtime/workspaces/git.ts";
import { whyGitWillNotDo } from "../../runtime/workspaces/git-version.ts";
import { type Finding, limited, missing, ok } from "./finding.ts";
import { machineKind, tested } from "./tested.ts";

/** Looks at the machine. `searchPath` is the value of PATH. */
export async function examineMachine(searchPath: string): Promise<readonly Finding[]> {
  const scratch = await realpath(await mkdtemp(join(tmpdir(), "cfa-doctor-")));
  try {
    return [
      ok("node", `${process.version} at ${process.execPath}`),
      await git(scratch),
      await boundary(scratch, searchPath),
      await processes(),
      await bound(),
      tested(await machineKind()),
      await sqlite(scratch),
    ];
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function git(scratch: string): Promise<Finding> {
  const here = gitAt({ cwd: scratch });
  const unusable = await whyGitWillNotDo(here);
  if (unusable !== undefined) return missing("git", unusable, "apt-get install git");
  return ok("git", (await here.run(["--version"])).trim());
}

/** A boundary is really drawn, and canaries are really looked for from inside (docs/boundary.md). */
async function boundary(scratch: string, searchPath: string): Promise<Finding> {
  const what = "boundary";
  const offer = await tryBubblewrap(searchPath);
  if ("missing" in offer) {
    const without = 'a job runs only with "sandbox: preferred" or "sandbox: advisory", without one';
    return missing(what, `${offer.missing}: ${without}`, INSTALL_BUBBLEWRAP);
  }
  const workspace = join(scratch, "workspace");
  await mkdir(workspace);
  const mounts = [{ kind: "bind", from: workspace, at: workspace, write: true }] as const;
  try {
    await prove(offer.boundary, { workspace, mounts, network: "none" });
    return ok(what, "bubblewrap: canaries above the root and beside it could not be read from inside");
  } catch (error) {
    if (!(error instanceof Unproven)) throw error;
    return missing(what, error.message, "no program is started behind this boundary: report it, please");
  }
}

async function processes(): Promise<Finding> {
  const { kind, why } = await processIsolation();
  if (kind === "pid-namespace") return ok("processes", `without a boundary, too, ${why}`);
  return limited("processes", `without a boundary, ${why}`, "apt-get install util-linux");
}

async function bound(): Promise<Finding> {
  const limit = await processLimit();
  if ("groups" in limit)
    return ok(
      "fork bombs",
      `each program is held to ${PROCESSES_MAX} processes and threads, in ${limit.groups}`,
    );
  const advice =
    "run cfa where it may make control groups (systemd-run --user --scope -p Delegate=yes cfa run)";
  return limited("fork bombs", `not contained: ${limit.missing}`, advice);
}

async function sqlite(scratch: string): Promise<Finding> {
  try {
    const bus = openSqliteBus(join(scratch, "bus.db"), { job: "doctor", synchronous: "FULL" });
    await bus.close();
    return ok("sqlite", "a log could be made and closed");
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return missing("sqlite", error.message, "npm rebuild better-sqlite3");
  }
}
