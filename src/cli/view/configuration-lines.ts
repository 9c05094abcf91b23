/** A configuration in notation: the soup, one molecule a line and sorted, the closed threads, and what guards read. */
import type { Configuration } from "../../soup/configuration.ts";
import { printAtom, printSoup } from "../../soup/print.ts";

/** The lines. Those of the soup are parsed by `parseSoup`; the others begin with `closed` and `given`. */
export function configurationLines(configuration: Configuration): readonly string[] {
  const soup = printSoup(configuration);
  const closed = [...configuration.closed()].map(printAtom).sort();
  const { rosters, cap } = configuration.facts;
  const list = (names: readonly string[]) => `[${names.map(printAtom).join(",")}]`;
  return [
    ...(soup.length === 0 ? ["ε"] : soup),
    ...(closed.length === 0 ? [] : [`closed ${closed.join(", ")}`]),
    ...Object.entries(rosters).map(([agent, names]) => `given roster(${printAtom(agent)}) = ${list(names)}`),
    `given cap = ${cap}`,
  ];
}
