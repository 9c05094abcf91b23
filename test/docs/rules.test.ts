/** docs/rules.md against the tables, both ways; its traces fired, its soups walked. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { GUARDS } from "../../src/rules/guards.ts";
import { INVARIANTS } from "../../src/rules/invariants.ts";
import type { RuleText } from "../../src/rules/rule.ts";
import { complete, literal, type RuleTable } from "../../src/rules/table.ts";
import { splitArguments } from "../../src/rules/terms.ts";
import { POLICIES } from "../../src/soup/message.ts";
import { parseMolecule } from "../../src/soup/parse.ts";
import { printMolecule } from "../../src/soup/print.ts";
import { configurationFrom, parseTrace, stateOf, successors } from "../rules/trace.ts";
import { walk } from "../rules/walk.ts";

const page = readFileSync(new URL("../../docs/rules.md", import.meta.url), "utf8");

type Fence = {
  readonly kind: string;
  readonly text: string;
  readonly heading: string;
  readonly part: string;
};

/** The fenced blocks of the page with the headings (## and ###) under which they stand. */
function fencesOf(markdown: string): Fence[] {
  const fences: Fence[] = [];
  let [part, heading] = ["", ""];
  let open: { kind: string; lines: string[] } | undefined;
  for (const line of markdown.split("\n")) {
    if (open !== undefined && line !== "```") open.lines.push(line);
    else if (open !== undefined) {
      fences.push({ kind: open.kind, text: open.lines.join("\n"), heading, part });
      open = undefined;
    } else if (line.startsWith("```")) open = { kind: line.slice(3), lines: [] };
    else if (line.startsWith("## ")) [part, heading] = [line.slice(3), ""];
    else if (line.startsWith("### ")) heading = line.slice(4);
  }
  return fences;
}

/** A rule as the page writes it: `left → right`, then `when`, `choice`, `closes`, `from`. */
function ruleOf(id: string, lines: readonly string[]) {
  const [formal = "", ...rest] = lines;
  const [left, right] = formal.split(" → ");
  const after = (word: string): string | undefined =>
    rest.find((line) => line.startsWith(`${word} `))?.slice(word.length + 1);
  const choice = after("choice");
  return {
    id,
    left,
    right,
    when: splitArguments(after("when") ?? "").filter((one) => one !== ""),
    choice:
      choice === undefined || choice === "nothing"
        ? choice === undefined
          ? undefined
          : []
        : choice.split(", "),
    closes: after("closes"),
    section: after("from"),
  };
}

function expected({ id, left, right, when = [], choice, closes, section }: RuleText) {
  return {
    id,
    left,
    right,
    when: [...when],
    choice: choice === undefined ? undefined : [...choice],
    closes,
    section,
  };
}

/** The first cells of the rows of the table behind a heading, without code marks. */
function column(heading: string, at = 0): string[] {
  const [, behind = ""] = page.split(`\n${heading}\n`);
  const [table = ""] = /(?:^\|.*\n)+/mu.exec(behind) ?? [];
  const rows = table.trim().split("\n").slice(2);
  return rows.map((row) => (row.split("|")[at + 1] ?? "").trim().replace(/^`|`$/gu, ""));
}

const fences = fencesOf(page);

describe("the complete table", () => {
  const rules = fences.filter(({ kind }) => kind === "rule");

  test("the page has the rules of the table, in its order, word by word", () => {
    const written = rules.map(({ heading, text }) => ruleOf(heading, text.split("\n")));
    expect(written).toEqual(complete.rules.map(({ text }) => expected(text)));
  });

  test("every heading of a rule section is a rule", () => {
    const [, between = ""] = /^## Communication\n([\s\S]*?)^## The literal table$/mu.exec(page) ?? [];
    const headings = [...between.matchAll(/^### (.+)$/gmu)].map(([, id]) => id);
    expect(headings).toEqual(complete.rules.map(({ id }) => id));
  });

  test("the section Withdrawal holds exactly the withdrawal rules", () => {
    const written = rules.filter(({ part }) => part === "Withdrawal").map(({ heading }) => heading);
    expect(written).toEqual(
      complete.rules.filter(({ text }) => text.withdrawal === true).map(({ id }) => id),
    );
  });

  test("the rules called added are those that the literal table lacks", () => {
    const four = ["term-ask", "term-proxy", "term-human", "term-int"]; // "Added, like the next three."
    const added = rules
      .filter(({ heading }) => page.includes(`### ${heading}\n`))
      .filter(({ heading }) => /^Added/mu.test(page.split(`### ${heading}\n`)[1]?.split("\n### ")[0] ?? ""))
      .flatMap(({ heading }) => (heading === "term-ask" ? four : [heading]));
    expect(added).toEqual(complete.rules.map(({ id }) => id).filter((id) => !literal.byId.has(id)));
  });

  test("each rule says what it does in words of its section", () => {
    for (const { id, text } of complete.rules) {
      const [prose = ""] = page.split(`\n### ${id}\n`)[1]?.split(/\n##/u) ?? [];
      expect([id, prose.replace(/\s+/gu, " ").includes(text.about ?? "?")]).toEqual([id, true]);
    }
  });

  test("each rule has a trace in which it fires", () => {
    for (const { id } of complete.rules) {
      const traces = fences.filter(({ kind, heading }) => kind === "trace" && heading === id);
      expect([id, traces.some(({ text }) => parseTrace(text).steps.some(({ rule }) => rule === id))]).toEqual(
        [id, true],
      );
    }
  });
});

test("the literal table, in its order, word by word", () => {
  const [fence] = fences.filter(({ kind }) => kind === "literal");
  const blocks = (fence?.text ?? "").split(/\n(?=\S)/u).map((block) => block.split(/\n */u));
  expect(blocks.map(([id = "", ...lines]) => ruleOf(id, lines))).toEqual(
    literal.rules.map(({ text }) => expected(text)),
  );
});

test("the guards, with their meanings", () => {
  const written = column("## Guards").map((guard, at) => [guard, column("## Guards", 1)[at]]);
  expect(written).toEqual(Object.entries(GUARDS).map(([guard, { means }]) => [guard, means]));
});

test("the invariants", () => {
  expect(column("## Invariants")).toEqual([...INVARIANTS]);
});

test("the outside moves", () => {
  expect(column("## Outside moves")).toEqual([
    "open", "configure", "workspace", "post", "interrupt", "terminate", "rollback",
  ]); // prettier-ignore
});

test("the choosing rules", () => {
  const choosing = complete.rules.filter(({ structural }) => !structural).map(({ id }) => `\`${id}\``);
  const sentence = `${choosing.slice(0, -1).join(", ")} and ${choosing.at(-1) ?? ""}`;
  const words = page.replace(/\s+/gu, " ");
  expect(words).toContain(`**structural** when it needs no choice from outside. ${sentence} are not.`);
  expect(words).toContain(`The **choices** of ${sentence} come from outside`);
});

test("the policies", () => {
  expect(page).toContain(
    `a policy: ${POLICIES.map((one) => `\`${one}\``)
      .join(", ")
      .replace(/, ([^,]*)$/u, " or $1")}`,
  );
});

describe("the traces", () => {
  const traces = fences.filter(({ kind }) => kind.startsWith("trace"));
  test.each(
    traces.map(({ kind, text, heading, part }, at) => [`${at + 1}. ${heading || part}`, kind, text] as const),
  )("%s", (_where, kind, text) => {
    const table: RuleTable = kind === "trace literal" ? literal : complete;
    const { given, before, steps } = parseTrace(text);
    let configuration = configurationFrom(before, given);
    expect(steps).not.toEqual([]);
    for (const { rule, choice, after } of steps) {
      const next = successors(table, configuration, { rule, choice });
      expect([rule, next.length > 0]).toEqual([rule, true]);
      for (const one of next) {
        expect(stateOf(one)).toEqual(stateOf(configurationFrom(after)));
        configuration = one;
      }
    }
  });
});

describe("what the literal rules get wrong", () => {
  const wrong = fences.filter(({ kind }) => kind === "wrong");

  function walked(rules: "literal" | "complete", soup: string, given: string) {
    const { facts, closed } = readGiven(soup, given);
    return walk({
      name: "docs", rules, initial: stateOf(configurationFrom(soup, given)).soup, closed, scripts: [],
      roster: facts, cap: 3,
      expected: { reachableStates: 0, finalSoups: [], finalClosed: [], stuck: 0, violations: [] },
    }); // prettier-ignore
  }

  test.each(wrong.map(({ text }) => [text] as const))("%s", (text) => {
    const verdicts = text.split("\n").filter((line) => /^(?:literal|complete): /u.test(line));
    const { given, before } = parseTrace(
      text
        .split("\n")
        .filter((line) => !verdicts.includes(line))
        .join("\n"),
    );
    const said = (table: string) =>
      verdicts.filter((line) => line.startsWith(`${table}: `)).map((line) => line.slice(table.length + 2));

    const [, verb, what = ""] = /^(\w+) (?:with )?(.*)$/u.exec(said("literal")[0] ?? "") ?? [];
    const found = walked("literal", before, given);
    if (verb === "breaks") expect(found.violations).toContain(what);
    else if (verb === "leaves")
      expect(found.finals.map(({ soup }) => soup)).toEqual([stateOf(configurationFrom(what)).soup]);
    else if (verb === "stuck") {
      expect(found.stuck).toBeGreaterThan(0);
      expect(found.finals.flatMap(({ soup }) => soup)).toContain(printMolecule(parseMolecule(what)));
    } else expect.unreachable(`the verdict "${verb ?? ""}"`);

    const cured = walked("complete", before, given);
    const finals = said("complete").map((soup) => stateOf(configurationFrom(soup)));
    expect(finals).not.toEqual([]);
    expect({ stuck: cured.stuck, violations: cured.violations }).toEqual({ stuck: 0, violations: [] });
    expect(cured.finals.map((one) => JSON.stringify(one)).sort()).toEqual(
      finals.map((one) => JSON.stringify(one)).sort(),
    );
  });

  test("there are at least eight ways", () => {
    expect(wrong.length).toBeGreaterThanOrEqual(8);
  });
});

function readGiven(soup: string, given: string) {
  const configuration = configurationFrom(soup, given);
  const roster = Object.fromEntries(
    Object.entries(configuration.facts.rosters).map(([agent, others]) => [agent, [...others]]),
  );
  return { facts: roster, closed: stateOf(configuration).closed };
}
