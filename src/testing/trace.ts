/**
 * Traces for readers: one line a step, in notation.
 *
 *     wake: Idle(writer,t1) ‖ Mailbox(writer,t1,[draft]) → Run(writer,t1,draft) ‖ Mailbox(writer,t1,[])
 *     term-final: Terminate(t1) ‖ Parent(t1,t0) → ε ; closed t1
 *     (workspace of t2 is ready)
 */
import type { Move } from "../rules/moves.ts";
import type { Molecule } from "../soup/molecule.ts";
import { printAtom, printMessage, printMolecule } from "../soup/print.ts";
import type { Event } from "./fired.ts";

function side(molecules: readonly Molecule[]): string {
  return molecules.length === 0 ? "ε" : molecules.map(printMolecule).join(" ‖ ");
}

/** An outside move in words. */
export function printMove(move: Move): string {
  switch (move.kind) {
    case "open":
      return `${printAtom(move.root.agent)} opens ${printAtom(move.root.thread)}`;
    case "configure":
      return "rosters or cap change";
    case "workspace": {
      const is = move.commit === null ? `is refused: ${move.refused ?? "no reason given"}` : "is ready";
      return `workspace of ${printAtom(move.thread)} ${is}`;
    }
    case "post":
      return `mail to ${printAtom(move.thread)}${move.head ? " at the head" : ""}: ${printMessage(move.message)}`;
    case "interrupt":
      return `interrupt of ${printAtom(move.thread)}: ${printMessage(move.message)}`;
    case "terminate":
      return `end of ${printAtom(move.thread)}, ${move.mode}`;
    case "rollback":
      return `the turn on ${printAtom(move.thread)} is lost`;
  }
}

/** One line for each step: rule, molecules consumed → molecules produced; outside moves in brackets. */
export function trace(events: Iterable<Event>): string[] {
  return Array.from(events, (event) => {
    if (event.kind === "moved") return `(${printMove(event.move)})`;
    const { rule, consumed, produced, closed } = event;
    const ended = closed === undefined ? "" : ` ; closed ${printAtom(closed)}`;
    return `${rule}: ${side(consumed)} → ${side(produced)}${ended}`;
  });
}
