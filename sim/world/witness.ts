/**
 * What happened in the simulated world, as somebody would have seen it who knows nothing of cfa: the checkers' other source beside
 * the log.
 *
 * W1. `head` is the number of the newest entry in the log at that moment: what cfa did before or after writing is seen by it.
 */
import type { Call } from "../../src/runtime/admission.ts";

/** Something that was seen. Trees and threads are named as in the log; `cfa` is the process of cfa that did it. */
export type Event =
  | { readonly kind: "claimed"; readonly cfa: string; readonly epoch: number }
  | {
      readonly kind: "committed";
      readonly cfa: string;
      readonly epoch: number;
      readonly from: number;
      readonly to: number;
    }
  | { readonly kind: "posted"; readonly id: string }
  /** The human was told of a question outside of cfa. */
  | { readonly kind: "notified"; readonly cfa: string; readonly question: string; readonly exchange: number }
  | { readonly kind: "crashed"; readonly cfa: string }
  | {
      readonly kind: "program-started";
      readonly pid: number;
      readonly cfa: string;
      readonly thread: string;
      readonly turn: number;
      readonly tree: string;
      readonly message: string;
    }
  | { readonly kind: "program-edited"; readonly pid: number; readonly tree: string; readonly edit: string }
  /** A program has written its outcome record, whatever it says. */
  | { readonly kind: "program-recorded"; readonly pid: number; readonly record: string }
  | { readonly kind: "program-called"; readonly pid: number; readonly call: Call }
  | { readonly kind: "program-ended"; readonly pid: number }
  | { readonly kind: "tree-made"; readonly tree: string; readonly parent: string | null }
  | { readonly kind: "tree-removed"; readonly tree: string }
  | { readonly kind: "tree-touched"; readonly tree: string; readonly by: string }
  | {
      readonly kind: "merged";
      readonly tree: string;
      readonly into: string;
      readonly merge: string;
      readonly commit: string;
    }
  | { readonly kind: "delivered"; readonly commit: string };

/** An event, and how far the log had come. */
export type Sight = { readonly head: number; readonly event: Event };

/** See the header. */
export class Witness {
  readonly sights: Sight[] = [];
  /** Number of the newest entry in the log. */
  head = 0;
  /** The process of cfa that claimed the job last. */
  owner = "";

  see(event: Event): void {
    if (event.kind === "committed") this.head = Math.max(this.head, event.to);
    if (event.kind === "claimed") this.owner = event.cfa;
    this.sights.push({ head: this.head, event });
  }
}
