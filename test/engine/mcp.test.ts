/** The tool server in a job: found through CFA_MCP by any client, and independent of the status file (docs/mcp.md). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { approve, bodies, EXECUTE, notes, runJob, shell, write, makePlace } from "./fixture.ts";

/** A client in twenty lines: starts what CFA_MCP names, makes the calls of its argument one after the other, prints the answers. */
const CLIENT = `
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
const { command, args, env } = JSON.parse(readFileSync(process.env.CFA_MCP, "utf8")).mcpServers.cfa;
const server = spawn(command, args, { env, stdio: ["pipe", "pipe", "inherit"] });
const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
let id = 0;
const ask = async (method, params) => {
  server.stdin.write(JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }) + "\\n");
  return JSON.parse((await lines.next()).value);
};
await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } });
for (const [name, given] of JSON.parse(process.argv[2])) {
  if (name === "kill") server.kill("SIGKILL");
  else console.log(JSON.stringify((await ask("tools/call", { name, arguments: given })).result.structuredContent));
}
server.stdin.end();
`;

function withClient() {
  const place = makePlace();
  write(place.files, "client.mjs", CLIENT);
  const calls = (...list: readonly unknown[]) =>
    `node ${join(place.files, "client.mjs")} '${JSON.stringify(list)}'`;
  const sandbox = {
    exempt: [{ tool: "node", path: join(place.files, "client.mjs"), reason: "the client of this test" }],
  };
  return { place, calls, sandbox };
}

describe.concurrent("an agent that is a client of MCP", () => {
  test("sends, ends the state and is told what is wrong; the log has its refusals", async () => {
    const { place, calls, sandbox } = withClient();
    const worker = shell(
      calls(
        ["send", { to: "parent", message: "by tool" }],
        ["outcome", {}],
        ["send", { to: "x", message: "y" }],
      ),
      { sandbox },
    );
    const { end, entries } = await runJob(
      { ...EXECUTE, agents: { lead: shell("cat", { roster: ["worker"] }), worker } },
      {
        lead: async (turn) => {
          if (turn.message.kind !== "task") return approve(turn);
          await turn.send({ to: "worker", message: "go" });
          return undefined;
        },
      },
      { place },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    const sent = bodies(entries, "fire").flatMap(({ choice }) => choice?.ps ?? []);
    expect(sent).toContainEqual(
      expect.objectContaining({ message: expect.objectContaining({ body: "by tool" }) }),
    );
    expect(notes(entries).join("\n")).toMatch(/cfa send was refused: there is no "x" that you may send to/);
  });

  test("finds the servers of its role beside that of cfa, and inside its boundary", async () => {
    const place = makePlace();
    write(place.files, "board.sh", 'echo "the board, $1"\n');
    const start = `node -e 'const { mcpServers } = JSON.parse(fs.readFileSync(process.env.CFA_MCP)); const { command, args } = mcpServers.board; console.log(Object.keys(mcpServers) + ": " + child_process.execFileSync(command, args))'`;
    const lead = shell(`${start}; cfa outcome WITHDRAW --reason seen`, {
      role: { mcp: { board: { command: ["sh", join(place.files, "board.sh"), "all"] } } },
    });
    const { entries } = await runJob({ agents: { lead } }, {}, { place });
    expect(bodies(entries, "turn")[0]).toMatchObject({
      result: "ok",
      text: expect.stringContaining("board,cfa: the board, all"),
    });
  });

  test("whose server is killed in mid-turn: the status file is honoured all the same", async () => {
    const { place, calls, sandbox } = withClient();
    const line = `${calls(["list_team", {}], ["kill"])}; mkdir -p .sortie && echo blocked > .sortie/status`;
    const { end } = await runJob({ agents: { lead: shell(line, { sandbox }) } }, {}, { place });
    expect(end).toMatchObject({ kind: "parked", why: expect.stringContaining("blocked in .sortie/status") });
  });
});

test("a call of a process that has outlived its turn is refused: turn.json is gone", async () => {
  const { place, run } = await runJob({}, { lead: approve });
  const outbox = join(place.top, ".cfa/jobs", run.id, "turns/1/1");
  expect(() => readFileSync(join(outbox, "turn.json"))).toThrow(/ENOENT/);
  expect(JSON.parse(readFileSync(join(outbox, "turn-ended.json"), "utf8"))).toMatchObject({
    agent: "lead",
    turn: 1,
  });
});
