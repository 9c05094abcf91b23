/** What reports of a turn come to: tokens and money known apart, prices, lower bounds (docs/cost.md). */
import { describe, expect, test } from "vitest";
import { NOTHING_SPENT, untoldIn, withTurn } from "../../src/runtime/spending.ts";
import {
  priced,
  type Prices,
  UNKNOWN_USAGE,
  type Usage,
  usageOf,
  type UsageReport,
} from "../../src/runtime/usage.ts";

const PRICES: Prices = {
  agents: { writer: { input: 1, output: 2, cached: 0.1 }, free: { input: 0, output: 0, cached: 0 } },
  models: { big: { input: 10, output: 50, cached: 1 } },
};

describe("the reports of a turn", () => {
  const rows: readonly (readonly [
    what: string,
    agent: string,
    reports: readonly UsageReport[],
    comes: Usage,
  ])[] = [
    ["none: unknown, both", "writer", [], UNKNOWN_USAGE],
    ["money alone: the tokens are unknown", "lead", [{ usd: 0.5 }], { tokens: null, usd: 0.5 }],
    ["tokens alone: the money is unknown", "lead", [{ tokens: 7 }], { tokens: 7, usd: null }],
    [
      "a sum of tokens has no price, whatever the agent's",
      "writer",
      [{ tokens: 7 }],
      { tokens: 7, usd: null },
    ],
    [
      "kinds add up to the tokens",
      "lead",
      [{ input: 5, output: 3, cached: 2 }],
      { tokens: 10, usd: null, kinds: { input: 5, output: 3, cached: 2 } },
    ],
    [
      "kinds have the price of the agent",
      "writer",
      [{ input: 1_000_000, output: 500_000, cached: 1_000_000 }],
      {
        tokens: 2_500_000,
        usd: 2.1,
        kinds: { input: 1_000_000, output: 500_000, cached: 1_000_000 },
        priced: true,
      },
    ],
    [
      "the price of the model that is named goes before",
      "writer",
      [{ input: 1000, output: 100, model: "big" }],
      {
        tokens: 1100,
        usd: 0.015,
        kinds: { input: 1000, output: 100, cached: 0 },
        models: ["big"],
        priced: true,
      },
    ],
    [
      "a model without a price has that of its agent",
      "writer",
      [{ input: 1000, output: 0, model: "small" }],
      {
        tokens: 1000,
        usd: 0.001,
        kinds: { input: 1000, output: 0, cached: 0 },
        models: ["small"],
        priced: true,
      },
    ],
    [
      "names that every object has are no prices",
      "constructor",
      [{ input: 1, output: 1, model: "toString" }],
      { tokens: 2, usd: null, kinds: { input: 1, output: 1, cached: 0 }, models: ["toString"] },
    ],
    [
      "money that is told goes before a price",
      "writer",
      [{ input: 1000, output: 0, usd: 9 }],
      { tokens: 1000, usd: 9, kinds: { input: 1000, output: 0, cached: 0 } },
    ],
    [
      "a price of nothing is known to be nothing",
      "free",
      [{ input: 5, output: 5 }],
      { tokens: 10, usd: 0, kinds: { input: 5, output: 5, cached: 0 }, priced: true },
    ],
    [
      "several are summed up, without the noise of floating point",
      "lead",
      [{ usd: 0.1 }, { usd: 0.2 }, { tokens: 1, usd: 0.3 }],
      { tokens: 1, usd: 0.6, partial: ["tokens"] },
    ],
    [
      "one that leaves an amount out makes the others a lower bound",
      "lead",
      [
        { input: 1, output: 1, model: "b" },
        { tokens: 5, usd: 1, model: "a" },
      ],
      { tokens: 7, usd: 1, partial: ["usd"], models: ["a", "b"] },
    ],
    [
      "one that could not be read, too",
      "lead",
      [{ tokens: 5, usd: 1 }, {}],
      { tokens: 5, usd: 1, partial: ["tokens", "usd"] },
    ],
    ["nothing but unreadable ones: unknown", "lead", [{}, {}], UNKNOWN_USAGE],
  ];
  test.each(rows)("%s", (_what, agent, reports, comes) => {
    expect(usageOf(reports, PRICES, agent)).toEqual(comes);
  });
});

test.each<[string, Usage, Usage]>([
  ["money that it names stays", { tokens: 1, usd: 2 }, { tokens: 1, usd: 2 }],
  ["tokens without kinds have no price", { tokens: 1, usd: null }, { tokens: 1, usd: null }],
  [
    "kinds have one",
    { tokens: 3e6, usd: null, kinds: { input: 1e6, output: 1e6, cached: 1e6 }, models: ["big"] },
    {
      tokens: 3e6,
      usd: 61,
      kinds: { input: 1e6, output: 1e6, cached: 1e6 },
      models: ["big"],
      priced: true,
    },
  ],
])("what an adapter reports: %s", (_what, reported, comes) => {
  expect(priced(reported, PRICES, "writer")).toEqual(comes);
});

describe("several turns", () => {
  const sum = (...turns: readonly Usage[]) => {
    const { tokens, usd } = turns.reduce(withTurn, NOTHING_SPENT);
    return [tokens.spent, tokens.unknown, usd.spent, usd.unknown];
  };
  test.each<[string, readonly Usage[], readonly (number | null)[]]>([
    ["none: nothing", [], [0, 0, 0, 0]],
    ["one that told nothing: unknown, not zero", [UNKNOWN_USAGE], [null, 1, null, 1]],
    ["one that told zero", [{ tokens: 0, usd: 0 }], [0, 0, 0, 0]],
    [
      "tokens and money apart",
      [
        { tokens: 5, usd: null },
        { tokens: null, usd: 1 },
      ],
      [5, 1, 1, 1],
    ],
    ["what is known after the unknown", [UNKNOWN_USAGE, { tokens: 5, usd: 1 }], [5, 1, 1, 1]],
    ["what is unknown after the known", [{ tokens: 5, usd: 1 }, UNKNOWN_USAGE], [5, 1, 1, 1]],
    ["a lower bound is no whole", [{ tokens: 5, usd: 1, partial: ["usd"] }], [5, 0, 1, 1]],
  ])("%s", (_what, turns, comes) => {
    expect(sum(...turns)).toEqual(comes);
  });
});

describe("a budget warns of what it cannot count, once", () => {
  const amount = (limit: number | null, complete: boolean) => ({ spent: 0, complete, limit });
  const spending = (tokens: number | null, usd: number | null, complete = true) => ({
    turns: amount(null, true),
    tokens: amount(tokens, complete),
    usd: amount(usd, complete),
    stateTurns: null,
  });
  test.each([
    ["no budget", UNKNOWN_USAGE, spending(null, null), undefined],
    ["all is told", { tokens: 1, usd: 1 }, spending(5, 5), undefined],
    ["the budget bounds what is told", { tokens: 1, usd: null }, spending(5, null), undefined],
    [
      "money is not told",
      { tokens: 1, usd: null },
      spending(5, 5),
      /all of the money .*: budget\.usd can only/,
    ],
    ["a part of it", { tokens: 1, usd: 1, partial: ["usd" as const] }, spending(null, 5), /all of the money/],
    ["neither is", UNKNOWN_USAGE, spending(5, 5), /tokens and money .*: budget\.tokens and budget\.usd can/],
    ["it was said before", UNKNOWN_USAGE, spending(5, 5, false), undefined],
  ])("%s", (_what, usage, bounds, says) => {
    const said = untoldIn(usage, bounds);
    if (says === undefined) expect(said).toBeUndefined();
    else expect(said).toMatch(says);
  });
});
