/**
 * Runs or resumes a job as the command line does, and dies by SIGKILL at an exact commit of the log:
 * `node driver.mjs REPOSITORY before|after N [JOB.YAML]`, N counted from 1 in this process.
 */
import { join } from "node:path";
import { loadJob, openEngine, openSqliteBus } from "../../dist/index.js";
import { listJobs } from "../../dist/persistence/jobs.js";

const [top, when, position, file] = process.argv.slice(2);
let commits = 0;
const die = () => process.kill(process.pid, "SIGKILL");

function dying(bus) {
  const commit = async (commit) => {
    commits += 1;
    if (when === "before" && commits === Number(position)) die();
    const entries = await bus.log.commit(commit);
    if (when === "after" && commits === Number(position)) die();
    return entries;
  };
  const log = {
    commit,
    read: (...range) => bus.log.read(...range),
    head: () => bus.log.head(),
    checkpoint: () => bus.log.checkpoint(),
    saveCheckpoint: (state) => bus.log.saveCheckpoint(state),
  };
  const { job, inbox, ownership, wake } = bus;
  return { job, log, inbox, ownership, wake, close: () => bus.close() };
}

const engine = openEngine({
  bus: (job) => dying(openSqliteBus(join(top, ".cfa", "jobs", job, "bus.db"), { job })),
});
const run =
  file === undefined
    ? await engine.resume(top, (await listJobs(top))[0], { waitForHuman: false })
    : await engine.start(loadJob(file, { repository: top }).definition, { waitForHuman: false });
await run.end;
await engine.close();
