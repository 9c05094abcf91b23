/** The {@link Context} of this very process. */
import { text } from "node:stream/consumers";
import type { ReadStream, WriteStream } from "node:tty";
import type { Context, Input, InputBounds, Output } from "./context.ts";
import { listenForKeys } from "./terminal-keys.ts";

/** Made once, by the bin. */
export function processContext(): Context {
  return {
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    stdin: inputOf(process.stdin),
    env: process.env,
    cwd: process.cwd(),
    now: () => new Date(),
    onSignal: (name, listener) => {
      process.on(name, listener);
      return () => process.off(name, listener);
    },
  };
}

function inputOf(stream: ReadStream): Input {
  const read = (bounds?: InputBounds) => (bounds === undefined ? text(stream) : boundedText(stream, bounds));
  const input = { isTTY: stream.isTTY ?? false, text: read };
  return input.isTTY ? { ...input, keys: (listener) => listenForKeys(stream, listener) } : input;
}

/** Reads to the end within bounds; a reading that is given up leaves nothing open that would keep the process. */
async function boundedText(stream: ReadStream, { bytesMax, signal }: InputBounds): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const giveUp = () => void stream.destroy(new Error("standard input did not end in time"));
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    for await (const chunk of stream) {
      const part = Buffer.from(chunk);
      bytes += part.length;
      if (bytes > bytesMax) throw new Error(`standard input is longer than ${bytesMax} bytes`);
      chunks.push(part);
    }
  } finally {
    signal.removeEventListener("abort", giveUp);
    stream.destroy();
  }
  return Buffer.concat(chunks).toString("utf8");
}

function outputOf(stream: WriteStream): Output {
  let broken = false;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
    broken = true;
  });
  return {
    write: (text) => {
      if (!broken) stream.write(text);
    },
    drained: async () => {
      if (broken || !stream.writableNeedDrain) return;
      await new Promise<void>((resolve) => {
        const done = () => {
          stream.off("drain", done).off("error", done).off("close", done);
          resolve();
        };
        stream.on("drain", done).on("error", done).on("close", done);
      });
    },
    isTTY: stream.isTTY ?? false,
    columns: () => stream.columns ?? 80,
    rows: () => stream.rows ?? 24,
    closed: () => broken,
  };
}
