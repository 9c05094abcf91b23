/** What an agent gets of its role: files outside of any worktree, a hook that fails closed, a program's environment. */
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { claudeFlags, claudeSettings } from "../../../src/engine/agent-home/claude.ts";
import { codexConfig } from "../../../src/engine/agent-home/codex.ts";
import { homeOf, grantOf } from "../../../src/engine/agent-home/home.ts";
import { makeAgentHomes } from "../../../src/engine/agent-home/make.ts";
import type { JobDefinition } from "../../../src/job/definition.ts";
import { TURN_VARIABLES } from "../../../src/runtime/agents/command.ts";
import { MAIN } from "../../cli/fixture.ts";
import {
  bodies,
  definitionOf,
  EXECUTE,
  makeEngine,
  makePlace,
  type Place,
  read,
  runJob,
  shell,
  write,
} from "../fixture.ts";

const ROLE = {
  system: "You lead.",
  tools: ["Read", "Bash(git)", "mcp__docs__*"],
  scripts: ["report.sh"],
  skills: ["review"],
  sends: ["task", "reply"],
  mcp: { docs: { command: ["node", "--version"] } },
  limits: { timeout: "7m" },
};

function place(): Place {
  const made = makePlace();
  write(made.files, "report.sh", "#!/bin/sh\necho reported\n");
  write(made.files, "review/SKILL.md", "Review.\n");
  return made;
}

const job = (at: Place, line: string, role: object = ROLE, sandbox = "advisory"): JobDefinition =>
  definitionOf(at, { ...EXECUTE, agents: { lead: shell(line, { role, sandbox }) } });

const CFA = { run: [process.execPath, MAIN], executable: "/opt/bin/cfa" };

async function made(role: object = ROLE) {
  const at = place();
  const definition = job(at, "true", role);
  const directory = join(at.files, "agents");
  const homes = await makeAgentHomes(directory, definition, CFA);
  return { at, definition, directory, homes, home: homeOf(directory, "lead") };
}

describe("the folder of an agent", () => {
  test("holds what the role brings, the grant, and a client's configuration", async () => {
    const { directory, home } = await made();
    const files = readdirSync(join(directory, "lead"), { recursive: true, encoding: "utf8" });
    expect(files.filter((file) => lstatSync(join(directory, "lead", file)).isFile()).sort()).toEqual([
      "claude-config/settings.json",
      "claude-config/skills/review/SKILL.md",
      "claude-mcp.json",
      "claude-settings.json",
      "codex-home/config.toml",
      "codex-home/hooks.json",
      "codex-home/skills/review/SKILL.md",
      "grant.json",
      "role/SYSTEM.md",
      "role/scripts/report.sh",
      "role/skills/review/SKILL.md",
    ]);
    expect(JSON.parse(read(home.grant, ""))).toEqual({
      version: 1,
      agent: "lead",
      tools: ["Read", "Bash(git)", "mcp__docs__*"],
      servers: ["docs"],
      scripts: ["report.sh"],
      read: [home.role, join(home.claudeConfig, "skills"), join(home.codexHome, "skills")],
      write: [],
      network: "none",
    });
  });

  test("is made again as it was, whatever became of it, and a session that a client keeps there stays", async () => {
    const { definition, directory, home } = await made();
    writeFileSync(join(home.role, "SYSTEM.md"), "You obey me.");
    writeFileSync(join(home.role, "scripts", "more.sh"), "");
    rmSync(home.grant);
    symlinkSync(join(directory, "elsewhere"), home.grant);
    mkdirSync(join(home.claudeConfig, "projects"));
    await makeAgentHomes(directory, definition, CFA);
    expect(read(home.role, "SYSTEM.md")).toBe("You lead.");
    expect(readdirSync(join(home.role, "scripts"))).toEqual(["report.sh"]);
    expect(lstatSync(home.grant).isFile()).toBe(true);
    expect(existsSync(join(directory, "elsewhere"))).toBe(false);
    expect(readdirSync(home.claudeConfig)).toContain("projects");
  });

  test("is made for agents that have a role only", async () => {
    const at = place();
    const homes = await makeAgentHomes(join(at.files, "agents"), definitionOf(at), CFA);
    expect([homes.size, existsSync(join(at.files, "agents"))]).toEqual([0, false]);
  });
});

describe("Claude Code", () => {
  test("checks every tool before it runs, and takes a hook that fails for a refusal", async () => {
    const { home } = await made();
    const settings = JSON.parse(read(home.claudeSettings, ""));
    expect(settings.disableAllHooks).toBe(false);
    expect(settings.hooks.PreToolUse).toEqual([
      {
        matcher: "*",
        hooks: [{ type: "command", command: expect.any(String), timeout: 30, onFailure: "block" }],
      },
    ]);
    expect(read(home.claudeConfig, "settings.json")).toBe(read(home.claudeSettings, ""));
  });

  test("runs a hook that really holds the agent to its role", async () => {
    const { at, home } = await made();
    const [{ hooks }] = JSON.parse(read(home.claudeSettings, "")).hooks.PreToolUse;
    const hook = async (tool_name: string, tool_input: object) => {
      const input = JSON.stringify({ tool_name, tool_input, cwd: at.top });
      const env = { CFA_WORKSPACE: at.top };
      return (await execa("sh", ["-c", hooks[0].command], { input, env, reject: false })).exitCode;
    };
    expect(await hook("Read", { file_path: "text.txt" })).toBe(0);
    expect(await hook("Read", { file_path: join(home.role, "SYSTEM.md") })).toBe(0);
    expect(await hook("Read", { file_path: home.grant })).toBe(2);
    expect(await hook("Write", { file_path: "text.txt" })).toBe(2);
    expect(await hook("Bash", { command: "git status && report.sh" })).toBe(0);
    expect(await hook("Bash", { command: "rm text.txt" })).toBe(2);
  });

  test.each([
    [
      "the tools of the role, in its own words",
      ["Read", "Bash(git)", "mcp__docs__*"],
      ["Read", "Bash(git:*)", "mcp__docs", "mcp__cfa"],
    ],
    ["a beginning", ["Notebook*"], ["NotebookRead", "NotebookEdit", "mcp__cfa"]],
    ["none but the channel", [], ["mcp__cfa"]],
  ])("is allowed %s", async (_name, tools, allow) => {
    const { definition, home } = await made({ ...ROLE, tools });
    const lead = definition.agents["lead"];
    if (lead?.role === undefined) throw new Error("no role");
    const { permissions } = claudeSettings(grantOf("lead", lead, lead.role, home), "hook");
    expect(permissions.allow).toEqual(allow);
  });

  test("gets the servers of the role, and cfa's own as the configuration of a turn has it", async () => {
    const { home } = await made();
    const docs = { command: "node", args: ["--version"] };
    const cfa = { type: "stdio", command: "/opt/bin/cfa", args: ["mcp"], env: {} };
    expect(JSON.parse(read(home.claudeMcp, ""))).toEqual({ mcpServers: { docs, cfa } });
  });

  test("is told by flags to read this configuration and none of the worktree", async () => {
    const { definition, home } = await made();
    const role = definition.agents["lead"]?.role;
    if (role === undefined) throw new Error("no role");
    const files = [
      "--settings",
      home.claudeSettings,
      "--setting-sources",
      "user",
      "--mcp-config",
      home.claudeMcp,
    ];
    const flags = [...files, "--strict-mcp-config", "--permission-mode", "dontAsk"];
    const prompt = ["--append-system-prompt", "You lead.", "--system-prompt-snapshot", "off"];
    expect(claudeFlags(home, role)).toEqual([...flags, "--tools", "Read,Bash", ...prompt]);
    expect(claudeFlags(home, { ...role, tools: null, system: null })).toEqual(flags);
    expect(claudeFlags(home, { ...role, tools: ["*"], system: null })).toEqual(flags);
  });
});

describe("Codex", () => {
  const withServer = { ...ROLE, mcp: { "own-docs": { command: ["node", "--version"], env: ["TOKEN"] } } };

  test("has its sandbox, the system prompt and the servers of the role, cfa's own included, in a home of its own", async () => {
    const { home } = await made({ ...withServer, system: 'You "lead".\n\u007f' });
    expect(read(home.codexConfig, "").split("\n")).toEqual([
      'approval_policy = "never"',
      'sandbox_mode = "workspace-write"',
      "project_doc_max_bytes = 0",
      'developer_instructions = "You \\"lead\\".\\n\\u007f"',
      "",
      "[sandbox_workspace_write]",
      "network_access = false",
      "exclude_slash_tmp = true",
      "exclude_tmpdir_env_var = true",
      "writable_roots = []",
      "",
      "[mcp_servers.own-docs]",
      'command = "node"',
      'args = ["--version"]',
      'env_vars = ["TOKEN"]',
      "",
      "[mcp_servers.cfa]",
      'command = "/opt/bin/cfa"',
      'args = ["mcp"]',
      `env_vars = [${TURN_VARIABLES.map((name) => `"${name}"`).join(", ")}]`,
      "required = true",
      'default_tools_approval_mode = "approve"',
      "",
    ]);
  });

  test("reaches the network from its programs only where the role does", async () => {
    const { definition, home } = await made();
    const lead = definition.agents["lead"];
    if (lead?.role === undefined) throw new Error("no role");
    const grant = { ...grantOf("lead", lead, lead.role, home), network: "full" as const };
    expect(codexConfig(lead.role, grant, "cfa")).toContain("network_access = true");
  });

  test("runs the hook of every client before every tool", async () => {
    const { home } = await made();
    const [claude] = JSON.parse(read(home.claudeSettings, "")).hooks.PreToolUse;
    const [codex] = JSON.parse(read(home.codexHooks, "")).hooks.PreToolUse;
    expect(codex.matcher).toBe("*");
    expect(codex.hooks[0].command).toBe(claude.hooks[0].command);
  });
});

describe("a program", () => {
  const APPROVE = 'mkdir -p .cfa; echo \'{"outcome":"APPROVED_WORK","reason":"ok"}\' > .cfa/outcome.json';

  test.each(["advisory", "required"])(
    "finds system prompt, skills and scripts of its role, and cannot send what the role does not send: %s",
    async (sandbox) => {
      const at = place();
      const lines = [
        'cat "$CFA_ROLE_DIR/SYSTEM.md" "$CFA_ROLE_DIR/skills/review/SKILL.md" > seen.txt',
        "report.sh >> seen.txt",
        'test "$CFA_WORKSPACE" = "$PWD" && echo here >> seen.txt',
        "cfa ask why 2>> seen.txt",
        APPROVE,
      ];
      const engine = makeEngine();
      const run = await engine.start(job(at, lines.join("\n"), ROLE, sandbox));
      expect(await run.end).toMatchObject({ kind: "ended", state: "DONE" });
      const { stdout } = await execa("git", ["-C", at.top, "show", `cfa/${run.id}:seen.txt`]);
      expect(stdout.split("\n")).toEqual([
        "You lead.Review.",
        "reported",
        "here",
        "refused: the role of lead sends no question: decide yourself, and say what you assumed",
      ]);
    },
  );

  test("inside a boundary cannot change what its role brings, nor what the tool check holds it to", async () => {
    const at = place();
    const lines = [
      "for file in role/SYSTEM.md role/scripts/more.sh grant.json claude-settings.json claude-mcp.json \\",
      "  claude-config/settings.json claude-config/skills/review/SKILL.md claude-config/skills/new \\",
      "  codex-home/config.toml codex-home/hooks.json codex-home/skills/review/SKILL.md; do",
      '  (echo x >> "$CFA_ROLE_DIR/../$file") 2>/dev/null && echo "$file" >> changed.txt',
      "done",
      'rm -f "$CFA_ROLE_DIR/../codex-home/config.toml" 2>/dev/null && echo removed >> changed.txt',
      'touch "$CFA_ROLE_DIR/../claude-config/session" "$CFA_ROLE_DIR/../codex-home/session" && echo kept >> changed.txt',
      APPROVE,
    ];
    const run = await makeEngine().start(job(at, lines.join("\n"), ROLE, "required"));
    expect(await run.end).toMatchObject({ kind: "ended", state: "DONE" });
    const { stdout } = await execa("git", ["-C", at.top, "show", `cfa/${run.id}:changed.txt`]);
    expect(stdout).toBe("kept");
  });

  test("has the team and the limits of its role, and the log's first entry says so", async () => {
    const at = place();
    const roles = { lead: shell("cat", { role: { ...ROLE, roster: ["helper"] } }), helper: shell("cat") };
    const { entries } = await runJob(
      { ...EXECUTE, agents: roles },
      { lead: (turn) => turn.outcome("APPROVED_WORK", "ok"), helper: () => undefined },
      { place: at },
    );
    const [open] = bodies(entries, "open");
    expect(open?.rosters).toMatchObject({ lead: ["helper"] });
    expect(open?.definition).toMatchObject({ agents: { lead: { role: { limits: { timeout: 420_000 } } } } });
  });
});
