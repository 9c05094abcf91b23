/**
 * Loads a job file: text, YAML, roles, shape, names, programs, then the job as it runs.
 *
 * L1. It returns a whole definition or throws a {@link JobFileError} with every mistake of the file.
 * L2. It reads, and changes nothing: no process is started, nothing is written.
 */
import path from "node:path";
import { check } from "./cross-check.ts";
import type { JobDefinition } from "./definition.ts";
import { jobFileSchema } from "./file-schema.ts";
import { JobFileError, type Mistake } from "./mistakes.ts";
import { demand, describeIssues } from "./problems.ts";
import { realFolder, resolveJob } from "./resolve.ts";
import { readText } from "./text-file.ts";
import { readRoles } from "./role/read-roles.ts";
import { warningsOf } from "./warnings.ts";
import { parseYaml } from "./yaml-source.ts";

/** Largest job file, bytes. */
const JOB_FILE_BYTES_MAX = 1024 * 1024;

/** What may stand in for words of the file and for the surroundings. */
export type LoadOptions = {
  /** In place of `repository`; relative to `cwd`. */
  readonly repository?: string;
  /** Folder that `repository` is relative to; the working directory unless given. */
  readonly cwd?: string;
  /** Where programs are looked up; PATH unless given. */
  readonly searchPath?: string;
};

/** A job that can run. */
export type LoadedJob = { readonly definition: JobDefinition; readonly warnings: readonly string[] };

/**
 * Loads the job file at a path.
 * @throws JobFileError with every mistake; also when there is no such file.
 */
export function loadJobFile(file: string, options: LoadOptions = {}): LoadedJob {
  const absolute = path.resolve(options.cwd ?? process.cwd(), file);
  const read = readText(absolute, JOB_FILE_BYTES_MAX);
  if ("problem" in read)
    throw new JobFileError([
      atFile(file, `the job file ${read.problem}`, "name a job.yaml; cfa init writes one"),
    ]);
  return parseJob(read.text, { ...options, file, directory: path.dirname(absolute) });
}

/**
 * Loads a job from its text. `file` names it in messages, `directory` is the folder that its paths are relative to.
 * @throws JobFileError with every mistake.
 */
export function parseJob(
  text: string,
  options: LoadOptions & { readonly file: string; readonly directory: string },
): LoadedJob {
  const source = parseYaml(text, options.file);
  if ("mistakes" in source) throw new JobFileError(source.mistakes);
  if (source.value === null || source.value === undefined) {
    throw new JobFileError([atFile(options.file, "the job file is empty", "cfa init writes one")]);
  }
  const places = {
    directory: options.directory,
    repository: repositoryOf(source.value, options),
    searchPath: options.searchPath ?? process.env["PATH"] ?? "",
  };
  const read = readRoles(source.value, { ...places, file: options.file });
  const parsed = jobFileSchema.safeParse(read.merged, { error: demand });
  const issues = parsed.success ? [] : describeIssues(parsed.error.issues, read.merged);
  const { problems, findings } = check(read.merged, places, read.roles);
  const mistakes = read.locate([...issues, ...problems], source);
  if (!parsed.success || mistakes.length > 0) throw new JobFileError(mistakes);
  const definition = resolveJob(parsed.data, { ...findings, roles: read.roles }, places);
  return { definition, warnings: warningsOf(definition) };
}

function repositoryOf(
  value: unknown,
  { repository, cwd, directory }: LoadOptions & { directory: string },
): string {
  if (repository !== undefined) return realFolder(path.resolve(cwd ?? process.cwd(), repository));
  const parsed = jobFileSchema.shape.repository.safeParse(
    typeof value === "object" && value !== null && "repository" in value ? value.repository : undefined,
  );
  return realFolder(path.resolve(directory, parsed.data ?? "."));
}

function atFile(file: string, sentence: string, hint: string): Mistake {
  return { file, line: null, column: null, sentence, hint };
}
