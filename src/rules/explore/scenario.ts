/**
 * The scenario file (docs/exploration.md): a soup, what its agents may do, and what is expected of it, as JSON that
 * any engine can read.
 *
 * E14. `parseScenario` accepts a file completely or names its mistakes with line, column and what was expected: those
 *      of JSON first, then all those of form, then all those of notation.
 * E15. A message in a script is an atom, any text without quotes; `ans(…)`, `refused(…)` and `"…"` are notation.
 */
import type { Message, Policy } from "../../soup/message.ts";
import type { Molecule } from "../../soup/molecule.ts";
import { parseMessage, parseMolecule, plainMessage } from "../../soup/parse.ts";
import { JsonError, type JsonPath, type JsonSource, parseJson } from "./json-source.ts";
import { Mistakes, ScenarioError } from "./scenario-mistakes.ts";
import { type AskFile, type ScenarioFile, scenarioFile } from "./scenario-schema.ts";

/** A message of a script; `"$m"` is the message that is being processed. */
export type ScriptMessage = "$m" | Message;

/** A payload of a script. */
export type ScriptPayload =
  | {
      readonly kind: "deliver";
      readonly agent: string;
      readonly thread: string;
      readonly message: ScriptMessage;
    }
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

/**
 * Parses the text of a scenario file.
 * @throws ScenarioError; its mistakes stand in the order of the file (E14).
 */
export function parseScenario(text: string): Scenario {
  const source = jsonOf(text);
  const mistakes = new Mistakes(source);
  const result = scenarioFile.safeParse(source.value);
  if (!result.success) for (const issue of result.error.issues) mistakes.addIssue(issue);
  mistakes.throwIfAny();
  const data = scenarioFile.parse(source.value);
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
    throw new ScenarioError([`line ${line}, column ${column}: ${error.message}`]);
  }
}

function scriptOf(one: ScenarioFile["scripts"][number], path: JsonPath, mistakes: Mistakes): Script {
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

function questionOf({ ask: [question, text, policy] }: AskFile, path: JsonPath, mistakes: Mistakes) {
  return { kind: "ask", question, text: messageOf(text, [...path, "ask", 1], mistakes), policy } as const;
}

/** See E15. */
function messageOf(text: string, path: JsonPath, mistakes: Mistakes): ScriptMessage {
  if (text === "$m") return text;
  const plain = plainMessage(text);
  if (!/^(?:ans\(|refused\(|")/u.test(text)) return plain;
  return mistakes.notation(path, () => parseMessage(text), plain);
}

function checkScripts(scripts: readonly Script[], mistakes: Mistakes): void {
  const seen = new Set<string>();
  for (const [at, { agent, thread, run }] of scripts.entries()) {
    const key = JSON.stringify([agent, thread, run]);
    if (seen.has(key)) {
      mistakes.add(
        ["scripts", at],
        `a second script for run ${run} of ${agent} on ${thread}; give it as one, with more choices`,
      );
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
    mistakes.add(
      ["expected", "finalClosed"],
      "expected one closed set for each of finalSoups, in the same order",
    );
  }
}
