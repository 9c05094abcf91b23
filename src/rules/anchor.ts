/**
 * Where matching starts.
 *
 * An anchor is the first molecule of a left side. Rules are looked up by its kind; those of a Send also by what its
 * first payload is, since that alone rules most of them out.
 */
import type { Payload } from "../soup/message.ts";
import type { Molecule } from "../soup/molecule.ts";
import type { Term } from "./terms.ts";

/** What a broadcast starts with; `end` when it is empty. */
type Head = Payload["kind"] | "end";

/** Kinds of anchors that matching visits (redex.ts), a Send by its head. */
export type Anchor = "Terminate" | "Idle" | "Run" | "AskQuestion" | "Proxy" | "AskHuman" | `Send ${Head}`;

/** All of them. */
export const ANCHORS: readonly Anchor[] = [
  "Terminate", "Idle", "Run", "Send deliver", "Send terminate", "Send ask", "Send end",
  "AskQuestion", "Proxy", "AskHuman",
]; // prettier-ignore

const SEND = {
  deliver: "Send deliver",
  terminate: "Send terminate",
  ask: "Send ask",
} as const satisfies Record<Payload["kind"], Anchor>;

/** Where to look up the rules of an anchor molecule; undefined for one at which no rule starts. */
export function anchorOf(molecule: Molecule): Anchor | undefined {
  switch (molecule.kind) {
    case "Send": {
      const head = molecule.payloads.head;
      return head === undefined ? "Send end" : SEND[head.kind];
    }
    case "Mailbox":
    case "Parent":
    case "Interrupt":
      return undefined;
    default:
      return molecule.kind;
  }
}

/** The anchors at which a left side that starts with this molecule may match. */
export function anchorsOf({ kind, args }: Term): readonly Anchor[] {
  const all = ANCHORS.filter((anchor) => anchor === kind || anchor.startsWith(`${kind} `));
  const list = args[2] ?? "";
  if (kind !== "Send" || !/·|^\[\]$/u.test(list)) return all;
  const head = list === "[]" ? "end" : /^(deliver|terminate|ask)\(/u.exec(list)?.[1];
  return all.filter((anchor) => (head === undefined ? anchor !== "Send end" : anchor === `Send ${head}`));
}
