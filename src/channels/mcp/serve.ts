/**
 * Serving the tools over standard input and output until the client closes the input.
 *
 * V1. What the client has asked for before it closed is answered; programs of role tools are stopped then.
 * V2. Nothing but protocol goes to standard output.
 */
import { Readable, type Writable } from "node:stream";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Environment } from "../turn.ts";
import { AnsweringTransport } from "./answering-transport.ts";
import { messageLines } from "./lines.ts";
import { toolServer } from "./server.ts";
import { ToolSession } from "./session.ts";

/** Where a server reads and writes. */
export type ServeOptions = {
  readonly env: Environment;
  readonly version: string;
  readonly input: AsyncIterable<Buffer>;
  readonly output: Writable;
  /** Takes what of the protocol went wrong, a sentence each. */
  readonly complain: (sentence: string) => void;
};

/** Serves until the input ends; settles when everything that was asked for is answered (V1). */
export async function serveTools({ env, version, input, output, complain }: ServeOptions): Promise<void> {
  const session = await ToolSession.open(env);
  const over = new AbortController();
  const lines = messageLines(input, (line) => void output.write(line));
  const messages = async function* (): AsyncGenerator<Buffer> {
    for await (const line of lines) yield Buffer.from(`${line}\n`);
    over.abort();
    await wire.answered();
  };
  const wire = new AnsweringTransport(new StdioServerTransport(Readable.from(messages()), output));
  serveStdio(() => toolServer({ session, env, version, over: over.signal }), {
    transport: wire,
    onerror: (error) => complain(error.message),
  });
  await wire.closed;
}
