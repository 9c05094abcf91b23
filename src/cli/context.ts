/**
 * What a command may touch of the process that it runs in. Commands get it as an argument, so that tests give their own.
 *
 * X1. Data goes to `stdout`, everything else to `stderr`.
 * X2. A reader that goes away (`cfa log | head`) is no error: what is written afterwards is lost, and `closed` says so.
 */

/** Where text goes. */
export type Output = {
  readonly write: (text: string) => void;
  /** Settles when a long output has been taken; wait for it in loops. */
  readonly drained: () => Promise<void>;
  readonly isTTY: boolean;
  /** Width and height in cells; 80 by 24 where there is no terminal. */
  readonly columns: () => number;
  readonly rows: () => number;
  /** Nobody reads any more (X2). */
  readonly closed: () => boolean;
};

/** A key that was pressed: its name (`left`, `return`, `a`), and the text that it types, if any. */
export type Key = { readonly name: string; readonly text: string; readonly ctrl: boolean };

/** Bounds on reading standard input to its end; a reading that breaks one rejects. */
export type InputBounds = { readonly bytesMax: number; readonly signal: AbortSignal };

/** Standard input. */
export type Input = {
  readonly isTTY: boolean;
  readonly text: (bounds?: InputBounds) => Promise<string>;
  /** Calls `listener` with each key as it is pressed. Returns the end of that. Absent without a terminal. */
  readonly keys?: (listener: (key: Key) => void) => () => void;
};

/** Signals that a command may handle; SIGWINCH says that the terminal has another size. */
export type SignalName = "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGWINCH";

/** See the header. */
export type Context = {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Working directory, absolute. */
  readonly cwd: string;
  readonly now: () => Date;
  /** Calls `listener` on a signal, instead of dying of it. Returns the end of that. */
  readonly onSignal: (name: SignalName, listener: () => void) => () => void;
};

/** Writes one line. */
export function say(output: Output, line: string): void {
  output.write(`${line}\n`);
}
