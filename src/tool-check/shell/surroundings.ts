/**
 * Where a command runs, as far as that is known while it is read: working directories and variables.
 *
 * S1. Both are sets: whatever may have happened before is in them. A path has to be right from every directory of the set.
 * S2. A `cd` counts for certain only behind `&&`; behind anything else it may have failed.
 * S3. They only grow while a command is read, so that a loop can be read again until nothing is new.
 */
import type { Variables } from "./expand.ts";
import { Unreadable } from "./syntax.ts";

/** Variables that change how the shell reads words, finds directories, starts or traces. */
const STEERING = new Set([
  "IFS",
  "CDPATH",
  "BASH_ENV",
  "ENV",
  "PATH_SEPARATOR",
  "SHELLOPTS",
  "BASHOPTS",
  "PS4",
  "PROMPT_COMMAND",
]);
/** Variables that the shell sets by itself: their values are never known. */
const DYNAMIC = new Set(["_", "REPLY", "MAPFILE", "OPTARG", "OPTIND", "OLDPWD", "DIRSTACK", "BASH_COMMAND"]);
/** Most variables that one command may assign. */
const VARIABLES_MAX = 1000;
/** Most directories in which it may run. */
const DIRECTORIES_MAX = 100;

type Place = { readonly directories: ReadonlySet<string>; readonly otherwise: ReadonlySet<string> };

/** See the header. */
export class Surroundings {
  readonly home: string | undefined;
  readonly #variables: Map<string, ReadonlySet<string>>;
  readonly #unknown: Set<string>;
  #place: Place;
  /** The list that is being read holds a `||`, so that what stands behind `&&` need not follow on what stands before. */
  #either = false;
  readonly #outer: Place[] = [];
  readonly #seen: Set<string>;
  #assigned = 0;
  /** Variables whose values are patterns that have been written out. */
  readonly #patterns = new Set<string>();

  constructor(
    directories: Iterable<string>,
    variables: ReadonlyMap<string, ReadonlySet<string>>,
    unknown: Iterable<string>,
    home: string | undefined,
  ) {
    const here = new Set(directories);
    this.#place = { directories: here, otherwise: here };
    this.#seen = new Set(here);
    this.#variables = new Map(variables);
    this.#unknown = new Set(unknown);
    this.home = home;
  }

  /** The same, for a script that cannot change these. */
  inner(): Surroundings {
    return this.also([]);
  }

  /** Directories in which the next command may run. */
  get directories(): readonly string[] {
    return [...this.#place.directories];
  }

  /** Known variables; PWD is where the command runs. */
  get variables(): Variables {
    return {
      get: (name) => {
        if (this.#unknown.has(name) || DYNAMIC.has(name)) return undefined;
        return name === "PWD" ? this.#place.directories : this.#variables.get(name);
      },
      isPattern: (name) => this.#patterns.has(name),
    };
  }

  /** Whether a variable may have a value that is not known. */
  isUnknown(name: string): boolean {
    return this.#unknown.has(name) || DYNAMIC.has(name);
  }

  /** A variable may have these values from now on (undefined: one that is not known); `isPattern`: what these match. */
  assign(name: string, values: readonly string[] | undefined, isPattern = false): void {
    if (isPattern) this.#patterns.add(name);
    if (STEERING.has(name) && values?.join("") !== "")
      throw new Unreadable(`sets ${name}, which changes how its words are read`);
    this.#assigned += 1;
    if (this.#assigned > VARIABLES_MAX) throw new Unreadable(`assigns more than ${VARIABLES_MAX} variables`);
    if (values === undefined) this.#unknown.add(name);
    else this.#variables.set(name, new Set([...(this.#variables.get(name) ?? []), ...values]));
  }

  /** `cd` to one of these, which fails or not. */
  change(targets: readonly string[], negated: boolean): void {
    const { directories, otherwise } = this.#place;
    const all = new Set([...directories, ...otherwise, ...targets]);
    if (all.size > DIRECTORIES_MAX)
      throw new Unreadable(`may run in more than ${DIRECTORIES_MAX} directories`);
    for (const target of targets) this.#seen.add(target);
    this.#place = { directories: negated || this.#either ? all : new Set(targets), otherwise: all };
  }

  /** `popd`: back to some directory that was there before. */
  back(): void {
    this.#place = { directories: this.#seen, otherwise: this.#seen };
  }

  /** The same, where a program works in these folders, too. */
  also(folders: readonly string[]): Surroundings {
    const paths = this.directories.flatMap((from) =>
      folders.map((folder) => (folder.startsWith("/") ? folder : `${from}/${folder}`)),
    );
    const inner = new Surroundings(
      [...this.directories, ...paths],
      this.#variables,
      this.#unknown,
      this.home,
    );
    for (const name of this.#patterns) inner.#patterns.add(name);
    return inner;
  }

  /** Grows with everything that becomes possible (S3). */
  get size(): number {
    const values = [...this.#variables.values()].reduce((sum, one) => sum + one.size, 0);
    return values + this.#unknown.size + this.#seen.size;
  }

  /** Back to wherever the command may have been: it is read once more. */
  again(): void {
    this.back();
    this.#assigned = 0;
  }

  /** What joins two commands. */
  join(operator: "&&" | "||" | "|" | ";"): void {
    if (operator === "&&") return;
    this.#either = operator === "||";
    this.#place = { directories: this.#place.otherwise, otherwise: this.#place.otherwise };
  }

  /** A subshell begins. */
  enter(): void {
    this.#outer.push(this.#place);
  }

  /** A subshell ends: its directories are forgotten. */
  leave(): void {
    this.#place = this.#outer.pop() ?? this.#place;
  }
}
