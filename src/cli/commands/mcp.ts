/** `cfa mcp`: the tools of a turn, served to its agent over standard input and output (docs/mcp.md). */
import { serveTools } from "../../channels/mcp/serve.ts";
import { type Context, say } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { VERSION } from "../version.ts";

/** Serves until the client closes standard input. */
export async function mcpCommand({ env, stderr }: Context): Promise<number> {
  await serveTools({
    env,
    version: VERSION,
    input: process.stdin,
    output: process.stdout,
    complain: (sentence) => say(stderr, `cfa mcp: ${sentence}`),
  });
  return EXIT.completed;
}
