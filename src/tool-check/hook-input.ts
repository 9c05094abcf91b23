/** What a client's hook says on standard input: the fields that Claude Code and Codex share (docs/tool-check.md). */
import { z } from "zod";

/** One tool call. */
export type ToolCall = {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The client's working directory, absolute. */
  readonly cwd: string;
};

const hookSchema = z.object({
  hook_event_name: z.literal("PreToolUse", { error: "must be PreToolUse" }).optional(),
  tool_name: z.string().min(1).max(200),
  tool_input: z.record(z.string(), z.unknown()),
  cwd: z.string().startsWith("/"),
});

/** Largest input of a hook, bytes. */
export const HOOK_BYTES_MAX = 16 * 1024 * 1024;

/** Reads the input of a hook; `problem` says what is wrong with it. */
export function parseHookInput(text: string): { readonly call: ToolCall } | { readonly problem: string } {
  if (text.trim() === "") return { problem: "standard input is empty" };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { problem: "standard input is no JSON" };
  }
  const parsed = hookSchema.safeParse(value);
  if (!parsed.success) {
    const fields = parsed.error.issues.map(
      ({ path, message }) => `${path.join(".") || "the whole"} (${message})`,
    );
    return { problem: `standard input is no tool call: ${fields.join(", ")}` };
  }
  const { tool_name: tool, tool_input: input, cwd } = parsed.data;
  return { call: { tool, input, cwd } };
}
