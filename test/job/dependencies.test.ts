/** depends_on and wait_for in job files and roles: what is taken, and every way to get them wrong (docs/files-dependencies.md). */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { parseDefinition } from "../../src/job/definition.ts";
import { parseJob } from "../../src/job/load.ts";
import { JobFileError } from "../../src/job/mistakes.ts";

let directory = "";
beforeAll(() => {
  directory = realpathSync(mkdtempSync(path.join(tmpdir(), "cfa-needs-")));
  mkdirSync(path.join(directory, "role"));
  writeFileSync(path.join(directory, "role/role.yaml"), "system: Analyse.\nwait_for:\n  - collector\n");
});
afterAll(() => rmSync(directory, { recursive: true }));

type Agents = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
const files = (keys: Readonly<Record<string, unknown>> = {}) => ({ adapter: "files", run: ["sh"], ...keys });
const data = (keys: Readonly<Record<string, unknown>> = {}) => ({
  agent: "collector",
  outputs: ["outbox/data.json"],
  ...keys,
});

/** A job of a lead that may open all these agents, of whom `collector` and `validator` are there anyway. */
const load = (agents: Agents) =>
  parseJob(
    stringify({
      request: "Do it.",
      agents: {
        lead: {
          run: ["sh"],
          roster: [...new Set(["collector", "validator", ...Object.keys(agents)])].filter(
            (name) => name !== "lead",
          ),
        },
        collector: files(),
        validator: files(),
        ...agents,
      },
    }),
    { file: "job.yaml", directory },
  );

function mistakes(agents: Agents): readonly string[] {
  try {
    load(agents);
  } catch (error) {
    if (error instanceof JobFileError) return error.message.split("\n");
    throw error;
  }
  return [];
}

describe("what an agent waits for", () => {
  it("stands in the job as it runs, and in its log", () => {
    const analyst = files({
      depends_on: [data({ outputs: ["outbox/data.json", "outbox/more/"], copy_to: "inbox/source_data/" })],
      wait_for: ["collector", "validator"],
    });
    const { definition } = load({ analyst });
    expect(definition.agents["analyst"]).toMatchObject({
      depends_on: [
        { agent: "collector", outputs: ["outbox/data.json", "outbox/more/"], copy_to: "inbox/source_data/" },
      ],
      wait_for: ["collector", "validator"],
    });
    expect(parseDefinition(JSON.parse(JSON.stringify(definition)))).toEqual(definition);
  });

  it("is nobody, unless the file says otherwise; files go to the inbox itself", () => {
    expect(load({}).definition.agents["collector"]).toMatchObject({ depends_on: [], wait_for: [] });
    expect(load({ analyst: files({ depends_on: [data()] }) }).definition.agents["analyst"]).toMatchObject({
      depends_on: [{ copy_to: "inbox/" }],
    });
  });

  it("may come from its role; what stands with the agent goes before it", () => {
    expect(load({ analyst: files({ role: "role" }) }).definition.agents["analyst"]).toMatchObject({
      wait_for: ["collector"],
    });
    const own = load({ analyst: files({ role: "role", wait_for: ["validator"] }) });
    expect(own.definition.agents["analyst"]).toMatchObject({ wait_for: ["validator"] });
  });
});

describe("a mistake is told with what to write instead", () => {
  const analyst = (keys: Readonly<Record<string, unknown>>) => ({ analyst: files(keys) });
  const OUTPUT = "must be a path below outbox/";
  const PLACE = "must be inbox/ or a folder below it";
  it.each<[string, Agents, string]>([
    [
      "an unknown agent",
      analyst({ wait_for: ["colector"] }),
      'agents.analyst.wait_for names "colector", which is no agent of this job',
    ],
    [
      "an unknown agent with files",
      analyst({ depends_on: [data({ agent: "ghost" })] }),
      'agents.analyst.depends_on names "ghost"',
    ],
    [
      "itself",
      analyst({ wait_for: ["analyst"] }),
      "agents wait for each other in a circle: analyst → analyst",
    ],
    [
      "a circle over both keys",
      {
        ...analyst({ depends_on: [data()] }),
        collector: files({ wait_for: ["validator"] }),
        validator: files({ wait_for: ["analyst"] }),
      },
      "agents wait for each other in a circle: collector → validator → analyst → collector",
    ],
    [
      "an agent that is not in the roster of whoever opens both",
      { lead: { run: ["sh"], roster: ["analyst"] }, ...analyst({ wait_for: ["collector"] }) },
      "analyst needs collector, and lead may open analyst but not collector",
    ],
    [
      "files of an agent without an outbox",
      { ...analyst({ depends_on: [data({ agent: "lead" })] }) },
      "analyst depends on files of lead, which has no outbox",
    ],
    [
      "two files in one place",
      analyst({ depends_on: [data(), data({ agent: "validator" })] }),
      "outbox/data.json of validator would stand at inbox/data.json in the home of analyst, as outbox/data.json of collector does",
    ],
    [
      "a file in the place of cfa's",
      analyst({ depends_on: [data({ outputs: ["outbox/instructions.md"] })] }),
      "would stand at inbox/instructions.md in the home of analyst, as cfa itself does",
    ],
    ["an output elsewhere", analyst({ depends_on: [data({ outputs: ["workspace/x"] })] }), OUTPUT],
    ["an output above", analyst({ depends_on: [data({ outputs: ["outbox/../status.json"] })] }), OUTPUT],
    ["an absolute output", analyst({ depends_on: [data({ outputs: ["/etc/passwd"] })] }), OUTPUT],
    ["all of the outbox", analyst({ depends_on: [data({ outputs: ["outbox/"] })] }), OUTPUT],
    ["no output", analyst({ depends_on: [data({ outputs: [] })] }), "must name a file of outbox/"],
    ["a place elsewhere", analyst({ depends_on: [data({ copy_to: "outbox/" })] }), PLACE],
    ["a place above", analyst({ depends_on: [data({ copy_to: "inbox/../../x" })] }), PLACE],
    ["an absolute place", analyst({ depends_on: [data({ copy_to: "/inbox" })] }), PLACE],
    [
      "a key that there is not",
      analyst({ depends_on: [data({ into: "inbox/" })] }),
      'unknown key "into" in agents.analyst.depends_on[0]',
    ],
    [
      "a word in place of a list",
      analyst({ wait_for: "collector" }),
      "agents.analyst.wait_for must be a list",
    ],
    [
      "an agent that is a plain program",
      { analyst: { run: ["sh"], wait_for: ["collector"] } },
      'unknown key "wait_for" in agents.analyst (only agents with adapter: files have it)',
    ],
    [
      "an agent that plays steps",
      { analyst: { adapter: "script", steps: [{ say: "x" }], depends_on: [data()] } },
      "only agents with adapter: files have it",
    ],
    [
      "a plain program with such a role",
      { analyst: { run: ["sh"], role: "role" } },
      "only agents with adapter: files have it",
    ],
  ])("%s", (_name, agents, mistake) => {
    expect(mistakes(agents).join("\n")).toContain(mistake);
  });

  it("stands where it was written: in the file of the role", () => {
    expect(mistakes({ analyst: { run: ["sh"], role: "role" } })).toEqual([
      expect.stringMatching(/^role\/role\.yaml:2:1: unknown key "wait_for"/u),
    ]);
  });

  it("an agent that leads a state waits for nobody", () => {
    const text = stringify({
      request: "Do it.",
      agents: { lead: files({ roster: ["collector"], wait_for: ["collector"] }), collector: files() },
    });
    expect(() => parseJob(text, { file: "job.yaml", directory })).toThrow(
      "lead leads INTENT, PLAN, EXECUTE and cannot wait for other agents: nobody opens any beside it",
    );
  });
});
