/** How a child stands for its siblings, from its record (docs/files-dependencies.md, "When a sibling has completed"). */
import { expect, test } from "vitest";
import type { EntryBody } from "../../../src/persistence/entry.ts";
import type { Work } from "../../../src/runtime/agents/port.ts";
import { standingOf } from "../../../src/runtime/dependencies/standing.ts";

const NEW = {
  turn: 0,
  last: undefined,
  owes: true,
  failed: false,
  optional: false,
  ending: undefined,
  closed: false,
} as const;

/** Its second turn ended so. */
function ended(result: "ok" | "failed", state?: Work["state"]) {
  const last: EntryBody<"turn"> = {
    thread: "dispatch:1.1.1",
    turn: 2,
    agent: "collector",
    result,
    failure: result === "ok" ? null : "it broke",
    text: "",
    commit: null,
    session: null,
    usage: { tokens: null, usd: null },
    outcome: null,
    status: null,
    files: [],
    optional: [],
    millis: 0,
    ...(state === undefined ? {} : { work: { state, recoverable: true } }),
  };
  return { ...NEW, turn: 2, last };
}

test.each([
  ["has just been opened", NEW, "open"],
  ["has its first turn", { ...NEW, turn: 1 }, "open"],
  ["says completed", ended("ok", "completed"), "completed"],
  ["says completed and has new mail", { ...ended("ok", "completed"), turn: 3 }, "open"],
  [
    "says completed and was closed",
    { ...ended("ok", "completed"), ending: "merge", closed: true },
    "completed",
  ],
  ["says completed and was withdrawn", { ...ended("ok", "completed"), ending: "drop" }, "skipped"],
  ["waits for an answer", ended("ok", "running"), "open"],
  [
    "waits for an answer, having said something to its parent",
    { ...ended("ok", "running"), owes: false },
    "open",
  ],
  ["has failed, and rests until its parent writes to it or closes it", ended("failed", "failed"), "failed"],
  [
    "has failed, and was closed at rest",
    { ...ended("failed", "failed"), ending: "merge", closed: true },
    "skipped",
  ],
  ["says completed without its outputs", ended("failed", "completed"), "failed"],
  ["has failed, and tries again", { ...ended("failed", "failed"), turn: 3 }, "open"],
  ["has failed for good", { ...ended("failed", "failed"), failed: true, ending: "drop" }, "failed"],
  [
    "has failed for good and has gone",
    { ...ended("failed", "failed"), failed: true, ending: "drop", closed: true },
    "failed",
  ],
  [
    "has failed, and its parent has closed it",
    { ...ended("failed", "failed"), ending: "drop", closed: true },
    "skipped",
  ],
  [
    "has failed, and may",
    { ...ended("failed", "failed"), failed: true, optional: true, ending: "drop" },
    "skipped",
  ],
  ["was closed before its first turn ended", { ...NEW, turn: 1, ending: "merge", closed: true }, "skipped"],
  ["is no file-based agent and has replied", { ...ended("ok"), owes: false }, "completed"],
  ["is no file-based agent and owes its reply", ended("ok"), "open"],
  ["is no file-based agent, has replied, and works again", { ...ended("ok"), turn: 3, owes: false }, "open"],
] as const)("a child that %s", (_name, record, standing) => {
  expect(standingOf(record)).toBe(standing);
});
