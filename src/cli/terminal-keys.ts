/**
 * Keys of a terminal, one by one, without waiting for the end of a line.
 *
 * T1. The terminal leaves raw mode when listening ends and when the process exits, whichever comes first.
 */
import { emitKeypressEvents } from "node:readline";
import type { ReadStream } from "node:tty";
import type { Key } from "./context.ts";

type Keypress = { readonly name?: string; readonly ctrl?: boolean };

/** Listens on a terminal; the result ends it. */
export function listenForKeys(terminal: ReadStream, listener: (key: Key) => void): () => void {
  const onKeypress = (text: string | undefined, { name = "", ctrl = false }: Keypress): void =>
    listener({ name, text: text ?? "", ctrl });
  const restore = (): void => void terminal.setRawMode(false);
  emitKeypressEvents(terminal);
  terminal.setRawMode(true);
  terminal.on("keypress", onKeypress);
  terminal.resume();
  process.once("exit", restore);
  return () => {
    process.off("exit", restore);
    terminal.off("keypress", onKeypress);
    restore();
    terminal.pause();
  };
}
