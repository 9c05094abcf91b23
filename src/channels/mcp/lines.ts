/**
 * The lines of standard input before the protocol sees them: what is no message of it is answered here, and the session goes on.
 *
 * L1. A line longer than {@link LINE_BYTES} is dropped as it comes, and answered with an error; memory stays bounded.
 * L2. A line that is no JSON is answered with a parse error, JSON that is no message with an invalid request; the id is
 *     null where none can be read (JSON-RPC 2.0 §5).
 * L3. A batch is taken apart: each of its messages is answered by itself. An empty one is an invalid request.
 * L4. Invalid UTF-8 becomes U+FFFD.
 */
import { z } from "zod";

/** Longest line that is read, bytes. */
export const LINE_BYTES = 4 * 1024 * 1024;

const NEWLINE = 0x0a;

/** JSON-RPC errors that are answered here. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

const idSchema = z.union([z.string(), z.number()]);
const messageSchema = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: idSchema.optional(),
  method: z.string().optional(),
  params: z.looseObject({}).optional(),
});

function idOf(message: unknown): string | number | null {
  return z.object({ id: idSchema }).safeParse(message).data?.id ?? null;
}

/** Passes the messages of `source` on, one line each. `answer` writes a line to the client. */
export async function* messageLines(
  source: AsyncIterable<Buffer>,
  answer: (line: string) => void,
): AsyncGenerator<string> {
  for await (const line of boundedLines(source)) {
    if (line === "too long") {
      answer(
        errorLine(INVALID_REQUEST, `a message is longer than ${LINE_BYTES} bytes: put long texts into files`),
      );
      continue;
    }
    if (line.trim() === "") continue;
    const parsed = parse(line);
    if (parsed === undefined) {
      answer(errorLine(PARSE_ERROR, "the line is no JSON: one message a line"));
      continue;
    }
    const messages = Array.isArray(parsed.value) ? parsed.value : [parsed.value];
    if (messages.length === 0) answer(errorLine(INVALID_REQUEST, "the batch is empty"));
    for (const one of messages) {
      if (messageSchema.safeParse(one).success) yield JSON.stringify(one);
      else answer(errorLine(INVALID_REQUEST, "this is no JSON-RPC 2.0 message", idOf(one)));
    }
  }
}

async function* boundedLines(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of source) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      size += at - from;
      yield size > LINE_BYTES
        ? "too long"
        : Buffer.concat([...parts, chunk.subarray(from, at)]).toString("utf8");
      parts = [];
      size = 0;
      from = at + 1;
    }
    size += chunk.length - from;
    if (size > LINE_BYTES) parts = [];
    else parts.push(chunk.subarray(from));
  }
}

function parse(line: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(line) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

function errorLine(code: number, message: string, id: string | number | null = null): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })}\n`;
}
