/** The life cycle of a file-based agent: every step between its states, and what a reader may have missed. */
import { describe, expect, test } from "vitest";
import { advance, isWorkState } from "../../../src/channels/files-protocol/life-cycle.ts";
import { follow, UNFOLLOWED } from "../../../src/channels/files-protocol/watch.ts";
import { parseStatus } from "../../../src/channels/files-protocol/status-json.ts";
import type { WorkState } from "../../../src/runtime/agents/port.ts";

const NEVER_RAN = 'says completed without having been running: "started" must say since when';

describe("every step", () => {
  test.each<[from: WorkState, to: WorkState, started: boolean, expected: string]>([
    // From pending: whoever says since when it works, or that it failed, was running before (Y1).
    ["pending", "pending", false, "pending"],
    ["pending", "pending", true, "pending"],
    ["pending", "running", false, "running"],
    ["pending", "running", true, "running"],
    ["pending", "completed", true, "completed"],
    ["pending", "completed", false, NEVER_RAN],
    ["pending", "failed", true, "failed"],
    ["pending", "failed", false, "failed"],
    // From running.
    ["running", "pending", false, "went back from running to pending"],
    ["running", "pending", true, "went back from running to pending"],
    ["running", "running", false, "running"],
    ["running", "running", true, "running"],
    ["running", "completed", true, "completed"],
    // The same verdict as for whoever has not seen `running` in between.
    ["running", "completed", false, NEVER_RAN],
    ["running", "failed", true, "failed"],
    ["running", "failed", false, "failed"],
    // Nothing leaves an end (Y2).
    ["completed", "pending", true, "went from completed to pending: completed is final"],
    ["completed", "running", true, "went from completed to running: completed is final"],
    ["completed", "completed", true, "completed"],
    ["completed", "failed", true, "went from completed to failed: completed is final"],
    ["failed", "pending", true, "went from failed to pending: failed is final"],
    ["failed", "running", true, "went from failed to running: failed is final"],
    ["failed", "completed", true, "went from failed to completed: failed is final"],
    ["failed", "failed", false, "failed"],
  ])("%s → %s (started: %s): %s", (from, state, started, expected) => {
    expect(advance(from, { state, started })).toEqual(
      isWorkState(expected) ? { state: expected } : { refused: expected },
    );
  });
});

describe("a sequence of readings", () => {
  const said = (state: string, started: string | null = "2026-01-01T10:00:00Z") =>
    JSON.stringify({ state, started });
  const followed = (texts: readonly string[]) =>
    texts.reduce((so, text, at) => follow(so, parseStatus(text), at === texts.length - 1), UNFOLLOWED);

  test.each<[string, readonly string[], WorkState, string | null]>([
    ["the whole way", [said("pending", null), said("running"), said("completed")], "completed", null],
    ["running missed", [said("pending", null), said("completed")], "completed", null],
    [
      "the failure of the protocol, without start",
      ['{"state": "failed", "error": {"type": "E"}}'],
      "failed",
      null,
    ],
    ["half-written on the way", [said("running"), '{"state": "comp', said("completed")], "completed", null],
    ["half-written at the end", [said("running"), '{"state": "comp'], "running", "holds no JSON"],
    ["empty at the end", [said("running"), ""], "running", "holds no JSON"],
    [
      "a word of its own",
      [said("paused"), said("completed")],
      "pending",
      'holds the state "paused": "state" is one of pending, running, completed, failed',
    ],
    [
      "back from completed, and forth again",
      [said("completed"), said("running"), said("completed")],
      "completed",
      "went from completed to running: completed is final",
    ],
    [
      "failed, then completed",
      [said("failed"), said("completed")],
      "failed",
      "went from failed to completed: failed is final",
    ],
    [
      "back to pending",
      [said("running"), said("pending", null)],
      "running",
      "went back from running to pending",
    ],
    ["never running", [said("completed", null)], "pending", NEVER_RAN],
  ])("%s", (_name, texts, state, violation) => {
    expect(followed(texts)).toMatchObject({ state, violation });
  });
});
