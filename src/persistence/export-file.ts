/**
 * Reading what `cfa log --jsonl` printed (docs/log.md, "The exported form"), line by line, however long the file is.
 *
 * X1. Bytes that are not UTF-8, a line without its line feed and a line in other bytes than cfa's are refused.
 */
import { closeSync, openSync, readSync } from "node:fs";
import { BusError } from "./bus-error.ts";
import type { LogRow } from "./chain.ts";
import { decodeRow } from "./codec.ts";
import type { LogFile } from "./log-file.ts";

const CHUNK_BYTES = 1 << 16;
const LINE_FEED = 0x0a;

/** The export in `file`; it is opened when rows are asked for. */
export function exportFile(file: string): LogFile {
  return {
    kind: "export",
    rows: function* (after = -Infinity) {
      let number = 0;
      for (const line of linesOf(file)) {
        number += 1;
        const row = rowOf(line, number, file);
        if (row.seq > after) yield row;
      }
    },
    checkpoint: () => undefined,
    damage: () => undefined,
    close: () => undefined,
  };
}

function rowOf(line: Buffer, number: number, file: string): LogRow {
  if (line.at(-1) !== LINE_FEED)
    throw new BusError(
      "corrupt",
      `${file}: line ${number} is cut short: it lacks its line end; export the log again`,
    );
  const text = utf8(line.subarray(0, -1));
  if (text === undefined)
    throw new BusError("corrupt", `${file}: line ${number} is not UTF-8; export it again`);
  return decodeRow(text, number);
}

/** The text of bytes; undefined when they are not UTF-8. Decoding with replacement would let changed bytes pass. */
export function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The lines of a file, each with its line feed; the last one may lack it. */
function* linesOf(file: string): Generator<Buffer, void, void> {
  const handle = openSync(file, "r");
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let parts: Buffer[] = [];
    for (let size = readSync(handle, chunk); size > 0; size = readSync(handle, chunk)) {
      let from = 0;
      for (let end = chunk.indexOf(LINE_FEED); end >= 0 && end < size; end = chunk.indexOf(LINE_FEED, from)) {
        yield Buffer.concat([...parts, chunk.subarray(from, end + 1)]);
        parts = [];
        from = end + 1;
      }
      if (from < size) parts.push(Buffer.from(chunk.subarray(from, size)));
    }
    if (parts.length > 0) yield Buffer.concat(parts);
  } finally {
    closeSync(handle);
  }
}
