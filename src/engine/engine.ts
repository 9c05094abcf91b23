/**
 * The composition root for embedding and the command line: from a job definition to a running job.
 *
 * C1. Only this folder and src/cli construct concrete buses, workspaces and adapters.
 * C2. A job is resumed from its log, never from job.yaml.
 * C3. The same resolved job on the same base is the same job: it is shown or resumed, not started twice.
 */
import { join } from "node:path";
import type { JobDefinition } from "../job/definition.ts";
import { jobDirectory, listJobs } from "../persistence/jobs.ts";
import type { Bus } from "../persistence/ports.ts";
import { systemClock } from "../runtime/clock.ts";
import { rethrowMachineFault } from "../runtime/machine-fault.ts";
import { killStray } from "../runtime/process/tree.ts";
import { Scheduler } from "../runtime/scheduler.ts";
import { gitAnchor, readAnchor } from "../runtime/workspaces/anchor-ref.ts";
import { ensureStateDirectory, resolveCommit } from "../runtime/workspaces/repository.ts";
import type { ThreadId } from "../soup/message.ts";
import { requireAnchored } from "./anchored.ts";
import { boundariesOf } from "./boundaries.ts";
import { openFolds } from "./checkpoint.ts";
import { forkJob } from "./fork.ts";
import { rememberedOf, thenClose } from "./human-memory.ts";
import { makeAgents, makeBus, notifying, saveCheckpoint, seedsOf, worktrees } from "./job-parts.ts";
import { JobRun } from "./job-run.ts";
import { openingDrafts } from "./opening.ts";
import type { EngineOptions, RunOptions } from "./options.ts";
import { CannotStart, idOf, prepareJob, type Prepared } from "./prepare.ts";
import { reapAtStart } from "./reap.ts";

/** How often the inbox of a job is asked, milliseconds; hints make it faster. */
const POLL_MILLIS = 250;

/** See the header. Make one with {@link openEngine}. */
export class Engine {
  readonly #options: EngineOptions;
  /** Runs that have not ended, and buses, by job; promises, so that who comes meanwhile gets the same one. */
  readonly #runs = new Map<string, Promise<JobRun>>();
  readonly #buses = new Map<string, Promise<Bus>>();

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /**
   * Starts a job, or resumes it when the same one is there (C3).
   * @throws CannotStart when its repository does not allow it; nothing has been written then.
   */
  async start(definition: JobDefinition, options: RunOptions = {}): Promise<JobRun> {
    const checked = await prepareJob(definition);
    await boundariesOf(definition, options.agents ?? {});
    const { top } = checked.repository;
    const prepared = { ...checked, remarks: [...checked.remarks, ...(await reapAtStart(top))] };
    const id = await this.#idFor(prepared, options.fresh ?? false);
    return this.#run(id, top, options, prepared);
  }

  /** The id under which {@link start} would run the job, and whether it is there already. */
  async identify(definition: JobDefinition): Promise<{
    readonly id: string;
    readonly top: string;
    readonly exists: boolean;
    readonly remarks: readonly string[];
  }> {
    const prepared = await prepareJob(definition);
    const { top } = prepared.repository;
    const id = idOf(prepared, 1);
    return { id, top, exists: (await listJobs(top)).includes(id), remarks: prepared.remarks };
  }

  /** Resumes a job of the repository whose top is `top`, from its log (C2). */
  async resume(top: string, id: string, options: RunOptions = {}): Promise<JobRun> {
    if (!(await listJobs(top)).includes(id)) throw new CannotStart(`there is no job ${id} in ${top}`);
    return this.#run(id, top, options, undefined);
  }

  /**
   * Makes a new job that goes on from the commit which holds entry `at` of another one (docs/fork.md), and runs it. Both
   * logs are kept in files.
   */
  async fork(top: string, id: string, at: number, options: RunOptions = {}): Promise<JobRun> {
    if ((this.#options.bus ?? "sqlite") !== "sqlite")
      throw new CannotStart("only a job whose log is a file can be forked: open the engine without `bus`");
    const fork = await forkJob(top, id, at, "embedder");
    return this.#run(fork.id, top, options, undefined);
  }

  /** Stops every run and closes the buses. */
  async close(): Promise<void> {
    const runs = await settled(this.#runs.values());
    for (const run of runs) run.stop();
    await Promise.allSettled(runs.map((run) => run.end));
    for (const bus of await settled(this.#buses.values())) await bus.close();
    this.#buses.clear();
  }

  async #idFor(prepared: Prepared, fresh: boolean): Promise<string> {
    const { top } = prepared.repository;
    const known = new Set([...(await listJobs(top)), ...this.#buses.keys()]);
    for (let number = 1; ; number++) {
      const id = idOf(prepared, number);
      if (known.has(id) && !fresh) return id;
      // A branch or an anchor without a log belongs to a job whose log was kept elsewhere: it is left alone.
      const taken =
        known.has(id) ||
        (await resolveCommit(top, `refs/heads/cfa/${id}`)) !== undefined ||
        (await readAnchor(top, id)) !== undefined;
      if (!taken) return id;
    }
  }

  #bus(id: string, top: string): Promise<Bus> {
    const { bus = "sqlite", synchronous = "FULL" } = this.#options;
    return shared(this.#buses, id, () => makeBus(bus, id, top, synchronous));
  }

  #run(id: string, top: string, options: RunOptions, prepared: Prepared | undefined): Promise<JobRun> {
    return shared(this.#runs, id, () => this.#begin(id, top, options, prepared).catch(rethrowMachineFault));
  }

  async #begin(
    id: string,
    top: string,
    options: RunOptions,
    prepared: Prepared | undefined,
  ): Promise<JobRun> {
    await ensureStateDirectory(top);
    const directory = jobDirectory(top, id);
    const bus = await this.#bus(id, top);
    // Under NORMAL a power cut may cost the log entries that the anchor has seen.
    if (this.#options.bus !== "memory" && this.#options.synchronous !== "NORMAL")
      await requireAnchored(top, id, bus.log);
    const { reader, saved } = await openFolds(bus.log);
    const { director } = reader;
    const known = reader.job();
    const definition = known?.record.definition ?? prepared?.definition;
    const base = known?.record.base ?? prepared?.base;
    const branch = known === undefined ? (prepared?.repository.branch ?? null) : known.record.branch;
    if (definition === undefined || base === undefined)
      throw new CannotStart(`the log of job ${id} is empty`);
    const home: ThreadId = `job:${known?.record.job ?? id}`;
    const own = options.agents ?? {};
    const boundaries = await boundariesOf(definition, own);
    const { clock = systemClock, workspaces = (job, of) => worktrees({ job, home }, top, of, branch) } =
      this.#options;
    const agents = await makeAgents({ directory, clock }, definition, own, boundaries);
    const made = await workspaces(id, definition);
    const remembered = rememberedOf(top, definition);
    let scheduler: Scheduler | undefined;
    const run = new JobRun(
      bus,
      (seen) => {
        scheduler = new Scheduler({
          job: id,
          bus,
          director,
          clock,
          workspaces: made,
          agents,
          directories: { turns: join(directory, "turns"), streams: join(directory, "streams") },
          concurrency: definition.limits.concurrency,
          overCap: definition.over_cap,
          base,
          seeds: seedsOf(definition),
          ...remembered,
          opening: () =>
            openingDrafts(id, definition, base, branch, prepared?.remarks ?? [], boundaries.notes),
          first: [...boundaries.again, ...(options.first ?? [])],
          ...(known === undefined ? {} : { folded: { ...known, saved } }),
          checkpoint: (folds) => saveCheckpoint(bus, { ...folds, record: director.record }),
          ...notifying(definition.notify ?? options.notify, directory, top),
          actsOnly: options.actsOnly ?? false,
          waitForHuman: options.waitForHuman ?? true,
          poll: POLL_MILLIS,
          onEntry: seen,
          ...(options.onTurnEvent === undefined ? {} : { onTurnEvent: options.onTurnEvent }),
          killStray: async (pid, started) => void (await killStray(pid, started)),
          // A log in memory is gone with its process: nothing could be compared with an anchor.
          ...(this.#options.bus === "memory" ? {} : { anchor: gitAnchor(top, id) }),
        });
        return thenClose(scheduler.run(), remembered).catch(rethrowMachineFault);
      },
      () => scheduler?.stop(),
    );
    const forget = () => void this.#runs.delete(id);
    void run.end.then(forget, forget);
    return run;
  }
}

/** What the map holds under the key, or what `make` makes for it; what could not be made is not held. */
function shared<T>(map: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  made.catch(() => map.delete(key));
  return made;
}

/** What the promises that are kept resolve to. */
async function settled<T>(promises: Iterable<Promise<T>>): Promise<T[]> {
  const results = await Promise.allSettled(promises);
  return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
}

/** Opens an engine. Close it when done. */
export function openEngine(options: EngineOptions = {}): Engine {
  return new Engine(options);
}
