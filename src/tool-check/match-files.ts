/**
 * Writes a pattern for file names out, as a shell would: `*`, `?`, `[…]`, one component after the other; `**` is `*`.
 *
 * M1. More is matched than a shell matches, never less: hidden names too, and `..` by a pattern that begins with a dot.
 * M2. What cannot be written out (too many names, a component that is too long, a `..` behind a pattern) is a problem.
 */
import { readdir } from "node:fs/promises";
import { isErrno } from "../soup/errno.ts";

/** Most names that are looked at. */
const NAMES_MAX = 20_000;

/** Longest component of a pattern, in letters: the time to read and to match it grows with its square. */
const COMPONENT_MAX = 4_096;

/** Paths that an absolute pattern names; in it a backslash takes the meaning of the next letter away. */
export async function matchFiles(pattern: string): Promise<readonly string[] | { readonly problem: string }> {
  let found = [""];
  let looked = 0;
  let wild = false;
  for (const component of pattern.split("/")) {
    if (component === "") continue;
    if (component.length > COMPONENT_MAX)
      return { problem: `has a component of more than ${COMPONENT_MAX} letters` };
    const plain = component.replaceAll(/\\([^])/g, "$1");
    if (!/[*?[]/.test(component.replaceAll(/\\[^]/g, ""))) {
      if (wild && plain === "..") return { problem: "goes up behind a pattern" };
      found = found.map((path) => `${path}/${plain}`);
      continue;
    }
    const tokens = tokensOf(component);
    const next: string[] = [];
    for (const folder of found) {
      const names = [".", "..", ...(await namesIn(folder === "" ? "/" : folder))];
      looked += names.length;
      if (looked > NAMES_MAX) return { problem: `matches among more than ${NAMES_MAX} names` };
      if (names.some((name) => name.includes("\uFFFD") && fits(tokens, name)))
        return { problem: "matches a name that is not UTF-8" };
      const dotted = component.startsWith(".");
      next.push(
        ...names
          .filter((name) => fits(tokens, name) && (dotted || (name !== "." && name !== "..")))
          .map((name) => `${folder}/${name}`),
      );
    }
    found = next;
    wild = true;
  }
  return found;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENAMETOOLONG")) return [];
    throw error;
  }
}

/** One element of a component: any letters, any one letter, or this one. */
type Token = "any" | "one" | { readonly letter: string };

/** What stands in brackets, up to the last one, matches anything (M1): its exact meaning is the shell's. */
function tokensOf(component: string): readonly Token[] {
  return [...component.matchAll(/\\([^])|\[[^]+\]|\*+|[^]/gu)].map(([token, letter]): Token => {
    if (letter !== undefined) return { letter };
    if (token.startsWith("*") || Array.from(token).length > 1) return "any";
    return token === "?" ? "one" : { letter: token };
  });
}

/** Whether the tokens match a name, in at most as many steps as both are long together multiplied. */
function fits(tokens: readonly Token[], name: string): boolean {
  const letters = Array.from(name);
  let [token, letter, star, from] = [0, 0, -1, 0];
  while (letter < letters.length) {
    const now = tokens[token];
    if (now === "any") [star, from, token] = [token, letter, token + 1];
    else if (now === "one" || (now !== undefined && now.letter === letters[letter]))
      [token, letter] = [token + 1, letter + 1];
    else if (star >= 0) [from, token, letter] = [from + 1, star + 1, from + 1];
    else return false;
  }
  return tokens.slice(token).every((rest) => rest === "any");
}
