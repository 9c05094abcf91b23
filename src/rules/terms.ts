/**
 * The syntax of the two sides of a rule: molecules joined by `‖`, an optional one in `[‖ …]`, lists with `·`.
 */
import { invariant } from "../soup/invariant.ts";
import type { MoleculeKind } from "../soup/molecule.ts";

/** A molecule of a rule's side, its arguments still text: `Mailbox(A,t',q·x)`. */
export type Term = {
  readonly kind: MoleculeKind;
  readonly args: readonly string[];
  /** Written `[‖ …]`: taken when it is there. */
  readonly optional: boolean;
};

const KINDS: readonly MoleculeKind[] = [
  "Idle", "Run", "Send", "Mailbox", "Parent", "Terminate", "AskQuestion", "Proxy", "AskHuman", "Interrupt",
]; // prettier-ignore

/** Splits at commas that stand outside brackets. */
export function splitArguments(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "(" || char === "[") depth++;
    else if (char === ")" || char === "]") depth--;
    else if (char === "," && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.map((part) => part.trim());
}

/** Splits `name(a,b)` into name and arguments; undefined when the text is no such application. */
export function application(
  text: string,
): { readonly name: string; readonly args: readonly string[] } | undefined {
  const match = /^([A-Za-z-]+)\((.*)\)$/u.exec(text);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  return { name: match[1], args: splitArguments(match[2]) };
}

/** Parses one side of a rule; `ε` is the empty side. */
export function parseSide(side: string): Term[] {
  if (side === "ε") return [];
  return side
    .replace(/\s*\[‖\s*([^\]]*)\]/u, " ‖ ?$1")
    .split("‖")
    .map((part) => part.trim())
    .map((part) => {
      const optional = part.startsWith("?");
      const applied = application(optional ? part.slice(1) : part);
      const kind = KINDS.find((one) => one === applied?.name);
      invariant(applied !== undefined && kind !== undefined, `"${part}" is not a molecule of a rule`);
      return { kind, args: applied.args, optional };
    });
}
