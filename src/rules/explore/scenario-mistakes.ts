/**
 * What is wrong with a scenario file, each mistake with its place in the file.
 */
import type { z } from "zod";
import { NotationError } from "../../soup/parse.ts";
import type { JsonPath, JsonSource } from "./json-source.ts";

/** A file that is no scenario; each mistake is one sentence with its place. */
export class ScenarioError extends Error {
  override readonly name = "ScenarioError";
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(mistakes.join("\n"));
    this.mistakes = mistakes;
  }
}

/** Collects what is wrong with the parts of a file. */
export class Mistakes {
  readonly found: { readonly line: number; readonly column: number; readonly sentence: string }[] = [];
  readonly #source: JsonSource;

  constructor(source: JsonSource) {
    this.#source = source;
  }

  add(path: JsonPath, what: string): void {
    this.found.push({ ...this.#source.placeOf(path), sentence: `${spell(path)}: ${what}` });
  }

  /** Reports what the schema found; of a union, the alternative that got farthest. */
  addIssue(issue: z.core.$ZodIssue, around: JsonPath = []): void {
    const path = [...around, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))];
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys) this.add([...path, key], "this key is not known here");
      return;
    }
    if (issue.code !== "invalid_union" || path.at(-1) === "run") {
      this.add(path, issue.message.replace(/^Invalid input: /u, ""));
      return;
    }
    const [closest] = issue.errors.filter((issues) => issues.every((one) => one.path.length > 0));
    if (closest === undefined) this.add(path, `expected ${alternatives(path)}`);
    else for (const one of closest) this.addIssue(one, path);
  }

  /** The result of `parse`, or `otherwise` when the notation at `path` is malformed. */
  notation<T>(path: JsonPath, parse: () => T, otherwise: T): T {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof NotationError)) throw error;
      this.add(path, `in the notation, ${error.message}`);
      return otherwise;
    }
  }

  throwIfAny(): void {
    if (this.found.length === 0) return;
    const ordered = this.found.sort((one, other) => one.line - other.line || one.column - other.column);
    throw new ScenarioError(
      ordered.map(({ line, column, sentence }) => `line ${line}, column ${column}: ${sentence}`),
    );
  }
}

function alternatives(path: JsonPath): string {
  if (path.includes("send"))
    return '{"to": [agent, thread], "msg": …}, {"terminate": thread} or {"ask": [id, text, policy]}';
  return '"nosend", {"send": […]} or {"ask": [id, text, policy]}';
}

function spell(path: JsonPath): string {
  if (path.length === 0) return "the file";
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? part : `${text}.${part}`;
  }, "");
}
