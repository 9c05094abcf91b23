/**
 * An entry in the notation of docs/rules.md: `wake  Idle(A,t) ‖ Mailbox(A,t,[m]) → Run(A,t,m) ‖ Mailbox(A,t,[])`.
 */
import { printAtom, printMessage, printMolecule, printPayload } from "../soup/print.ts";
import type { Molecule } from "../soup/molecule.ts";
import type { Change } from "./change.ts";
import type { Draft, EntryBody } from "./entry.ts";

/** Molecules side by side; `ε` for none. */
export function printSide(molecules: readonly Molecule[], print = printMolecule): string {
  return molecules.length === 0 ? "ε" : molecules.map(print).join(" ‖ ");
}

/** `left → right`, and the thread that ended by it. */
export function printChange({ left, right, closed }: Change, print = printMolecule): string {
  const end = closed === undefined ? "" : ` ; closed ${printAtom(closed)}`;
  return `${printSide(left, print)} → ${printSide(right, print)}${end}`;
}

/** What an entry claims, without the soup: rule and names of a firing, the members of a move. */
export function printClaim(draft: Draft): string {
  switch (draft.kind) {
    case "fire":
      return printFiring(draft.body);
    case "post": {
      const { agent, thread, message } = draft.body;
      return `post(${printAtom(agent)},${printAtom(thread)},${printMessage(message)})`;
    }
    case "interrupt":
      return `interrupt(${printAtom(draft.body.thread)},${printMessage(draft.body.message)})`;
    case "terminate":
      return `terminate(${printAtom(draft.body.thread)},${draft.body.mode})`;
    case "rollback":
      return `rollback(${printAtom(draft.body.thread)}) of turn ${draft.body.turn}`;
    case "workspace": {
      const { thread, commit, refused } = draft.body;
      const fact = commit === null ? `refused because ${printAtom(refused ?? "")}` : `ready at ${commit}`;
      return `workspace(${printAtom(thread)}, ${fact})`;
    }
    case "open": {
      const { root, job } = draft.body;
      return `open(${printAtom(job)}) with ${printAtom(root.agent)} on ${printAtom(root.thread)}`;
    }
    case "turn":
    case "start":
      return `${draft.kind} ${draft.body.turn} of ${printAtom(draft.body.agent)} on ${printAtom(draft.body.thread)}`;
    case "transition":
      return `transition ${draft.body.from} → ${draft.body.to} by ${draft.body.action} of the ${draft.body.origin}`;
    default:
      return draft.kind;
  }
}

function printFiring({ rule, at, choice }: EntryBody<"fire">): string {
  const { ps, π, ...messages } = choice ?? {};
  const bound = Object.entries(at).map(([name, value]) => `${name}=${printAtom(value)}`);
  const chosen = Object.entries(messages).map(
    ([name, value]) => `${name}=${typeof value === "string" ? printAtom(value) : printMessage(value)}`,
  );
  const payloads = ps === undefined ? [] : [`ps=[${ps.map(printPayload).join(",")}]`];
  return [rule, ...bound, ...chosen, ...(π === undefined ? [] : [`π=${π}`]), ...payloads].join(" ");
}
