/**
 * What is wrong with the shape of a job file, said in sentences: translates the findings of the schema.
 *
 * P1. A sentence names the key and what it must be; the hint names the nearest thing that would be right.
 */
import type { z } from "zod";
import { type Problem, keyPath } from "./mistakes.ts";
import { keysAt, type SchemaNode } from "./schema.ts";
import { suggest } from "./suggest.ts";

const ADAPTERS = ["command", "files", "script"] as const;

/** The file that issues are about: what it is called, and its schema where it is no job file. */
export type About = { readonly name: string; readonly root?: SchemaNode };

/** Turns schema findings into problems. `value` is the parsed file. */
export function describeIssues(
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
  about: About = { name: "the job file" },
): readonly Problem[] {
  return issues.flatMap((issue) => {
    if (issue.code === "invalid_union" && issue.errors.length > 0)
      return describeIssues(formMeant(issue), value, about);
    if (issue.code === "unrecognized_keys") {
      const mapping = mappingAt(value, issue.path);
      const known = keysAt(issue.path, mapping, about.root);
      return issue.keys.map((key) => unknownKey(issue.path, key, known));
    }
    return [describeIssue(issue, value, about.name)];
  });
}

/** What is wrong with the form that was meant: the one whose mistakes are all inside, else the first. */
function formMeant({ errors, path }: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] {
  const isOfOtherKind = (issues: readonly z.core.$ZodIssue[]): boolean =>
    issues.some(({ path: at, code }) => at.length === 0 && code !== "unrecognized_keys");
  const meant = errors.find((issues) => !isOfOtherKind(issues)) ?? errors[0] ?? [];
  return meant.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
}

function unknownKey(path: readonly PropertyKey[], key: string, known: readonly string[]): Problem {
  const where = path.length === 0 ? "" : ` in ${keyPath(path)}`;
  return {
    path: [...path, key],
    atKey: true,
    sentence: `unknown key ${JSON.stringify(key)}${where}`,
    hint: ofOtherAdapter(path, key) ?? didYouMean(key, known) ?? `keys here: ${known.join(", ")}`,
  };
}

/** What agents have that run by another adapter. */
function ofOtherAdapter(path: readonly PropertyKey[], key: string): string | undefined {
  if (path.length !== 2 || path[0] !== "agents") return undefined;
  const others = ADAPTERS.filter((adapter) => keysAt(path, new Map([["adapter", adapter]])).includes(key));
  return others.length === 0 ? undefined : `only agents with adapter: ${others.join(" or ")} have it`;
}

function describeIssue(issue: z.core.$ZodIssue, value: unknown, file: string): Problem {
  const { path } = issue;
  const name = path.length === 0 ? file : keyPath(path);
  if (issue.code === "invalid_key")
    return { path, atKey: true, sentence: `${name} ${issue.issues[0]?.message ?? issue.message}` };
  const found = valueAt(value, path);
  if (issue.code === "invalid_union") return unknownAdapter(path, found);
  if (found === undefined) return { path, sentence: `${name} is missing`, hint: `it ${issue.message}` };
  if (found === null && path.length > 0) {
    return { path, atKey: true, sentence: `${name} is empty`, hint: "give it a value or leave the key out" };
  }
  const sentence = `${name} ${issue.message}`;
  const choice = issue.code === "invalid_value" && issue.message.startsWith("must be");
  if (!choice || typeof found !== "string") return { path, sentence };
  const hint = didYouMean(found, issue.values.map(String));
  return { path, sentence: `${sentence}, not ${quote(found)}`, ...(hint === undefined ? {} : { hint }) };
}

function unknownAdapter(path: readonly PropertyKey[], found: unknown): Problem {
  const hint = typeof found === "string" ? didYouMean(found, ADAPTERS) : undefined;
  return {
    path,
    sentence: `${keyPath(path)} must be one of ${ADAPTERS.join(", ")}, not ${quote(found)}`,
    ...(hint === undefined ? {} : { hint }),
  };
}

/**
 * What the schema demands where it does not say so itself; continues the name of the key. For `error` of a parse, so
 * that no finding is told in the words of the library.
 */
export const demand: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === "invalid_type") return TYPES[issue.expected] ?? "has the wrong type";
  if (issue.code === "invalid_value") return `must be one of ${issue.values.map(String).join(", ")}`;
  if (issue.code !== "too_small") return "cannot stand here";
  if (issue.origin === "number" || issue.origin === "int") return `must be ${issue.minimum} or more`;
  return "must not be empty";
};

const TYPES: Readonly<Record<string, string>> = {
  object: "must be a mapping of keys to values",
  record: "must be a mapping of keys to values",
  array: "must be a list",
  string: "must be text",
  boolean: "must be true or false",
  number: "must be a number",
  int: "must be a whole number",
};

/** `did you mean "x"?`, when a known word is near. */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  const near = suggest(word, known);
  return near === undefined ? undefined : `did you mean ${JSON.stringify(near)}?`;
}

/** A value of the file as a message shows it. */
export function quote(value: unknown): string {
  const json = JSON.stringify(value) ?? "nothing";
  return json.length <= 60 ? json : `${json.slice(0, 57)}…`;
}

/** The value at a place of the parsed file; undefined when there is none. */
function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => {
    if (Array.isArray(at)) return at[Number(key)];
    return typeof at === "object" && at !== null ? new Map(Object.entries(at)).get(String(key)) : undefined;
  }, value);
}

function mappingAt(value: unknown, path: readonly PropertyKey[]): ReadonlyMap<string, unknown> {
  const at = valueAt(value, path);
  return new Map(typeof at === "object" && at !== null ? Object.entries(at) : []);
}
