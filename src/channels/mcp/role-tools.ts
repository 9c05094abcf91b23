/**
 * Tools that a role has of its own: programs with a JSON schema, published beside those of cfa.
 *
 * R1. The program gets the arguments as JSON on standard input, the turn's workspace as directory and the server's environment.
 * R2. Exit status 0 is success, and what it printed is the result; anything else fails the call with the last line of its errors.
 * R3. It and all its descent die with the call, at the time-out, and when the server ends.
 */
import { devNull } from "node:os";
import { z } from "zod";
import type { RoleTool } from "../../runtime/agents/port.ts";
import { processGroup } from "../../runtime/process/isolation.ts";
import { runProgram } from "../../runtime/process/run-program.ts";
import type { Environment } from "../turn.ts";
import { type Answer, failure, success } from "./result.ts";

const GRACE_MILLIS = 1000;

/** Schema of the data that a role's tool answers with. */
export const roleToolData = z.strictObject({ output: z.string().describe("What the program printed.") });

/** The names of the arguments that a role's tool takes. */
export function argumentsOf({ schema }: RoleTool): readonly string[] {
  const { data } = z.object({ properties: z.record(z.string(), z.unknown()) }).safeParse(schema);
  return Object.keys(data?.properties ?? {});
}

/** Runs a role's tool with arguments that fit its schema (R1 to R3). */
export async function runRoleTool(
  tool: RoleTool,
  given: unknown,
  {
    env,
    workspace,
    signal,
  }: { readonly env: Environment; readonly workspace: string; readonly signal: AbortSignal },
): Promise<Answer> {
  const { end, text, complaint } = await runProgram(
    {
      run: tool.run,
      cwd: workspace,
      env: Object.fromEntries(
        Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
      ),
      input: `${JSON.stringify(given)}\n`,
      stream: devNull,
      timeout: tool.timeout,
      stopSignals: ["SIGTERM"],
      grace: GRACE_MILLIS,
      signal,
      onStart: () => {},
      onLine: () => {},
    },
    processGroup("a tool of a role runs inside its agent's turn"),
  );
  const said = complaint === "" ? "" : `: ${complaint.slice(0, 500)}`;
  switch (end.kind) {
    case "exit":
      return end.status === 0
        ? success({ output: text })
        : failure("tool_failed", `${tool.name} ended with exit status ${end.status}${said}`);
    case "timeout":
      return failure(
        "tool_failed",
        `${tool.name} ran longer than ${tool.timeout / 1000} s and was stopped${said}`,
      );
    case "aborted":
      return failure("tool_failed", `${tool.name} was stopped: the call was cancelled, or the session ended`);
    case "unstarted":
      return failure("tool_failed", `${tool.name} could not be started: ${end.why}`);
  }
}
