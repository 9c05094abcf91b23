/**
 * What turns use: tokens and money, as agents report it or as the prices of the job make it (docs/cost.md).
 *
 * U1. What nobody has reported is null, which is never shown or counted as zero; tokens and money are known apart.
 * U2. Money that is reported goes before money that is computed. A price is that of the model that the report names, else that of the agent.
 * U3. Where one of several reports leaves an amount out, the sum of the others is a lower bound, and says so.
 */
import { z } from "zod";
import type { usageSchema } from "../persistence/entry.ts";

/** Tokens and money of a turn (U1). */
export type Usage = z.infer<typeof usageSchema>;

/** Nothing was reported. */
export const UNKNOWN_USAGE: Usage = { tokens: null, usd: null };

/** US dollars for a million tokens of each kind. */
export type Price = { readonly input: number; readonly output: number; readonly cached: number };

/** The prices of a job, by agent and by model. */
export type Prices = {
  readonly agents: Readonly<Record<string, Price>>;
  readonly models: Readonly<Record<string, Price>>;
};

/** Most tokens, and most dollars, of one report: more is a mistake, and sums stay exact. */
const MOST = 1e12;
const MILLION = 1e6;
/** Money is kept to a billionth of a dollar. */
const GRAIN = 1e9;

const tokens = z
  .int({ error: "must be a whole number of tokens" })
  .nonnegative("must be 0 or more")
  .max(MOST, `must be at most ${MOST}`)
  .exactOptional();

/** Schema of one report: of a call of a model, or of whatever else an agent has paid for. */
export const usageReportSchema = z
  .strictObject({
    /** Tokens that were read at the full price, written, and read from a cache; `input` and `output` go together. */
    input: tokens,
    output: tokens,
    cached: tokens,
    /** All tokens, where their kinds are not known. */
    tokens,
    usd: z
      .number({ error: "must be an amount of US dollars" })
      .nonnegative("must be 0 or more")
      .max(MOST, `must be at most ${MOST}`)
      .exactOptional(),
    model: z.string().min(1, "must not be empty").max(200, "must have at most 200 letters").exactOptional(),
  })
  .refine(
    ({ input, tokens, usd }) => input !== undefined || tokens !== undefined || usd !== undefined,
    "says nothing: give input and output, or tokens, or usd",
  )
  .refine(
    ({ input, output, cached }) =>
      (input === undefined) === (output === undefined) && (cached === undefined || input !== undefined),
    "must give input and output together, and cached only beside them",
  )
  .refine(
    ({ input, tokens }) => input === undefined || tokens === undefined,
    "must give tokens by kind (input, output, cached) or as one sum (tokens), not both",
  );

/** See {@link usageReportSchema}. */
export type UsageReport = z.infer<typeof usageReportSchema>;

/** A report of which nothing could be read. */
export const UNREADABLE_REPORT: UsageReport = {};

type Kinds = NonNullable<Usage["kinds"]>;

/** What these reports of a turn of `agent` come to. */
export function usageOf(reports: readonly UsageReport[], prices: Prices, agent: string): Usage {
  if (reports.length === 0) return UNKNOWN_USAGE;
  const costs = reports.map((report) => report.usd ?? priceOf(kindsOf(report), report.model, prices, agent));
  const sums = {
    tokens: sumOf(reports.map((report) => report.tokens ?? allOf(kindsOf(report)))),
    usd: sumOf(costs),
  };
  const partial = (["tokens", "usd"] as const).filter((key) => sums[key].isPartial);
  const kinds = kindsOfAll(reports.map(kindsOf));
  const models = [...new Set(reports.flatMap(({ model }) => model ?? []))].sort();
  const isPriced = reports.some(({ usd }, index) => usd === undefined && costs[index] !== null);
  return {
    tokens: sums.tokens.known,
    usd: rounded(sums.usd.known),
    ...(partial.length === 0 ? {} : { partial }),
    ...(kinds === null ? {} : { kinds }),
    ...(models.length === 0 ? {} : { models }),
    ...(isPriced ? { priced: true } : {}),
  };
}

/** What an adapter has reported of a turn of `agent`, with its price where it names none (U2). */
export function priced(usage: Usage, prices: Prices, agent: string): Usage {
  if (usage.usd !== null) return usage;
  const { kinds = null, models = [] } = usage;
  const usd = rounded(priceOf(kinds, models.length === 1 ? models[0] : undefined, prices, agent));
  return usd === null ? usage : { ...usage, usd, priced: true };
}

/** What is known of a turn that was stopped before it could tell all. */
export function lowerBound(usage: Usage): Usage {
  const known = (["tokens", "usd"] as const).filter((key) => usage[key] !== null);
  return known.length === 0 ? usage : { ...usage, partial: known };
}

/** Nothing is known of tokens nor of money. */
export function isUnknown({ tokens, usd }: Usage): boolean {
  return tokens === null && usd === null;
}

function kindsOf({ input, output, cached = 0 }: UsageReport): Kinds | null {
  return input === undefined || output === undefined ? null : { input, output, cached };
}

function allOf(kinds: Kinds | null): number | null {
  return kinds === null ? null : kinds.input + kinds.output + kinds.cached;
}

function kindsOfAll(all: readonly (Kinds | null)[]): Kinds | null {
  return all.reduce(
    (sum, one) =>
      sum === null || one === null
        ? null
        : {
            input: sum.input + one.input,
            output: sum.output + one.output,
            cached: sum.cached + one.cached,
          },
    { input: 0, output: 0, cached: 0 },
  );
}

function priceOf(
  kinds: Kinds | null,
  model: string | undefined,
  { agents, models }: Prices,
  agent: string,
): number | null {
  const ofModel = model !== undefined && Object.hasOwn(models, model) ? models[model] : undefined;
  const price = ofModel ?? (Object.hasOwn(agents, agent) ? agents[agent] : undefined);
  if (kinds === null || price === undefined) return null;
  const { input, output, cached } = kinds;
  return (input * price.input + output * price.output + cached * price.cached) / MILLION;
}

/** The sum of what is known (U3); null when nothing is. */
function sumOf(amounts: readonly (number | null)[]): {
  readonly known: number | null;
  readonly isPartial: boolean;
} {
  const known = amounts.filter((amount) => amount !== null);
  if (known.length === 0) return { known: null, isPartial: false };
  return { known: known.reduce((sum, one) => sum + one, 0), isPartial: known.length < amounts.length };
}

function rounded(usd: number | null): number | null {
  return usd === null ? null : Math.round(usd * GRAIN) / GRAIN;
}
