/**
 * From a tool call to what it would use, by the table of tools. Nothing is looked up here.
 *
 * C1. A key with a path that is no text, or is missing where the tool needs it, cannot be judged.
 * C2. What the table does not know (an MCP tool, an unknown tool that the role allows, a new key of a known tool) is looked through:
 *     a key that is called like a path is one, any other text only when it may be the name of something outside.
 */
import type { ToolCall } from "./hook-input.ts";
import { usesOfPatch } from "./patch.ts";
import { braces } from "./shell/expand.ts";
import { Surroundings } from "./shell/surroundings.ts";
import { Unreadable } from "./shell/syntax.ts";
import { usesOfShell } from "./shell/uses-of-shell.ts";
import { TOOLS, type ToolShape } from "./tools.ts";
import { pathUse, type Use } from "./uses.ts";

/** Deepest nesting of an input that is looked through. */
const DEPTH_MAX = 20;
/** Longest shell command, characters. */
const COMMAND_MAX = 1024 * 1024;
const PATH_KEY =
  /^(?:path|paths|file|files|filename|filenames|dir|directory|cwd|root|folder|workdir|workspace|uri|source|destination|target)$|(?:[a-z](?:Path|File|Dir|Uri)|_(?:path|paths|file|files|dir|uri))$/;

/** A text that leads up somewhere in its middle. */
const UPWARD = /\/\.\.(?:\/|$)/;

/** Variables of the client's environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What a call would use. */
export function usesOfCall(call: ToolCall, env: Environment): readonly Use[] {
  const shape = TOOLS.get(call.tool);
  return shape === undefined ? [...lookThrough(call.input, call, env)] : usesOfKnown(call, shape, env);
}

function usesOfKnown(call: ToolCall, shape: ToolShape, env: Environment): readonly Use[] {
  const { input, cwd } = call;
  const uses: Use[] = shape.network === true ? [{ kind: "network", what: call.tool }] : [];
  let base = cwd;
  for (const [key, access] of Object.entries(shape.paths ?? {})) {
    const value = input[key];
    if (value === undefined && (shape.here === true || shape.command !== undefined)) continue;
    if (typeof value !== "string" || value === "") uses.push(unfit(key, "is no path"));
    else {
      uses.push(pathUse(home(value, env), access, [cwd], { written: value }));
      if (base === cwd) base = value.startsWith("/") ? value : `${cwd}/${value}`;
    }
  }
  if (shape.here === true || shape.command !== undefined) uses.push(pathUse(base, "read", []));
  const more = [
    ...(shape.patterns ?? []).flatMap((key) => patternUses(input[key], key, base)),
    ...(shape.command === undefined ? [] : commandUses(input[shape.command], shape.command, base, env)),
    ...(shape.patch === undefined ? [] : patchUses(input, shape.patch, cwd)),
    ...(shape.url === undefined ? [] : [urlUse(input[shape.url], shape.url)]),
  ];
  const known = [...Object.keys(shape.paths ?? {}), ...(shape.patterns ?? []), ...(shape.free ?? [])];
  const read = new Set([...known, shape.command, shape.patch, shape.url]);
  const rest = Object.fromEntries(Object.entries(input).filter(([key]) => !read.has(key)));
  return [...uses, ...more, ...lookThrough(rest, call, env)];
}

/** A pattern of Glob or Grep: where its fixed beginning leads. */
function patternUses(value: unknown, key: string, base: string): readonly Use[] {
  if (value === undefined && key !== "pattern") return [];
  if (typeof value !== "string" || value === "") return [unfit(key, "is no pattern")];
  try {
    return braces(value).map((pattern) => {
      const components = pattern.split("/");
      const wild = components.findIndex((component) => /[*?[!]/.test(component));
      const after = wild < 0 ? [] : components.slice(wild);
      if (after.includes(".."))
        return {
          kind: "unclear",
          sentence: `the pattern ${value} goes up behind a wildcard: write it without ..`,
        };
      const fixed = wild < 0 ? pattern : components.slice(0, wild).join("/");
      const path = fixed === "" ? (pattern.startsWith("/") ? "/" : ".") : fixed;
      return pathUse(path, "read", [base], { written: value });
    });
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return [{ kind: "unclear", sentence: `the pattern ${error.message}: write a smaller one` }];
  }
}

/** A command: a text for a shell, or a list of words that a program gets as they are. */
function commandUses(value: unknown, key: string, cwd: string, env: Environment): readonly Use[] {
  const words = Array.isArray(value) && value.every((word) => typeof word === "string") ? value : undefined;
  const text =
    words === undefined ? value : words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  if (typeof text !== "string" || text.trim() === "") return [unfit(key, "is no command")];
  if (text.length > COMMAND_MAX) return [unfit(key, `is longer than ${COMMAND_MAX} characters`)];
  const variables = new Map(
    Object.entries(env).flatMap(([name, one]) =>
      one === undefined ? [] : [[name, new Set([one])] as const],
    ),
  );
  for (const name of ["OLDPWD", "PWD"]) variables.delete(name);
  return usesOfShell(text, new Surroundings([cwd], variables, [], env["HOME"]));
}

function patchUses(input: ToolCall["input"], key: string, cwd: string): readonly Use[] {
  const texts = [input[key], input["patch"], input["command"]].filter((text) => text !== undefined);
  if (texts.length === 0) return [unfit(key, "is no patch")];
  return texts.flatMap((text) => {
    const whole = Array.isArray(text) ? text.join("\n") : text;
    return typeof whole === "string" ? usesOfPatch(whole, [cwd]) : [unfit(key, "is no patch")];
  });
}

function urlUse(value: unknown, key: string): Use {
  return typeof value === "string" && value !== ""
    ? { kind: "url", url: value }
    : unfit(key, "is no address");
}

function unfit(key: string, what: string): Use {
  return { kind: "unclear", sentence: `${key} ${what}: call the tool as its description says` };
}

/** The paths in an input of unknown shape (C2). */
function lookThrough(input: unknown, { cwd }: ToolCall, env: Environment): readonly Use[] {
  const uses: Use[] = [];
  const visit = (value: unknown, key: string, depth: number): void => {
    if (depth > DEPTH_MAX) uses.push(unfit(key, `is nested more than ${DEPTH_MAX} deep`));
    else if (typeof value === "string") uses.push(...textUses(value, key, cwd, env));
    else if (Array.isArray(value)) for (const item of value) visit(item, key, depth + 1);
    else if (typeof value === "object" && value !== null)
      for (const [name, item] of Object.entries(value)) visit(item, name, depth + 1);
  };
  visit(input, "input", 0);
  return uses;
}

function textUses(value: string, key: string, cwd: string, env: Environment): readonly Use[] {
  const file = /^file:(?:\/\/[^/]*)?(\/.*)$/i.exec(value)?.[1];
  if (file !== undefined) return [pathUse(decoded(file), "write", [cwd], { written: value })];
  const named = PATH_KEY.test(key) && value !== "";
  const isAddress = /^[a-z][a-z0-9+.-]+:\/\//i.test(value);
  // A name without a slash may be a link; a longer text is one only where it goes up or begins at the root.
  const looks = value.length < 4096 && (!/\s/.test(value) || (!value.includes("\n") && UPWARD.test(value)));
  if (isAddress ? !named || !UPWARD.test(value) : !named && !looks) return [];
  return [pathUse(home(value, env), "write", [cwd], { written: value, doubtful: !named })];
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return path;
  }
}

/** A path of a file tool: clients write the home out. */
function home(path: string, env: Environment): string {
  if (path !== "~" && !path.startsWith("~/")) return path;
  return (env["HOME"] ?? "/") + path.slice(1);
}
