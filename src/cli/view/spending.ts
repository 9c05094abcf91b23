/** The words for what a job, a thread and a turn have used. */
import type { EntryBody } from "../../persistence/entry.ts";
import type { Spent, Sum } from "../../runtime/spending.ts";
import { count } from "./text.ts";

/** What was spent: `tokens at least 120 (1 turn did not tell all), USD unknown`. */
export function spentText({ tokens, usd }: Pick<Spent, "tokens" | "usd">): string {
  return `tokens ${sumText(tokens, String)}, USD ${sumText(usd, money)}`;
}

function sumText({ spent, unknown }: Sum, write: (known: number) => string): string {
  if (spent === null) return "unknown";
  return unknown === 0
    ? write(spent)
    : `at least ${write(spent)} (${count(unknown, "turn")} did not tell all)`;
}

/** What a thread has used, in money where that is known; nothing before its first turn. */
export function costText({ turns, tokens, usd }: Spent): string {
  if (turns === 0) return "";
  const least = (sum: Sum) => (sum.unknown === 0 ? "" : "at least ");
  if (usd.spent !== null) return `${least(usd)}${money(usd.spent)} USD`;
  return tokens.spent === null ? "cost unknown" : `${least(tokens)}${count(tokens.spent, "token")}`;
}

/** What one turn has used: `tokens=120 usd=0.50 (by prices)`; what is unknown says so. */
export function usageText({ tokens, usd, partial = [], priced }: EntryBody<"turn">["usage"]): string {
  if (tokens === null && usd === null) return "usage=unknown";
  const word = (key: "tokens" | "usd", known: string | undefined): string =>
    `${key}=${known === undefined ? "unknown" : `${partial.includes(key) ? "≥" : ""}${known}`}`;
  const parts = [
    word("tokens", tokens === null ? undefined : String(tokens)),
    word("usd", usd === null ? undefined : money(usd)),
    ...(priced === true ? ["(by prices)"] : []),
  ];
  return parts.join(" ");
}

/** US dollars to the cent; less than a cent as exactly as it takes not to look like nothing. */
export function money(usd: number): string {
  return usd === 0 || usd >= 0.01 ? usd.toFixed(2) : String(Number(usd.toPrecision(2)));
}
