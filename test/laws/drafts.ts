/** Firings and outside moves as the entries of a log, through the text in which a store keeps them. */
import { type Draft, parseDraft, VERSIONS } from "../../src/persistence/entry.ts";
import type { Firing } from "../../src/rules/fire.ts";
import type { Move } from "../../src/rules/moves.ts";
import type { Configuration } from "../../src/soup/configuration.ts";

function stored(kind: string, body: unknown): Draft {
  const text: unknown = JSON.parse(JSON.stringify(body));
  return parseDraft(kind, text);
}

/** The entry of a firing. */
export function firingDraft(firing: Firing): Draft {
  return stored("fire", firing);
}

/** The entry of an outside move. */
export function moveDraft({ kind, ...move }: Move, before: Configuration): Draft {
  return stored(kind, { ...move, ...rest(kind, move, before) });
}

function rest(kind: Move["kind"], move: object, before: Configuration): object {
  const reason = "the law wants it";
  const origin = "human";
  switch (kind) {
    case "open":
      return { versions: VERSIONS, job: "j", engine: "0", base: null, branch: null, definition: null };
    case "workspace":
      return { parent: "job" };
    case "configure":
    case "post":
    case "interrupt":
      return { origin };
    case "terminate":
      return { origin, reason };
    case "rollback": {
      const thread = "thread" in move ? String(move.thread) : "";
      const run = before.cell(thread)?.lifecycles.find((one) => one.kind === "Run");
      return { turn: run?.kind === "Run" ? run.turn : 0, reason };
    }
  }
}
