/**
 * The boundary port: what confines a program, with all its descent, to its workspace (docs/boundary.md).
 *
 * B1. What a program inside can reach is listed by its {@link Space}; what is not listed does not exist there.
 * B2. A boundary is believed only after a proof (proof.ts): canaries outside the workspace are really read from inside, and must not be there.
 * B3. An implementation for another platform (`@anthropic-ai/sandbox-runtime` on macOS, for example) needs nothing but this port: it turns
 *     a space into the command line that a program is appended to.
 */
import type { ProcessIsolation } from "../process/isolation.ts";

/** Something of the machine that is seen from inside, at the same path unless `at` says otherwise. */
export type Mount =
  /** A file or folder; read-only unless `write`. */
  | { readonly kind: "bind"; readonly from: string; readonly at: string; readonly write: boolean }
  /** A symbolic link. */
  | { readonly kind: "link"; readonly to: string; readonly at: string }
  /** An empty folder of its own, gone with the program. */
  | { readonly kind: "empty"; readonly at: string };

/** What of the network is seen from inside: nothing outside the turn, the turn's own 127.0.0.1, or all that cfa sees. */
export type Network = "none" | "loopback" | "full";

/** What one program may reach, beside the system's own programs and libraries. */
export type Space = {
  /** Its working directory, writable. Absolute, without links. */
  readonly workspace: string;
  readonly mounts: readonly Mount[];
  readonly network: Network;
};

/** Kinds of boundary: `advisory` is none. */
export type BoundaryKind = "bubblewrap" | "advisory";

/** A way to confine programs. */
export interface Boundary {
  readonly kind: BoundaryKind;
  /** How a program is run so that it can reach its space and nothing else, and dies with its turn. */
  around(space: Space): Promise<ProcessIsolation>;
}

/** A file or folder at its own path, read-only. */
export function seen(path: string): Mount {
  return { kind: "bind", from: path, at: path, write: false };
}

/** A file or folder at its own path, writable. */
export function open(path: string): Mount {
  return { kind: "bind", from: path, at: path, write: true };
}
