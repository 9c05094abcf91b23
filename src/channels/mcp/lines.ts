/**
 * The lines of standard input before the protocol sees them: what is no message of it is answered here, and the session goes on.
 *
 * L1. A line longer than {@link LINE_BYTES} is dropped as it comes, and answered with an error; memory stays bounded. Its id is read where
 *     clients write it, at the very begin or end of the message: a client whose call is never answered would wait.
 * L2. A line that is no JSON is answered with a parse error, JSON that is no message with an invalid request; the id is
 *     null where none can be read (JSON-RPC 2.0 §5).
 * L3. A batch is taken apart: each of its messages is answered by itself. An empty one is an invalid request.
 * L4. Invalid UTF-8 becomes U+FFFD.
 * L5. The last line needs no line end.
 * L6. JSON nested deeper than {@link LEVELS} is an invalid request: whoever walks it would run out of stack, and end the session.
 */
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { isDeeperThan } from "../json-depth.ts";

/** Longest line that is read, bytes. */
export const LINE_BYTES = 4 * 1024 * 1024;

/** Deepest nesting of a line. */
export const LEVELS = 256;

const NEWLINE = 0x0a;

/** As much of both ends of a line that is too long as may hold an id. */
const END_BYTES = 256;
/**
 * An id that belongs to the message itself: before any other value but that of `jsonrpc`, or right before the brace that closes the message. One
 * brace closes one object, so an `id` deeper inside cannot stand there.
 */
const ID_FIRST = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d{1,15}|"[^"\\]{0,100}")\s*[,}]/u;
const ID_LAST = /,\s*"id"\s*:\s*(-?\d{1,15}|"[^"\\]{0,100}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/u;

/** JSON-RPC errors that are answered here. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

const idSchema = z.union([z.string(), z.number()]);
/** What the library takes: it passes over all else without a word. */
function isMessage(value: unknown): boolean {
  return [isJSONRPCRequest, isJSONRPCNotification, isJSONRPCResultResponse, isJSONRPCErrorResponse].some(
    (is) => is(value),
  );
}

function idOf(message: unknown): string | number | null {
  return z.object({ id: idSchema }).safeParse(message).data?.id ?? null;
}

/** Passes the messages of `source` on, one line each. `answer` writes a line to the client. */
export async function* messageLines(
  source: AsyncIterable<Buffer>,
  answer: (line: string) => void,
): AsyncGenerator<string> {
  for await (const line of boundedLines(source)) {
    if ("tooLong" in line) {
      const why = `a message is longer than ${LINE_BYTES} bytes: put long texts into files`;
      answer(errorLine(INVALID_REQUEST, why, line.tooLong));
      continue;
    }
    if (line.text.trim() === "") continue;
    const parsed = parse(line.text);
    if (parsed === undefined) {
      answer(errorLine(PARSE_ERROR, "the line is no JSON: one message a line"));
      continue;
    }
    if (isDeeperThan(LEVELS, line.text)) {
      const why = `a message is nested deeper than ${LEVELS} levels: put deep data into files`;
      answer(errorLine(INVALID_REQUEST, why, idOf(parsed.value)));
      continue;
    }
    const messages = Array.isArray(parsed.value) ? parsed.value : [parsed.value];
    if (messages.length === 0) answer(errorLine(INVALID_REQUEST, "the batch is empty"));
    for (const one of messages) {
      if (isMessage(one)) yield JSON.stringify(one);
      else answer(errorLine(INVALID_REQUEST, "this is no JSON-RPC 2.0 message", idOf(one)));
    }
  }
}

/** A line; or of one that was dropped the id, null where it cannot be told. */
type Line = { readonly text: string } | { readonly tooLong: string | number | null };

async function* boundedLines(source: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let line = new LineInMaking();
  for await (const chunk of source) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      line.add(chunk.subarray(from, at));
      yield line.end();
      line = new LineInMaking();
      from = at + 1;
    }
    line.add(chunk.subarray(from));
  }
  yield line.end();
}

/** A line as it comes, in pieces (L1). */
class LineInMaking {
  #parts: Buffer[] = [];
  #size = 0;
  #head = "";
  #tail = Buffer.alloc(0);

  add(part: Buffer): void {
    this.#size += part.length;
    this.#parts.push(part);
    if (this.#size <= LINE_BYTES) return;
    const all = Buffer.concat([this.#tail, ...this.#parts]);
    if (this.#head === "") this.#head = all.toString("utf8", 0, END_BYTES);
    this.#tail = all.subarray(-END_BYTES);
    this.#parts = [];
  }

  end(): Line {
    if (this.#size <= LINE_BYTES) return { text: Buffer.concat(this.#parts).toString("utf8") };
    const [, first] = ID_FIRST.exec(this.#head) ?? [];
    const [, last] = ID_LAST.exec(this.#tail.toString("utf8")) ?? [];
    return { tooLong: idOf({ id: parse(first ?? last ?? "null")?.value }) };
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
