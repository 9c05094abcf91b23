/** Whether two configurations that descend from one are the same, ids, turn numbers and facts included. */
import type { Cell } from "../../src/soup/cell.ts";
import { type Configuration, moleculesOf } from "../../src/soup/configuration.ts";

const plain = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && Symbol.iterator in value
    ? [...(value as Iterable<unknown>)]
    : value;

/** Everything in a cell, whatever the order of its molecules. */
function everythingIn(cell: Cell | undefined): string {
  if (cell === undefined) return "nothing";
  const molecules = Array.from(moleculesOf(cell), (molecule) => JSON.stringify(molecule, plain)).sort();
  return JSON.stringify([
    molecules,
    cell.turns,
    cell.closed,
    cell.workspace,
    cell.down.count,
    cell.dyingDown,
  ]);
}

/** What differs, a line a thread and side. Cells that both share are not looked at. */
export function differences(one: Configuration, other: Configuration): string[] {
  const threads = new Set([...one.cells(), ...other.cells()].map(({ thread }) => thread));
  const facts = JSON.stringify(one.facts) === JSON.stringify(other.facts) ? [] : ["the facts differ"];
  const cells = [...threads].flatMap((thread) => {
    const [left, right] = [one.cell(thread), other.cell(thread)];
    if (left === right) return [];
    const [here, there] = [everythingIn(left), everythingIn(right)];
    return here === there ? [] : [`${thread}: ${here}`, `${thread}: ${there}`];
  });
  return [...facts, ...cells];
}
