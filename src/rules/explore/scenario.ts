/**
 * The scenario file (docs/exploration.md): a soup, what its agents may do, and what is expected of it, as JSON that
 * any engine can read.
 *
 * E14. `parseScenario` accepts a file completely or names every mistake with line, column and what was expected.
 * E15. A message in a script is an atom, any text without quotes; `ans(…)`, `refused(…)` and `"…"` are notation.
 */
import { z } from "zod";
import { POLICIES, type Message, type Policy } from "../../soup/message.ts";
import type { Molecule } from "../../soup/molecule.ts";
import { NotationError, parseMolecule, plainMessage } from "../../soup/parse.ts";
import { JsonError, type JsonPath, type JsonSource, parseJson } from "./json-source.ts";

const name = z.string().min(1);
const policy = z.enum(POLICIES);
const ask = z.strictObject({ ask: z.tuple([name, z.string(), policy]) });
const send = z.strictObject({
  send: z.array(
    z.union([
      z.strictObject({ to: z.tuple([name, name]), msg: z.string() }),
      z.strictObject({ terminate: name }),
      ask,
    ]),
  ),
});
const script = z.strictObject({
  agent: name,
  thread: name,
  run: z.union([z.int().min(1), z.literal("*")]),
  choices: z.array(z.union([z.literal("nosend"), send, ask])),
});
const file = z.strictObject({
  name: z.string(),
  about: z.string().optional(),
  rules: z.enum(["literal", "complete"]).default("complete"),
  initial: z.array(z.string()),
  closed: z.array(name).default([]),
  roster: z.record(z.string(), z.array(name)).default({}),
  cap: z.int().min(0).default(3),
  scripts: z.array(script).default([]),
  expected: z
    .strictObject({
      reachableStates: z.int().min(1),
      finalSoups: z.array(z.array(z.string())),
      finalClosed: z.array(z.array(z.string())),
      stuck: z.int().min(0),
      violations: z.array(z.string()),
    })
    .optional(),
});
type ScenarioFile = z.infer<typeof file>;

/** A message of a script; `"$m"` is the message that is being processed. */
export type ScriptMessage = "$m" | Message;

/** A payload of a script. */
export type ScriptPayload =
  | { readonly kind: "deliver"; readonly agent: string; readonly thread: string; readonly message: ScriptMessage }
  | { readonly kind: "terminate"; readonly thread: string }
  | ScriptQuestion;

/** A question of a script. */
export type ScriptQuestion = {
  readonly kind: "ask";
  readonly question: string;
  readonly text: ScriptMessage;
  readonly policy: Policy;
};

/** One alternative of a decision. */
export type ScriptChoice =
  "nosend" | { readonly kind: "send"; readonly payloads: readonly ScriptPayload[] } | ScriptQuestion;

/** What an instance does in its decision number `run` (from 1), or in each for which no number is given. */
export type Script = {
  readonly agent: string;
  readonly thread: string;
  readonly run: number | "*";
  readonly choices: readonly ScriptChoice[];
};

/** What a scenario file expects; soups and closed sets in parallel, in notation. */
export type Expected = NonNullable<ScenarioFile["expected"]>;

/** A parsed scenario. */
export type Scenario = {
  readonly name: string;
  readonly about: string | undefined;
  readonly rules: "literal" | "complete";
  readonly initial: readonly Molecule[];
  readonly closed: readonly string[];
  readonly roster: Readonly<Record<string, readonly string[]>>;
  readonly cap: number;
  readonly scripts: readonly Script[];
  readonly expected: Expected | undefined;
};

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
class Mistakes {
  readonly found: { readonly line: number; readonly column: number; readonly sentence: string }[] = [];
  readonly #source: JsonSource;

  constructor(source: JsonSource) {
    this.#source = source;
  }

  add(path: JsonPath, what: string): void {
    this.found.push({ ...this.#source.placeOf(path), sentence: `${spell(path)}: ${what}` });
  }

  /** The result of `parse`, or `otherwise` when the notation at `path` is malformed. */
  notation<T>(path: JsonPath, parse: () => T, otherwise: T, skipped = 0): T {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof NotationError)) throw error;
      const { line, column, message } = error;
      const shown = line === 1 ? message.replace(`column ${column}`, `column ${column - skipped}`) : message;
      this.add(path, `in the notation, ${shown}`);
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

/**
 * Parses the text of a scenario file.
 * @throws ScenarioError that names every mistake, in the order of the file.
 */
export function parseScenario(text: string): Scenario {
  const source = jsonOf(text);
  const mistakes = new Mistakes(source);
  const result = file.safeParse(source.value);
  if (!result.success) for (const issue of result.error.issues) report(issue, [], mistakes);
  mistakes.throwIfAny();
  const data = file.parse(source.value);
  const initial = data.initial.flatMap((one, at) =>
    mistakes.notation<Molecule[]>(["initial", at], () => [parseMolecule(one)], []),
  );
  const scripts = data.scripts.map((one, at) => scriptOf(one, ["scripts", at], mistakes));
  checkScripts(scripts, mistakes);
  checkExpected(data.expected, mistakes);
  mistakes.throwIfAny();
  const { about, expected, ...rest } = data;
  return { ...rest, about, expected, initial, scripts };
}

function jsonOf(text: string): JsonSource {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { line, column } = error.place;
    throw new ScenarioError([`line ${line}, column ${column}: not JSON: ${error.message}`]);
  }
}

/** Reports one issue of the schema; of a union, the alternative that got farthest. */
function report(issue: z.core.$ZodIssue, around: JsonPath, mistakes: Mistakes): void {
  const path = [...around, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))];
  if (issue.code !== "invalid_union") return mistakes.add(path, issue.message);
  const deepest = issue.errors
    .filter((issues) => issues.every(({ path, code }) => path.length > 0 || code === "unrecognized_keys"))
    .toSorted((one, other) => one.length - other.length)[0];
  if (deepest === undefined) return mistakes.add(path, `expected ${alternatives(path)}`);
  for (const one of deepest) report(one, path, mistakes);
}

function alternatives(path: JsonPath): string {
  if (path.at(-1) === "run") return 'a decision number from 1, or "*"';
  if (path.includes("send")) return '{"to": [agent, thread], "msg": …}, {"terminate": thread} or {"ask": [id, text, policy]}';
  return '"nosend", {"send": […]} or {"ask": [id, text, policy]}';
}

function scriptOf(one: z.infer<typeof script>, path: JsonPath, mistakes: Mistakes): Script {
  const choices = one.choices.map((choice, at): ScriptChoice => {
    const here = [...path, "choices", at];
    if (choice === "nosend") return choice;
    if ("ask" in choice) return questionOf(choice, here, mistakes);
    const payloads = choice.send.map((payload, index): ScriptPayload => {
      const there = [...here, "send", index];
      if ("terminate" in payload) return { kind: "terminate", thread: payload.terminate };
      if ("ask" in payload) return questionOf(payload, there, mistakes);
      const [agent, thread] = payload.to;
      return { kind: "deliver", agent, thread, message: messageOf(payload.msg, [...there, "msg"], mistakes) };
    });
    return { kind: "send", payloads };
  });
  return { ...one, choices };
}

function questionOf({ ask: [question, text, policy] }: z.infer<typeof ask>, path: JsonPath, mistakes: Mistakes) {
  return { kind: "ask", question, text: messageOf(text, [...path, "ask", 1], mistakes), policy } as const;
}

const CARRIER = "Interrupt(t,";

/** See E15. */
function messageOf(text: string, path: JsonPath, mistakes: Mistakes): ScriptMessage {
  if (text === "$m") return text;
  const plain = plainMessage(text);
  if (!/^(?:ans\(|refused\(|")/u.test(text)) return plain;
  const parse = () => {
    const carrier = parseMolecule(`${CARRIER}${text})`);
    return carrier.kind === "Interrupt" ? carrier.message : plain;
  };
  return mistakes.notation(path, parse, plain, CARRIER.length);
}

function checkScripts(scripts: readonly Script[], mistakes: Mistakes): void {
  const seen = new Set<string>();
  for (const [at, { agent, thread, run }] of scripts.entries()) {
    const key = JSON.stringify([agent, thread, run]);
    if (seen.has(key)) {
      mistakes.add(["scripts", at], `a second script for run ${run} of ${agent} on ${thread}; give it as one, with more choices`);
    }
    seen.add(key);
  }
}

function checkExpected(expected: Expected | undefined, mistakes: Mistakes): void {
  if (expected === undefined) return;
  for (const [at, soup] of expected.finalSoups.entries()) {
    for (const [place, one] of soup.entries()) {
      mistakes.notation(["expected", "finalSoups", at, place], () => parseMolecule(one), undefined);
    }
  }
  if (expected.finalSoups.length !== expected.finalClosed.length) {
    mistakes.add(["expected", "finalClosed"], "expected one closed set for each of finalSoups, in the same order");
  }
}

function spell(path: JsonPath): string {
  if (path.length === 0) return "the file";
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? part : `${text}.${part}`;
  }, "");
}
