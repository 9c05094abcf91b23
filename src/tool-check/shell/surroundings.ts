/**
 * Where a command runs, as far as that is known while it is read: working directories and variables.
 *
 * S1. Both are sets: whatever may have happened before is in them. A path has to be right from every directory of the set.
 * S2. A `cd` counts for certain only behind `&&`; behind anything else it may have failed.
 */
import type { Variables } from "./expand.ts";

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

  constructor(
    directories: Iterable<string>,
    variables: Variables,
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
    return new Surroundings(this.#place.directories, this.#variables, this.#unknown, this.home);
  }

  /** Directories in which the next command may run. */
  get directories(): readonly string[] {
    return [...this.#place.directories];
  }

  /** Known variables; PWD is where the command runs. */
  get variables(): Variables {
    const known = new Map(this.#variables);
    known.set("PWD", this.#place.directories);
    for (const name of this.#unknown) known.delete(name);
    return known;
  }

  /** A variable may have these values from now on; undefined: one that is not known. */
  assign(name: string, values: readonly string[] | undefined): void {
    if (values === undefined) this.#unknown.add(name);
    else this.#variables.set(name, new Set([...(this.#variables.get(name) ?? []), ...values]));
  }

  /** `cd` to one of these, which fails or not. */
  change(targets: readonly string[], negated: boolean): void {
    const { directories, otherwise } = this.#place;
    const all = new Set([...directories, ...otherwise, ...targets]);
    for (const target of targets) this.#seen.add(target);
    this.#place = { directories: negated || this.#either ? all : new Set(targets), otherwise: all };
  }

  /** `popd`: back to some directory that was there before. */
  back(): void {
    this.#place = { directories: this.#seen, otherwise: this.#seen };
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
