/**
 * `cfa run [job.yaml]`: starts a job, or shows or resumes the same one.
 *
 * R1. Nothing is written before the job file and the repository have been found good.
 */
import { openEngine } from "../../engine/engine.ts";
import { loadJobFile } from "../../job/load.ts";
import type { Context } from "../context.ts";
import { say } from "../context.ts";
import { carryOn } from "../carry-on.ts";
import { drive } from "../drive.ts";
import { type JobPlace, readFolds } from "../jobs.ts";
import { hasEnded, JobReader } from "../../engine/read-job.ts";
import { listJobs } from "../../persistence/jobs.ts";
import { showEnd } from "../show-end.ts";

/** Options of `cfa run`. */
export type RunCommandOptions = {
  readonly repo?: string | undefined;
  readonly new?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
};

/** Runs the job of a file. */
export async function runCommand(
  context: Context,
  file: string | undefined,
  options: RunCommandOptions,
): Promise<number> {
  const { repo, json = false, quiet = false } = options;
  const { definition } = loadJobFile(file ?? "job.yaml", {
    cwd: context.cwd,
    ...(repo === undefined ? {} : { repository: repo }),
  });
  const engine = openEngine();
  try {
    const { id, top, exists } = await engine.identify(definition);
    const show = { json, quiet };
    if (exists && options.new !== true) {
      const place: JobPlace = { top, id };
      const reader = await readFolds(place);
      const known = reader.job();
      if (known !== undefined) {
        await sayOthers(context, place);
        if (!hasEnded(known))
          return await carryOn(context, engine, place, reader, { ...show, budget: undefined });
        say(context.stderr, `${id} has run before; this is its result (--new starts another run).`);
        return await showEnd(context, place, show);
      }
    }
    const fresh = options.new === true;
    return await drive(context, (more) => engine.start(definition, { ...more, fresh }), {
      ...show,
      top,
      reader: new JobReader(),
    });
  } finally {
    await engine.close();
  }
}

/** Names the other runs of the same job, which `--new` has started. */
async function sayOthers(context: Context, { top, id }: JobPlace): Promise<void> {
  const others = (await listJobs(top)).filter(
    (one) => one.startsWith(`${id}-`) && /^\d+$/u.test(one.slice(id.length + 1)),
  );
  if (others.length > 0)
    say(
      context.stderr,
      `other runs of the same job: ${others.toSorted().join(", ")} (cfa status JOB, cfa resume JOB)`,
    );
}
