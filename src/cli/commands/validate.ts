/**
 * `cfa validate [job.yaml]`: every mistake of a job file at once, and whether its repository allows the job; a warning where this machine
 * does not, for the file may be meant for another one. Writes nothing.
 */
import { whyNoBoundary } from "../../engine/boundaries.ts";
import { openEngine } from "../../engine/engine.ts";
import { CannotStart } from "../../engine/prepare.ts";
import { loadJobFile, type LoadedJob } from "../../job/load.ts";
import { JobFileError, type Mistake } from "../../job/mistakes.ts";
import { type Context, say } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { roleLine, rolesOf, type RoleSummary } from "../view/role-lines.ts";

/** Options of `cfa validate`. */
export type ValidateOptions = { readonly repo?: string | undefined; readonly json?: boolean | undefined };

type Finding = {
  readonly valid: boolean;
  readonly job: string | null;
  readonly mistakes: readonly Mistake[];
  readonly warnings: readonly string[];
  readonly remarks: readonly string[];
  readonly roles: readonly RoleSummary[];
};

/** Checks a job file as `cfa run` would. */
export async function validateCommand(
  context: Context,
  file: string | undefined,
  { repo, json = false }: ValidateOptions,
): Promise<number> {
  const name = file ?? "job.yaml";
  const found = await examine(context, name, repo);
  const exit = found.valid ? EXIT.completed : EXIT.misuse;
  if (json) {
    say(context.stdout, JSON.stringify(found, null, 2));
    return exit;
  }
  for (const mistake of found.mistakes) say(context.stderr, mistakeLine(mistake));
  for (const warning of found.warnings) say(context.stderr, `warning: ${warning}`);
  for (const remark of found.remarks) say(context.stderr, `note: ${remark}`);
  for (const role of found.roles) say(context.stdout, roleLine(role));
  if (found.valid) say(context.stdout, `${name} is valid: cfa run would start or show ${found.job}`);
  return exit;
}

async function examine(context: Context, file: string, repo: string | undefined): Promise<Finding> {
  const none = { valid: false, job: null, mistakes: [], warnings: [], remarks: [], roles: [] };
  let loaded: LoadedJob;
  try {
    loaded = loadJobFile(file, { cwd: context.cwd, ...(repo === undefined ? {} : { repository: repo }) });
  } catch (error) {
    if (!(error instanceof JobFileError)) throw error;
    return { ...none, mistakes: error.mistakes };
  }
  const { definition } = loaded;
  const boundary = await whyNoBoundary(definition);
  const warnings = [...loaded.warnings, ...(boundary === undefined ? [] : [boundary])];
  const roles = rolesOf(definition);
  try {
    const { id, remarks } = await openEngine().identify(definition);
    return { valid: true, job: id, mistakes: [], warnings, remarks, roles };
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error;
    const mistake = { file, line: null, column: null, sentence: error.message, hint: null };
    return { ...none, warnings, roles, mistakes: [mistake] };
  }
}

function mistakeLine(mistake: Mistake): string {
  return new JobFileError([mistake]).message;
}
