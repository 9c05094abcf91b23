/** Questions to one thread of a configuration. */
import type { Cell } from "../../src/soup/cell.ts";

/** No molecule is on the thread, and no edge leads to or from it. */
export function isEmpty(cell: Cell | undefined): boolean {
  if (cell === undefined) return true;
  const { lifecycles, mailboxes, questions, terminates, interrupts, up, down } = cell;
  const molecules = [lifecycles, mailboxes, questions, terminates, interrupts, up];
  return molecules.every(({ length }) => length === 0) && down.count === 0;
}
