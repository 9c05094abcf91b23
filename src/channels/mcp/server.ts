/**
 * The tool server: what it publishes, and how a call is answered. Both eras of the protocol get the same.
 *
 * S1. Arguments are checked here and not by the library, whose own check would hide the sentence that says what is wrong.
 * S2. No call ends the session: a bug in a tool is an answer of kind `internal_error`.
 */
import { type CallToolResult, Server, type Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { RoleTool } from "../../runtime/agents/port.ts";
import { argumentsOf, roleToolData, runRoleTool } from "./role-tools.ts";
import { type Answer, answerSchema, describeArguments, failure, toolResult } from "./result.ts";
import type { ToolSession } from "./session.ts";
import { ownTools, type OwnTool } from "./tools.ts";

/** With what tools run. */
export type ServerMeans = {
  readonly session: ToolSession;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Aborts when the server ends. */
  readonly over: AbortSignal;
};

const INSTRUCTIONS =
  "These tools are how you talk back to cfa. Calls are gathered and carried out when your turn has ended; answers and replies are your next message. " +
  "So never wait inside a turn: send or ask what is needed and end it. Without a message to your parent, your final text is your reply.";

const PROXY_INSTRUCTIONS =
  "You stand for the human in one question. Say once what becomes of it with `respond`, and end your turn; what the human says is your next message. " +
  "What you print without it is put to the human as it stands, where they may be asked.";

/** A server of the tools of the turn. */
export function toolServer(means: ServerMeans): Server {
  const { session, version } = means;
  const server = new Server(
    { name: "cfa", title: "cfa", version },
    { capabilities: { tools: {} }, instructions: session.facts?.proxy ? PROXY_INSTRUCTIONS : INSTRUCTIONS },
  );
  const own = ownTools(session.facts);
  const role = session.facts?.tools ?? [];
  server.setRequestHandler("tools/list", () => ({
    tools: [...own.map(publishOwn), ...role.map(publishRole)],
  }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }): Promise<CallToolResult> => {
    const given = params.arguments ?? {};
    const mine = own.find(({ name }) => name === params.name);
    const roles = role.find(({ name }) => name === params.name);
    if (mine !== undefined) return toolResult(await answerOwn(mine, session, given));
    if (roles !== undefined) return toolResult(await answerRole(roles, means, given, mcpReq.signal));
    const names = [...own, ...role].map(({ name }) => name).join(", ");
    return toolResult(
      failure(
        "invalid_input",
        `there is no tool ${JSON.stringify(params.name.slice(0, 80))}: the tools are ${names}`,
      ),
    );
  });
  return server;
}

function publishOwn({ name, title, description, verb, ...schemas }: OwnTool): Tool {
  const reads = verb === null;
  return {
    name,
    title,
    description,
    inputSchema: published(z.toJSONSchema(schemas.arguments, { io: "input" })),
    outputSchema: published(answerSchema(bare(z.toJSONSchema(schemas.data)))),
    annotations: { readOnlyHint: reads, destructiveHint: false, idempotentHint: reads, openWorldHint: false },
  };
}

function publishRole({ name, description, schema }: RoleTool): Tool {
  return {
    name,
    description,
    inputSchema: published(schema),
    outputSchema: published(answerSchema(bare(z.toJSONSchema(roleToolData)))),
  };
}

const publishedSchema = z.looseObject({ type: z.literal("object") }).catchall(z.json());

/** A schema as the protocol carries it: JSON, of an object. */
function published(schema: Readonly<Record<string, unknown>>): Tool["inputSchema"] {
  return publishedSchema.parse(schema);
}

/** A schema inside another names no dialect. */
function bare({ $schema: _dialect, ...schema }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return schema;
}

async function answerOwn(tool: OwnTool, session: ToolSession, given: unknown): Promise<Answer> {
  const parsed = tool.arguments.safeParse(given);
  const takes = Object.keys(tool.arguments.shape);
  if (!parsed.success) {
    const sentence = describeArguments(tool.name, parsed.error, takes);
    if (tool.verb !== null) await session.noteRefused(tool.verb, sentence);
    return failure("invalid_input", sentence);
  }
  return guarded(tool.name, () => tool.run(session, given));
}

async function answerRole(
  tool: RoleTool,
  { env, session, over }: ServerMeans,
  given: unknown,
  cancelled: AbortSignal,
): Promise<Answer> {
  const workspace = session.facts?.workspace ?? ".";
  return guarded(tool.name, async () => {
    const parsed = z.fromJSONSchema(tool.schema).safeParse(given);
    if (!parsed.success)
      return failure("invalid_input", describeArguments(tool.name, parsed.error, argumentsOf(tool)));
    return runRoleTool(tool, given, { env, workspace, signal: AbortSignal.any([over, cancelled]) });
  });
}

/** S2. */
async function guarded(tool: string, run: () => Promise<Answer>): Promise<Answer> {
  try {
    return await run();
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    return failure("internal_error", `${tool} failed inside cfa: ${what}`);
  }
}
