/**
 * What a tool answers: one envelope for all of them, as structured content and, word for word, as text.
 *
 * E1. `{"success": true, "data": {…}}`, or `{"success": false, "error": {"kind": …, "message": …}}` with `isError`.
 * E2. A message is one sentence that says why and what to do; it never holds a stack trace.
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { z } from "zod";

/** Why a call had no success. */
export type ErrorKind =
  /** The arguments are not those of the tool. */
  | "invalid_input"
  /** cfa refuses what the call asks for: roster, visibility, cap, state. */
  | "refused"
  /** There is no turn to call in, or it has ended. */
  | "no_turn"
  /** The call could not be written: the disk is full or the outbox read-only. */
  | "unavailable"
  /** The program of a role's own tool failed. */
  | "tool_failed"
  | "internal_error";

/** The JSON value of an answer (E1). */
export type Answer =
  | { readonly success: true; readonly data: Readonly<Record<string, unknown>> }
  | {
      readonly success: false;
      readonly error: { readonly kind: ErrorKind; readonly message: string };
    };

/** Success, with what the tool found or did. */
export const success = (data: Readonly<Record<string, unknown>>): Answer => ({ success: true, data });

/** No success, and why (E2). */
export const failure = (kind: ErrorKind, message: string): Answer => ({
  success: false,
  error: { kind, message },
});

/** The answer as MCP carries it. */
export function toolResult(answer: Answer): CallToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(answer) }],
    structuredContent: answer,
    isError: !answer.success,
  };
}

/** JSON Schema of an answer whose data has this schema. */
export function answerSchema(data: Readonly<Record<string, unknown>>): {
  readonly type: "object";
  readonly [key: string]: unknown;
} {
  const error = {
    type: "object",
    properties: { kind: { type: "string" }, message: { type: "string" } },
    required: ["kind", "message"],
  };
  return { type: "object", properties: { success: { type: "boolean" }, data, error }, required: ["success"] };
}

/** What is wrong with the arguments of `tool`, all at once; `takes` are the names that it knows. */
export function describeArguments(tool: string, error: z.ZodError, takes: readonly string[]): string {
  const known = takes.length === 0 ? "it takes none" : `it takes ${takes.join(", ")}`;
  const problems = error.issues.map((issue) => {
    const path = issue.path.map(String).join(".");
    const at = path === "" ? "the arguments" : JSON.stringify(path);
    if (issue.code === "unrecognized_keys") {
      const names = issue.keys.slice(0, 5).map((key) => JSON.stringify(key.slice(0, 80)));
      const where = path === "" ? "" : ` in ${at}`;
      return `there is no argument ${names.join(", ")}${where}: ${known}`;
    }
    if (issue.code === "invalid_type" && issue.message.endsWith("received undefined"))
      return `${at} is missing: it must be ${issue.expected === "string" ? "text" : issue.expected}`;
    return `${at}: ${issue.message.slice(0, 200)}`;
  });
  return `${tool}: ${problems.slice(0, 10).join("; ")}`;
}
