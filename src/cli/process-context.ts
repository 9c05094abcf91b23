/** The {@link Context} of this very process. */
import { text } from "node:stream/consumers";
import type { ReadStream, WriteStream } from "node:tty";
import type { Context, Input, Output } from "./context.ts";
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
  const input = { isTTY: stream.isTTY ?? false, text: () => text(stream) };
  return input.isTTY ? { ...input, keys: (listener) => listenForKeys(stream, listener) } : input;
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
