/** Roles of a job file: where they are read, what goes before what, and every mistake with its own file and line. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseDefinition } from "../../../src/job/definition.ts";
import { jobId } from "../../../src/job/id.ts";
import { parseJob } from "../../../src/job/load.ts";
import { JobFileError } from "../../../src/job/mistakes.ts";

let directory = "";
const write = (file: string, text: string | Uint8Array) => {
  const target = path.join(directory, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
};

beforeAll(() => {
  directory = realpathSync(mkdtempSync(path.join(tmpdir(), "cfa-role-")));
  write("roles/lead/SYSTEM.md", "You lead.\n");
  write(
    "roles/lead/role.yaml",
    `tools: [Read, "Bash(git)"]
roster: [writer]
skill: leading
sends: [task, question]
network: full
env: [HOME]
limits: { timeout: 5m }
mcp: { docs: { command: [server.mjs, --fast], env: [TOKEN] } }
`,
  );
  write("roles/lead/server.mjs", "#!/usr/bin/env node\n");
  chmodSync(path.join(directory, "roles/lead/server.mjs"), 0o755);
  write("roles/lead/scripts/report.sh", "#!/bin/sh\n");
  write("roles/lead/skills/review/SKILL.md", "Review.\n");
  write("roles/lead/skills/review/notes/more.md", "More.\n");
  write("roles/writer/SYSTEM.md", "You write.\n");
  write("roles/plain.yaml", "system: Be brief.\nskills: [lead/skills/review]\n");
  write(
    "broken/mistakes.yaml",
    "tools: [Bash(git status), 5]\nnetwork: lan\nsend: [task]\nlimits: { timeout: 5 }\n",
  );
  write("broken/syntax.yaml", "tools: [Read\n");
  write("broken/from.yaml", "from: ../roles/lead\n");
  write("broken/kinds.yaml", "system: x\nroster: [nobody]\nsends: [reply]\nreceives: []\n");
  write("broken/mcp.yaml", "mcp:\n  cfa: { command: [node] }\n  docs: { command: [no-such-program] }\n");
  write("broken/files.yaml", "scripts: [none.sh, picture.png]\nskills: [empty, Bad_Name, linked]\n");
  write("broken/picture.png", Uint8Array.of(0xff, 0xfe));
  write("broken/empty/x.md", "");
  write("broken/Bad_Name/SKILL.md", "");
  write("broken/linked/SKILL.md", "");
  symlinkSync("/etc/passwd", path.join(directory, "broken/linked/passwd"));
  mkdirSync(path.join(directory, "nothing"));
});
afterAll(() => rmSync(directory, { recursive: true }));

const load = (lines: string) => parseJob(lines, { file: "job.yaml", directory }).definition;

/** A job whose lead is written so; the writer beside it plays steps. */
const job = (lead: string, writer = "{ adapter: script, steps: [{ say: done }] }") =>
  `request: Greet.\nagents:\n  lead: ${lead}\n  writer: ${writer}\n`;

function mistakes(lines: string): readonly string[] {
  try {
    load(lines);
  } catch (error) {
    if (error instanceof JobFileError) return error.message.split("\n");
    throw error;
  }
  return [];
}

describe("a role in a folder", () => {
  test("brings prompt, rules, scripts, skills, servers, team, kinds, network, environment and limits", () => {
    const { agents } = load(job("{ run: [sh], role: ./roles/lead }"));
    expect(agents["lead"]).toEqual({
      adapter: "command",
      run: ["sh"],
      sandbox: "required",
      exempt: [],
      roster: ["writer"],
      skill: "leading",
      fallback: null,
      network: "full",
      env: ["HOME"],
      prompt: "message",
      tools: [],
      role: {
        source: "./roles/lead",
        system: "You lead.\n",
        tools: ["Read", "Bash(git)"],
        files: [
          { path: "scripts/report.sh", text: "#!/bin/sh\n" },
          { path: "skills/review/SKILL.md", text: "Review.\n" },
          { path: "skills/review/notes/more.md", text: "More.\n" },
        ],
        sends: ["task", "question"],
        receives: ["task", "reply"],
        limits: { timeout: 300_000, stall: null },
        mcp: { docs: { command: [path.join(directory, "roles/lead/server.mjs"), "--fast"], env: ["TOKEN"] } },
      },
    });
    expect(agents["writer"]).not.toHaveProperty("role");
  });

  test("needs nothing but a system prompt", () => {
    const { agents } = load(job("{ run: [sh] }", "{ run: [sh], role: roles/writer }"));
    expect(agents["writer"]?.role).toMatchObject({ system: "You write.\n", tools: null, files: [] });
  });

  test("comes back from a log as it went in", () => {
    const definition = load(job("{ run: [sh], role: ./roles/lead }"));
    expect(parseDefinition(JSON.parse(JSON.stringify(definition)))).toEqual(definition);
  });
});

describe("what goes before what", () => {
  test.each([
    ["the agent before its role", "{ run: [sh], role: roles/lead, network: none, env: [], roster: [] }"],
    [
      "the agent before what stands in job.yaml",
      "{ run: [sh], role: { from: roles/lead, network: loopback }, network: none, env: [], roster: [] }",
    ],
    [
      "job.yaml before the folder",
      "{ run: [sh], role: { from: roles/lead, network: none, env: [], roster: [] } }",
    ],
  ])("%s", (_name, lead) => {
    expect(load(job(lead)).agents["lead"]).toMatchObject({
      network: "none",
      env: [],
      roster: [],
      skill: "leading",
    });
  });

  test("a list in job.yaml takes the place of the folder's, and is read beside job.yaml", () => {
    const { agents } = load(
      job("{ run: [sh], role: { from: roles/lead, tools: [], scripts: [roles/lead/server.mjs] } }"),
    );
    expect(agents["lead"]?.role).toMatchObject({ tools: [], system: "You lead.\n", source: "roles/lead" });
    expect(agents["lead"]?.role?.files.map((file) => file.path)).toEqual([
      "scripts/server.mjs",
      "skills/review/SKILL.md",
      "skills/review/notes/more.md",
    ]);
  });

  test("a role in a file; one that stands in job.yaml alone", () => {
    const { agents } = load(
      job("{ run: [sh], role: roles/plain.yaml }", "{ run: [sh], role: { system: Write. } }"),
    );
    expect(agents["lead"]?.role).toMatchObject({ system: "Be brief.", source: "roles/plain.yaml" });
    expect(agents["lead"]?.role?.files).toHaveLength(2);
    expect(agents["writer"]?.role).toMatchObject({ system: "Write.", source: null });
  });

  test("an agent that plays steps takes no network and no environment from a role", () => {
    const { agents } = load(job("{ adapter: script, steps: [{ say: done }], role: roles/lead }"));
    expect(agents["lead"]).toMatchObject({ roster: ["writer"], role: { system: "You lead.\n" } });
    expect(agents["lead"]).not.toHaveProperty("network");
  });
});

describe("mistakes", () => {
  test.each([
    [
      "a path to nothing",
      "{ run: [sh], role: roles/none }",
      ["job.yaml:3:28: there is no role roles/none (write"],
    ],
    [
      "a folder without a role",
      "{ run: [sh], role: nothing }",
      ["job.yaml:3:28: the folder nothing is no role (it needs"],
    ],
    ["a number", "{ run: [sh], role: 5 }", ["job.yaml:3:28: agents.lead.role must be the path of a role"]],
    [
      "another type in job.yaml",
      "{ run: [sh], role: { tools: Read } }",
      ["job.yaml:3:37: tools must be a list"],
    ],
    [
      "an unknown key in job.yaml",
      "{ run: [sh], role: { tool: [] } }",
      ['job.yaml:3:30: unknown key "tool" (did you mean "tools"?)'],
    ],
    [
      "every mistake of a role file at once",
      "{ run: [sh], role: broken/mistakes.yaml }",
      [
        "broken/mistakes.yaml:1:9: tools[0] must be a tool such as Read, Bash(git) or mcp__docs__*",
        "broken/mistakes.yaml:1:27: tools[1] must be a tool",
        'broken/mistakes.yaml:2:10: network must be one of none, loopback, full, not "lan"',
        'broken/mistakes.yaml:3:1: unknown key "send" (did you mean "sends"?)',
        "broken/mistakes.yaml:4:20: limits.timeout must be a duration",
      ],
    ],
    ["no YAML", "{ run: [sh], role: broken/syntax.yaml }", ["broken/syntax.yaml:"]],
    [
      "a file that goes on from another",
      "{ run: [sh], role: broken/from.yaml }",
      ["broken/from.yaml:1:1: a role file cannot go on"],
    ],
    [
      "names and kinds, in the file that says them",
      "{ run: [sh], role: broken/kinds.yaml }",
      [
        "job.yaml:3:28: lead leads INTENT, PLAN, EXECUTE, but its role receives no task",
        'broken/kinds.yaml:2:10: the roster of lead names "nobody", which is no agent of this job',
        "broken/kinds.yaml:2:9: lead has a roster, but its role sends no task",
        "broken/kinds.yaml:2:9: lead has a roster, but its role receives no reply",
      ],
    ],
    [
      "the server that cfa has itself, and a program that there is not",
      "{ run: [sh], role: broken/mcp.yaml }",
      ["broken/mcp.yaml:2:3: mcp.cfa is the name of cfa's own server: choose another"],
    ],
    [
      "scripts and skills that cannot be read",
      "{ run: [sh], role: broken/files.yaml }",
      [
        "broken/files.yaml:1:11: scripts: none.sh does not exist",
        "broken/files.yaml:1:20: scripts: picture.png is not UTF-8 text",
        "broken/files.yaml:2:10: skills: empty holds no SKILL.md",
        "broken/files.yaml:2:17: skills: Bad_Name is no name for a skill",
        "broken/files.yaml:2:27: skills: linked/passwd is neither a file nor a folder",
      ],
    ],
    [
      "together with those of job.yaml",
      "{ run: [nodee], role: { network: lan } }",
      ["job.yaml:3:17: agents.lead.run: there is no program", "job.yaml:3:42: network must be one of none"],
    ],
  ])("%s", (_name, lead, expected) => {
    const found = mistakes(job(lead));
    expect(found).toHaveLength(expected.length);
    for (const [index, sentence] of expected.entries()) expect(found[index]).toContain(sentence);
  });

  test("a roster that names an agent whose role receives no task", () => {
    const [only, ...more] = mistakes(
      job(
        "{ run: [sh], roster: [writer] }",
        "{ adapter: script, steps: [{ say: done }], role: { receives: [] } }",
      ),
    );
    expect(only).toContain("job.yaml:3:31: the roster of lead names writer, whose role receives no task");
    expect(more).toEqual([]);
  });
});

describe("the id of a job", () => {
  const id = (lines: string) => jobId(load(lines), "0".repeat(40));

  test("depends on what a role says, not only on where it is", () => {
    const lines = job("{ run: [sh] }", "{ run: [sh], role: roles/writer }");
    const before = id(lines);
    expect(id(lines)).toBe(before);
    write("roles/writer/SYSTEM.md", "You write well.\n");
    const changed = id(lines);
    expect(changed).not.toBe(before);
    write("roles/writer/skills/one/SKILL.md", "One.\n");
    expect(id(lines)).not.toBe(changed);
  });
});
