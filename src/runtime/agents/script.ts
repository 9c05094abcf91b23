/**
 * The `script` adapter: an agent inside cfa, given as a function or as a list of steps. For embedding, tests and examples.
 *
 * S1. What a script sends goes through the same outbox and the same early refusal as a program's calls.
 * S2. A turn that is aborted or out of time ends at once for cfa; a function that still runs then can do nothing more through its turn.
 *     It should heed `signal`.
 */
import { appendFile } from "node:fs/promises";
import { stopRequest } from "../stop-request.ts";
import { UNKNOWN_USAGE } from "../usage.ts";
import type { AgentAdapter, TurnEvent, TurnRequest, TurnResult } from "./port.ts";
import { scriptOf, type ScriptSteps } from "./script-steps.ts";
import { turnOf, type Script, type ScriptTurn } from "./script-turn.ts";

/** An agent that runs a function, or the first fitting of these steps, once a turn. */
export function scriptAgent(script: Script | ScriptSteps): AgentAdapter {
  const run = typeof script === "function" ? script : scriptOf(script);
  return { boundary: "in-process", run: (request, report) => runTurn(run, request, report) };
}

async function runTurn(
  script: Script,
  request: TurnRequest,
  report: (event: TurnEvent) => void,
): Promise<TurnResult> {
  const over = new AbortController();
  const stop = stopRequest(request.timeout, request.signal);
  report({ kind: "started", pid: null, started: null });
  try {
    const stopped = stop.reason.then((reason) => stopOf(reason, request.timeout));
    const end = await Promise.race([call(script, turnOf(request, over.signal)), stopped]);
    if (end.text !== "") {
      await appendFile(request.stream, `${end.text}\n`);
      report({ kind: "line", text: end.text.split("\n").at(-1) ?? "" });
    }
    return { ...end, session: request.session ?? request.facts.thread, usage: UNKNOWN_USAGE };
  } finally {
    stop.cancel();
    over.abort();
  }
}

type Stop = Pick<TurnResult, "stop" | "failure" | "text">;

async function call(script: Script, turn: ScriptTurn): Promise<Stop> {
  try {
    return { stop: "ended", text: (await script(turn)) ?? "" };
  } catch (error) {
    return { stop: "failed", failure: error instanceof Error ? error.message : String(error), text: "" };
  }
}

function stopOf(reason: "timeout" | "aborted", timeout: number): Stop {
  if (reason === "aborted") return { stop: "aborted", text: "" };
  return {
    stop: "failed",
    failure: `the script ran longer than its time-out of ${timeout / 1000} s`,
    text: "",
  };
}
