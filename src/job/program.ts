/**
 * Programs of agents: finds what a `run` names, without starting it.
 *
 * G1. An element that names a file beside job.yaml becomes its absolute path; every other stays as written.
 * G2. The program itself is such a file or an absolute path, and executable, or a bare name found on PATH.
 * G3. The script of an interpreter that is found neither beside job.yaml nor in the repository is a mistake.
 */
import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";

/** Where programs are looked for. */
export type ProgramPlaces = {
  /** Folder of job.yaml. */
  readonly directory: string;
  /** Top of the repository: programs run in a copy of it. */
  readonly repository: string;
  /** Value of PATH. */
  readonly searchPath: string;
};

/** What a `run` comes to: words to execute, or what is wrong with the element at `index`. */
export type Program =
  | { readonly run: readonly [string, ...string[]] }
  | { readonly index: number; readonly sentence: string; readonly hint: string };

/** Interpreters whose first argument is the file that they run. */
const INTERPRETERS = new Set(["node", "sh", "bash", "dash", "zsh", "python", "python3", "ruby", "perl"]);

/** Resolves the words of a `run`, at least one. Reads the file system, runs nothing. */
export function resolveProgram(words: readonly string[], places: ProgramPlaces): Program {
  const [program = "", ...args] = words;
  const beside = path.resolve(places.directory, program);
  const file = program !== "" && isFile(beside);
  if (!(file && isExecutable(beside)) && !onPath(program, places.searchPath)) {
    return { index: 0, ...missingProgram(program, file) };
  }
  const script = args[0] ?? "";
  if (INTERPRETERS.has(path.basename(program)) && script !== "" && !script.startsWith("-")) {
    const roots = [places.directory, places.repository];
    if (!roots.some((root) => isFile(path.resolve(root, script)))) {
      return {
        index: 1,
        sentence: `there is no file ${script} beside the job file or in the repository`,
        hint: "write its path relative to the job file",
      };
    }
  }
  const rest = args.map((word) => besideOrSame(word, places.directory));
  return { run: [file && isExecutable(beside) ? beside : program, ...rest] };
}

function missingProgram(
  program: string,
  file: boolean,
): { readonly sentence: string; readonly hint: string } {
  if (file) {
    return {
      sentence: `${program} is not executable`,
      hint: `chmod +x it, or name its interpreter: [node, ${program}]`,
    };
  }
  return {
    sentence: `there is no program ${JSON.stringify(program)}: no file beside the job file, and not found on PATH`,
    hint: "install it, or write the path of an executable file",
  };
}

function besideOrSame(word: string, directory: string): string {
  const beside = path.resolve(directory, word);
  return word !== "" && isFile(beside) ? beside : word;
}

function onPath(program: string, searchPath: string): boolean {
  if (program === "" || program.includes("/")) return false;
  const folders = searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.some(
    (folder) => isFile(path.join(folder, program)) && isExecutable(path.join(folder, program)),
  );
}

function isFile(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false; // A word of an inline program may be no path at all: too long, or with a NUL byte.
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // Not for us to execute, whatever the reason.
  }
}
