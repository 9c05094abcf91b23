/**
 * What a program prints: kept whole on disk up to a bound, and its end in memory.
 *
 * O1. The stream file gets the bytes of both descriptors as they come, interleaved as on a terminal; it is only appended to.
 *     At {@link STREAM_BYTES} it ends with a line that says so; the program may print on.
 * O2. Memory is bounded: the last {@link TEXT_BYTES} of standard output, the last {@link COMPLAINT_BYTES} of standard error.
 * O3. Reading waits for writing, so a flood slows the program and not cfa.
 * O4. Output that cannot be kept (a full disk) never ends the program; it is named in {@link ProgramOutput.problem}.
 */
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { isErrno } from "../../soup/errno.ts";

/** Longest final text of a program, bytes; of more only the end is kept, with a remark. */
export const TEXT_BYTES = 1024 * 1024;
/** Longest stream file, bytes. */
export const STREAM_BYTES = 64 * 1024 * 1024;
const COMPLAINT_BYTES = 4096;
const LINE_CHARS = 1000;
const LINES_PER_CHUNK = 16;

/** The end of a sequence of bytes. */
class Tail {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #kept = 0;
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#kept += chunk.length;
    this.#total += chunk.length;
    for (
      let [first] = this.#chunks;
      first && this.#kept - first.length >= this.#limit;
      [first] = this.#chunks
    ) {
      this.#chunks.shift();
      this.#kept -= first.length;
    }
    // A program that prints byte by byte must not cost an object for each.
    if (this.#chunks.length > 512) this.#chunks = [Buffer.concat(this.#chunks)];
  }

  /** The kept end as text, and how many bytes were left out before it. Invalid UTF-8 becomes U+FFFD. */
  read(): { readonly text: string; readonly cut: number } {
    const bytes = Buffer.concat(this.#chunks);
    let start = Math.max(0, bytes.length - this.#limit);
    // Cut between characters: a byte 10xxxxxx continues one.
    if (this.#total > this.#limit) while (((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
    return { text: bytes.toString("utf8", start), cut: this.#total - (bytes.length - start) };
  }
}

/** The output of one program. */
export class ProgramOutput {
  readonly #file: FileHandle;
  readonly #onLine: (line: string) => void;
  readonly #limit: number;
  readonly #stdout = new Tail(TEXT_BYTES);
  readonly #stderr = new Tail(COMPLAINT_BYTES);
  #size: number;
  /** Nothing more is appended. */
  #closed = false;
  #problem: string | undefined;

  private constructor(file: FileHandle, size: number, limit: number, onLine: (line: string) => void) {
    this.#file = file;
    this.#size = size;
    this.#limit = limit;
    this.#onLine = onLine;
  }

  /**
   * Opens the stream file for appending and makes it where there is none. `onLine` gets lines as they come, not all of them
   * under load. Rejects when the file cannot be opened.
   */
  static async open(
    path: string,
    onLine: (line: string) => void,
    limit = STREAM_BYTES,
  ): Promise<ProgramOutput> {
    const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
    const file = await open(path, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o644);
    return new ProgramOutput(file, (await file.stat()).size, limit, onLine);
  }

  /** Takes what one descriptor of the program gives, to its end or until it is destroyed. */
  async take(source: Readable, descriptor: "stdout" | "stderr"): Promise<void> {
    const tail = descriptor === "stdout" ? this.#stdout : this.#stderr;
    const decoder = new StringDecoder("utf8");
    let partial = "";
    try {
      for await (const chunk of source) {
        if (!Buffer.isBuffer(chunk)) continue;
        tail.push(chunk);
        partial = this.#showLines(partial + decoder.write(chunk));
        await this.#append(chunk);
      }
    } catch (error) {
      // Destroyed by runProgram: somebody outside the tree still holds the descriptor.
      if (!isErrno(error, "ERR_STREAM_PREMATURE_CLOSE")) throw error;
    }
    this.#showLines(`${partial}${decoder.end()}\n`);
  }

  /** Standard output as the final text of a turn, without the line end at its end; says so when its beginning was cut. */
  text(): string {
    const { text, cut } = this.#stdout.read();
    const remark = cut === 0 ? "" : `[cfa: the first ${cut} bytes of this output are left out]\n`;
    return remark + text.replace(/\r?\n$/, "");
  }

  /** The last line on standard error that is not blank; empty when there is none. */
  complaint(): string {
    return (
      this.#stderr
        .read()
        .text.split("\n")
        .findLast((line) => line.trim() !== "")
        ?.trim() ?? ""
    );
  }

  /** Why not everything stands in the stream file, one sentence; undefined when it does or was cut at its bound. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Closes the stream file. */
  async close(): Promise<void> {
    await this.#file.close();
  }

  #showLines(text: string): string {
    const lines = text.split("\n");
    const partial = lines.pop() ?? "";
    const shown = lines.filter((line) => line.trim() !== "").slice(-LINES_PER_CHUNK);
    for (const line of shown) this.#onLine(line.trimEnd().slice(0, LINE_CHARS));
    return partial.slice(0, LINE_CHARS);
  }

  async #append(chunk: Buffer): Promise<void> {
    if (this.#closed) return;
    const room = Math.max(0, this.#limit - this.#size);
    // Counted before the write: the other descriptor may come in between.
    this.#size += chunk.length;
    this.#closed = chunk.length > room;
    const remark = Buffer.from(`\n[cfa: output beyond ${this.#limit} bytes is not kept]\n`);
    try {
      await this.#file.appendFile(this.#closed ? Buffer.concat([chunk.subarray(0, room), remark]) : chunk);
    } catch (error) {
      if (!isErrno(error, "ENOSPC", "EDQUOT", "EFBIG", "EIO")) throw error;
      this.#closed = true;
      this.#problem = `the output is not kept from here on: ${error instanceof Error ? error.message : ""}`;
    }
  }
}
