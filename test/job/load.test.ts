import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseDefinition } from "../../src/job/definition.ts";
import { INIT_TEMPLATE } from "../../src/job/init-template.ts";
import { type LoadOptions, loadJobFile, parseJob } from "../../src/job/load.ts";
import { JobFileError } from "../../src/job/mistakes.ts";

let directory = "";

beforeAll(() => {
  directory = realpathSync(mkdtempSync(path.join(tmpdir(), "cfa-load-")));
  mkdirSync(path.join(directory, "repo", "scripts"), { recursive: true });
  mkdirSync(path.join(directory, "folder"));
  for (const file of ["lead.mjs", "plain.sh", "intent.md", "plan.md", "repo/scripts/agent.mjs"]) {
    writeFileSync(path.join(directory, file), `text of ${file}\n`);
  }
  writeFileSync(path.join(directory, "binary.md"), Uint8Array.of(0xff, 0xfe, 0x00));
  writeFileSync(path.join(directory, "agent.sh"), "#!/bin/sh\n");
  chmodSync(path.join(directory, "agent.sh"), 0o755);
  symlinkSync(path.join(directory, "repo"), path.join(directory, "link"));
});

afterAll(() => rmSync(directory, { recursive: true }));

const load = (text: string, options: LoadOptions = {}) =>
  parseJob(text, { file: "job.yaml", directory, ...options });
const here = (...names: string[]): string => path.join(directory, ...names);

/** The mistakes of a job file, one a line as a user reads them. */
function mistakes(text: string): readonly string[] {
  try {
    load(text);
  } catch (error) {
    if (error instanceof JobFileError) return error.message.split("\n");
    throw error;
  }
  return [];
}

/** A file with a request and the agent that `agent` says; more lines may follow. */
const job = (agent: string, ...lines: string[]): string =>
  ["request: Greet.", `agents: { lead: ${agent} }`, ...lines].join("\n");

const SMALLEST = job("{ run: [sh] }");

describe("the smallest job file", () => {
  it("has a request and one agent; everything else is a default", () => {
    expect(load(SMALLEST).definition).toEqual({
      version: 1,
      name: "job",
      request: "Greet.",
      repository: directory,
      base: "HEAD",
      start: "INTENT",
      deliver: "branch",
      human: "default",
      artifacts: { intent: "INTENT.md", plan: "PLAN.md", summary: "WORK_SUMMARY.md" },
      given: { intent: null, plan: null },
      agents: {
        lead: {
          adapter: "command",
          run: ["sh"],
          roster: [],
          skill: null,
          fallback: null,
          sandbox: "required",
          exempt: [],
          network: "none",
          env: [],
          prompt: "message",
          tools: [],
        },
      },
      states: {
        INTENT: { agent: "lead", skill: "intent-alignment", escalation: "when_unsure", state_timeout: null },
        PLAN: { agent: "lead", skill: "planning", escalation: "when_unsure", state_timeout: null },
        EXECUTE: { agent: "lead", skill: "execute", escalation: "when_unsure", state_timeout: null },
      },
      limits: {
        fan_out: 3,
        concurrency: 4,
        timeout: 600_000,
        stall: null,
        retries: 2,
        backtracks: 5,
        max_turns: 20,
      },
      budget: { usd: null, tokens: null, turns: null, wall: null },
      prices: { agents: {}, models: {} },
      deadline: null,
      notify: null,
      over_cap: "refuse",
      status_tokens: 1,
      hooks: { before_run: null, after_run: null, timeout: 60_000 },
      workspaces: null,
    });
  });
});

describe("a full job file", () => {
  const FULL = `version: 1
name: release-notes
request: Write release notes for everything since the last tag.
repository: repo
base: main
start: EXECUTE
deliver: pr-ready
human: default
artifacts: { intent: GOAL.md, plan: STEPS.md, summary: DONE.md }
given: { intent: intent.md, plan: plan.md }
agents:
  boss:   { adapter: command, run: [node, lead.mjs, --fast, lead.mjs], roster: [writer], sandbox: advisory, network: full, env: [PATH, HOME] }
  writer: { run: [agent.sh, -v], skill: attempt-task }
states:
  INTENT:  { agent: boss, skill: mine, escalation: never, state_timeout: 30m }
  PLAN:    { agent: boss }
  EXECUTE: { agent: boss, escalation: always }
limits: { fan_out: 8, concurrency: 2, timeout: 90s, stall: 5m, retries: 0, backtracks: 0, max_turns: 1 }
budget: { usd: 0.5, tokens: 2000000, turns: 100, wall: 2h }
prices:
  agents: { writer: { input: 1, output: 2, cached: 0 } }
  models: { big: { input: 3, output: 15 } }
deadline: 1d
over_cap: wait
workspaces: ../trees
`;

  it("is resolved: paths absolute, durations in milliseconds, given artifacts as text", () => {
    const { definition } = load(FULL);
    expect(definition).toMatchObject({
      prices: {
        agents: { writer: { input: 1, output: 2, cached: 0 } },
        models: { big: { input: 3, output: 15, cached: 3 } },
      },
      repository: here("repo"),
      start: "EXECUTE",
      given: { intent: "text of intent.md\n", plan: "text of plan.md\n" },
      agents: {
        boss: { run: ["node", here("lead.mjs"), "--fast", here("lead.mjs")], network: "full" },
        writer: { adapter: "command", run: [here("agent.sh"), "-v"], skill: "attempt-task" },
      },
      states: { INTENT: { agent: "boss", skill: "mine", escalation: "never", state_timeout: 1_800_000 } },
      limits: { fan_out: 8, timeout: 90_000, stall: 300_000, retries: 0, backtracks: 0, max_turns: 1 },
      budget: { usd: 0.5, tokens: 2_000_000, turns: 100, wall: 7_200_000 },
      deadline: 86_400_000,
      over_cap: "wait",
      workspaces: path.resolve(directory, "../trees"),
    });
  });

  it("comes back from a log as it went in", () => {
    const { definition } = load(FULL);
    expect(parseDefinition(JSON.parse(JSON.stringify(definition)))).toEqual(definition);
  });
});

describe("what a word of the file becomes", () => {
  it("--repo stands in for repository, relative to the current directory", () => {
    const options = { repository: "repo", cwd: directory };
    expect(load(`${SMALLEST}\nrepository: elsewhere`, options).definition.repository).toBe(here("repo"));
    expect(load(SMALLEST, { repository: here("link") }).definition.repository).toBe(here("repo"));
  });

  it.each([
    ["[./agent.sh]", (): string[] => [here("agent.sh")]],
    ["[sh, -c, 'echo hi; cat']", (): string[] => ["sh", "-c", "echo hi; cat"]],
    ["[sh, plain.sh, folder, none.txt]", (): string[] => ["sh", here("plain.sh"), "folder", "none.txt"]],
    ["[/bin/sh]", (): string[] => ["/bin/sh"]],
    ["[node, scripts/agent.mjs]", (): string[] => ["node", "scripts/agent.mjs"]],
  ])("run: %s", (run, words) => {
    const { agents } = load(`${job(`{ run: ${run} }`)}\nrepository: repo`).definition;
    expect(agents["lead"]).toMatchObject({ run: words() });
  });

  it("a script agent plays its steps", () => {
    expect(load(job("{ adapter: script, steps: [{ say: done }] }")).definition.agents["lead"]).toMatchObject({
      adapter: "script",
      steps: [{ say: "done" }],
      roster: [],
    });
  });

  it("the states are led by the only agent, else by lead", () => {
    const two = "request: x\nagents: { other: { run: [sh] }, lead: { run: [sh] } }";
    expect(load("request: x\nagents: { solo: { run: [sh] } }").definition.states.PLAN.agent).toBe("solo");
    expect(load(two).definition.states.PLAN.agent).toBe("lead");
  });
});

describe("a mistake is told by line and column, with what to write instead", () => {
  const at = (...lines: string[]): string => job("{ run: [sh] }", ...lines);

  const rows: readonly (readonly [text: string, mistake: string])[] = [
    ["request: x", "1:1: agents is missing (it must be a mapping of keys to values)"],
    ["agents: { lead: { run: [sh] } }", "1:1: request is missing (it must be text that says what is wanted)"],
    ["request: x\nagents: {}", "2:9: agents must have at least one agent"],
    ["request: ' '\nagents: { lead: { run: [sh] } }", "1:10: request must be text that says what is wanted"],
    ["- request", "1:1: the job file must be a mapping of keys to values"],
    [at("version: 2"), "3:10: version must be 1, the version of job files that this cfa reads"],
    [at("name: Release Notes"), "3:7: name must be lower-case letters and digits in words joined by hyphens"],
    [at("name: a--b"), "3:7: name must be lower-case letters and digits in words joined by hyphens"],
    [at(`name: ${"x".repeat(41)}`), "3:7: name must have at most 40 letters"],
    [at("budgett: {}"), '3:1: unknown key "budgett" (did you mean "budget"?)'],
    [at("memory: x"), '3:1: unknown key "memory" (keys here: version, name, request,'],
    [at("notify: x"), "3:9: notify must be a mapping"],
    [at("notify: { run: [no-such-program] }"), "3:17: notify.run: "],
    [
      at("notify: { url: nowhere }"),
      "3:16: notify.url must be an address that begins with http:// or https://",
    ],
    [at("notify: { run: [sh], url: http://localhost }"), "3:9: notify must have run or url, one of them"],
    [at("notify: {}"), "3:9: notify must have run or url, one of them"],
    [at("budget: { eur: 5 }"), '3:11: unknown key "eur" in budget (keys here: usd, tokens, turns, wall)'],
    [at("budget: { usd: 0 }"), "3:16: budget.usd must be more than 0"],
    [at("budget: { usd: .inf }"), "3:16: budget.usd must be an amount of US dollars"],
    [at("budget:"), "3:1: budget is empty (give it a value or leave the key out)"],
    [at("deadline: 3600"), "3:11: deadline must be a duration with its unit, such as 90s, 30m or 2h"],
    [at("deadline: 30d"), "3:11: deadline must be a duration with its unit"],
    [at("limits: { fan_out: 0 }"), "3:20: limits.fan_out must be a whole number, 1 or more"],
    [at("limits: { retries: 1.5 }"), "3:20: limits.retries must be a whole number, 0 or more"],
    [at("limits: 3"), "3:9: limits must be a mapping of keys to values"],
    [
      at("deliver: marge"),
      '3:10: deliver must be one of branch, merge, pr-ready, not "marge" (did you mean "merge"?)',
    ],
    [
      at("human: Bob S."),
      "3:8: human must be the name of a human (lower-case letters, digits and hyphens), or none",
    ],
    [job("{ run: [sh] }", "proxy: nobody"), '3:8: proxy names "nobody", which is no agent of this job'],
    [
      job("{ run: [sh] }, proxy: { run: [sh], roster: [lead] }"),
      "2:60: proxy stands for the human and has no team: leave its roster out",
    ],
    [
      job("{ run: [sh], roster: [stand-in] }, stand-in: { run: [sh] }", "proxy: stand-in"),
      "2:39: stand-in stands for the human: lead reaches it by asking, not by its roster",
    ],
    [
      job("{ run: [sh] }, proxy: { run: [sh] }", "states: { PLAN: { agent: proxy } }"),
      "3:26: states.PLAN is led by proxy, and proxy stands for the human: name another agent",
    ],
    [
      "request: x\nagents: { proxy: { run: [sh] } }",
      "2:1: nobody leads INTENT, PLAN, EXECUTE: the only agent is the proxy",
    ],
    [at("base: --all"), "3:7: base must name a commit, branch or tag"],
    [at("repository: ~/x"), "3:13: repository must be written in full: ~ is not expanded"],
    [
      at("artifacts: { plan: ../PLAN.md }"),
      "3:20: artifacts.plan must be a plain file name, such as INTENT.md",
    ],
    [at("artifacts: { plan: .cfa }"), "3:20: artifacts.plan must be a plain file name"],
    [at("artifacts: { plan: intent.MD }"), "3:20: artifacts.plan is the same file as artifacts.intent"],
    [
      at("states: { EXECUTE: { escalation: allways } }"),
      '3:34: states.EXECUTE.escalation must be one of never, when_unsure, always, not "allways" (did you mean "always"?)',
    ],
    [at("states: { execute: {} }"), '3:11: unknown key "execute" in states (did you mean "EXECUTE"?)'],
    [
      at("states: { PLAN: { agent: laed } }"),
      '3:26: states.PLAN names "laed", which is no agent of this job (did you mean "lead"?)',
    ],
    [
      at("start: PLAN"),
      "3:8: start: PLAN needs the intent that the job starts from (write given: { intent: path of the file })",
    ],
    [
      at("start: EXECUTE", "given: { intent: intent.md }"),
      "3:8: start: EXECUTE needs the plan that the job starts from",
    ],
    [at("given: { intent: none.md }"), "3:18: given.intent: none.md does not exist"],
    [at("given: { plan: folder }"), "3:16: given.plan: folder is a folder, not a file"],
    [at("given: { plan: /dev/zero }"), "3:16: given.plan: /dev/zero is not a regular file"],
    [at("given: { plan: binary.md }"), "3:16: given.plan: binary.md is not UTF-8 text"],
    [job("{ run: sh }"), "2:24: agents.lead.run must be a list"],
    [job("{ run: [] }"), "2:24: agents.lead.run must name a program"],
    [job("{ run: [sh, 5] }"), "2:29: agents.lead.run[1] must be text; put it in quotes"],
    [job("{}"), "2:11: agents.lead.run is missing (it must be a list)"],
    [job("sh"), "2:17: agents.lead must be a mapping of keys to values"],
    [
      job("{ run: [no-such-program] }"),
      '2:25: agents.lead.run: there is no program "no-such-program": no file beside the job file, and not found on PATH',
    ],
    [job("{ run: [./none.sh] }"), '2:25: agents.lead.run: there is no program "./none.sh"'],
    [job("{ run: [folder] }"), '2:25: agents.lead.run: there is no program "folder"'],
    [
      job("{ run: [plain.sh] }"),
      "2:25: agents.lead.run: plain.sh is not executable (chmod +x it, or name its interpreter: [node, plain.sh])",
    ],
    [
      job("{ run: [node, laed.mjs] }"),
      "2:31: agents.lead.run: there is no file laed.mjs beside the job file or in the repository",
    ],
    [
      job("{ run: [sh], sandbox: no }"),
      '2:39: agents.lead.sandbox must be one of required, preferred, advisory, not "no"',
    ],
    [
      job("{ run: [sh], sandbox: { level: prefered } }"),
      '2:48: agents.lead.sandbox.level must be one of required, preferred, advisory, not "prefered" (did you mean "preferred"?)',
    ],
    [
      job("{ run: [sh], sandbox: { exempt: [{ tool: sh, path: gone, reason: x }] } }"),
      "2:68: agents.lead.sandbox.exempt: there is no file or folder gone",
    ],
    [
      job("{ run: [sh], sandbox: { exempt: [{ tool: sh, path: . }] } }"),
      "2:50: agents.lead.sandbox.exempt[0].reason is missing (it must say why)",
    ],
    [
      job("{ run: [sh], env: [PATH, CFA_JOB] }"),
      "2:42: agents.lead.env[1] must be the name of an environment variable; cfa itself sets those with CFA_",
    ],
    [job("{ run: [sh], steps: [] }"), '2:30: unknown key "steps" in agents.lead'],
    [
      job("{ adapter: claude, run: [sh] }"),
      '2:28: agents.lead.adapter must be one of command, files, script, not "claude"',
    ],
    [job("{ adapter: script }"), "2:11: agents.lead.steps is missing"],
    [
      job("{ run: [sh], roster: [writr] }, writer: { run: [sh] }"),
      '2:39: the roster of lead names "writr", which is no agent of this job (did you mean "writer"?)',
    ],
    [job("{ run: [sh], roster: [lead, lead] }"), "2:45: lead stands twice in the roster of lead"],
    [
      job("{ run: [sh], fallback: writr }, writer: { run: [sh] }"),
      '2:40: agents.lead.fallback names "writr", which is no agent of this job (did you mean "writer"?)',
    ],
    [job("{ run: [sh], fallback: lead }"), "2:40: lead cannot be its own fallback (name another agent)"],
    [
      job("{ run: [sh], fallback: proxy }, proxy: { run: [sh] }"),
      "2:40: lead cannot fall back on proxy, who stands for the human (name an agent that has no part in questions)",
    ],
    [
      job("{ run: [sh], fallback: stand-in }, stand-in: { run: [sh] }", "proxy: stand-in"),
      "2:40: lead cannot fall back on stand-in, who stands for the human",
    ],
    [
      job("{ run: [sh] }, writer: { run: [sh] }, proxy: { run: [sh], fallback: writer }"),
      "2:85: proxy stands for the human: nobody stands in for it (leave it out; where the proxy fails, the human is asked)",
    ],
    [
      job("{ run: [sh], fallback: writer }, writer: { run: [sh], fallback: lead }"),
      "2:40: fallbacks go round in a circle: lead → writer → lead (leave one of them out)",
    ],
    [
      job(
        "{ run: [sh], fallback: a }, a: { run: [sh], fallback: b }, b: { run: [sh], fallback: c }, c: { run: [sh], fallback: a }",
      ),
      "2:71: fallbacks go round in a circle: a → b → c → a",
    ],
    [at("prices: 5"), "3:9: prices must be a mapping of keys to values"],
    [
      at("prices: { agents: { writr: { input: 1, output: 1 } } }"),
      '3:21: prices.agents names "writr", which is no agent of this job (agents of this job: lead)',
    ],
    [at("prices: { models: { big: { input: 1 } } }"), "3:21: prices.models.big.output is missing"],
    [
      at("prices: { models: { big: { input: -1, output: 1 } } }"),
      "3:35: prices.models.big.input must be 0 or more",
    ],
    [
      at("prices: { models: { big: { input: 1, output: many } } }"),
      "3:46: prices.models.big.output must be an amount of US dollars",
    ],
    [
      at("prices: { models: { big: { input: 1, output: 1, write: 2 } } }"),
      '3:49: unknown key "write" in prices.models.big (keys here: input, output, cached)',
    ],
    [at("prices: { model: {} }"), '3:11: unknown key "model" in prices (did you mean "models"?)'],
    [job("{ run: [sh], fallback: [] }"), "2:40: agents.lead.fallback must be the name of an agent"],
    [
      "request: x\nagents: { human: { run: [sh] } }",
      "2:11: no agent can be called human: cfa uses the name itself",
    ],
    ["request: x\nagents: { parent: { run: [sh] } }", "2:11: no agent can be called parent: cfa uses"],
    ["request: x\nagents: { 'a b': { run: [sh] } }", '2:11: "a b" is no name for an agent'],
    [
      "request: x\nagents: { a: { run: [sh] }, b: { run: [sh] } }",
      "2:1: nobody leads INTENT, PLAN, EXECUTE: there are several agents and none is called lead",
    ],
    [at("name: a", "name: b"), "4:1: this key is given twice; keep one of them"],
    [at("limits: { fan_out: 1"), "3:21: not valid YAML: "],
    [at("name: !secret x"), "3:7: not valid YAML: unresolved tag"],
    [at("---", "request: y"), "3:1: not valid YAML: source contains multiple documents"],
    [at("name: *nobody"), "3:7: *nobody repeats nothing: there is no &nobody before it"],
    [job("{ adapter: script, steps: &s [{ on: *s }] }"), "2:53: *s repeats what it lies in, without an end"],
    [
      "request: x\nagents: { __proto__: { run: [sh] }, lead: { run: [sh] } }",
      '2:11: unknown key "__proto__"',
    ],
    [at("? [a]", ": 3"), "3:3: a key must be a plain word"],
    ["", "the job file is empty (cfa init writes one)"],
    ["# nothing\n", "the job file is empty (cfa init writes one)"],
  ];

  it.each(rows.map(([text, mistake]) => ({ text, mistake })))("$mistake", ({ text, mistake }) => {
    const place = /^\d/.test(mistake) ? "job.yaml:" : "job.yaml: ";
    const told = mistakes(text);
    expect(told).toHaveLength(1);
    expect(told[0]?.slice(0, place.length + mistake.length)).toBe(place + mistake);
  });

  it("all of them at once, in the order of the file", () => {
    const text = [
      "start: PLN",
      "agents:",
      "  lead: { run: [nodee], rooster: [], sandbox: requird , roster: [writr, 5] }",
      "  writer: { adapter: comand }",
      "deadline: 3600",
    ].join("\n");
    const places = mistakes(text).map((line) => line.split(":").slice(1, 3).join(":"));
    expect(places).toEqual(["1:1", "1:8", "3:17", "3:25", "3:47", "3:66", "3:73", "4:22", "5:11"]);
  });

  it("follows aliases to the place that is wrong", () => {
    const text = "request: x\nagents: { lead: &role { run: [sh], env: [5x] }, other: *role }";
    expect(mistakes(text)).toEqual([
      expect.stringContaining("job.yaml:2:42: agents.lead.env[0]"),
      expect.stringContaining("job.yaml:2:42: agents.other.env[0]"),
    ]);
  });

  it("refuses aliases that explode", () => {
    const bomb = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
    for (const [from, to] of ["ab", "bc", "cd"])
      bomb.push(`${to}: &${to} [${Array(10).fill(`*${from}`).join(", ")}]`);
    expect(mistakes(bomb.join("\n"))).toEqual([
      expect.stringContaining("job.yaml:1:1: not usable YAML: excessive alias count"),
    ]);
  });
});

describe("a job file on disk", () => {
  it("is found relative to the current directory, its paths relative to itself", () => {
    writeFileSync(here("folder", "job.yaml"), job("{ run: [node, ../lead.mjs] }"));
    const { definition } = loadJobFile("folder/job.yaml", { cwd: directory });
    expect(definition.repository).toBe(here("folder"));
    expect(definition.agents["lead"]).toMatchObject({ run: ["node", here("lead.mjs")] });
  });

  it.each([
    ["none.yaml", "none.yaml: the job file does not exist (name a job.yaml; cfa init writes one)"],
    ["folder", "folder: the job file is a folder, not a file"],
    ["binary.md", "binary.md: the job file is not UTF-8 text"],
  ])("%s", (file, sentence) => {
    expect(() => loadJobFile(file, { cwd: directory })).toThrow(sentence);
    expect(() => loadJobFile(file, { cwd: directory })).toThrow(JobFileError);
  });
});

describe("warnings", () => {
  const warnings = (text: string): readonly string[] => load(text).warnings;
  const quiet = "deadline: 1h";
  const boundary = "no boundary around lead: sandbox is advisory, programs can reach whatever you can";

  it.each([
    [job("{ run: [sh], sandbox: advisory }", quiet), [boundary]],
    [job("{ run: [sh] }", quiet), []],
    [job("{ adapter: script, steps: [{ say: done }] }", quiet), []],
    [job("{ run: [sh] }"), ["the job has no deadline: a question may wait for its human for ever"]],
    [job("{ run: [sh] }", "human: none"), []],
    [
      job(
        "{ adapter: script, steps: [{ say: done }] }",
        "human: none",
        "states: { PLAN: { escalation: always } }",
      ),
      [
        "states.PLAN.escalation is always, but human is none: a question asked there could never be answered; write never or when_unsure, or give the job a human",
      ],
    ],
    [
      job(
        "{ adapter: script, steps: [{ say: done }] }, spare: { adapter: script, steps: [{ say: done }] }",
        quiet,
      ),
      ["agent spare leads no state, stands in no roster and is nobody's fallback: it will never run"],
    ],
  ])("%s", (text, told) => {
    expect(warnings(text)).toEqual(told);
  });
});

describe("what cfa init writes", () => {
  it("loads without a mistake or a warning", () => {
    const { definition, warnings } = load(INIT_TEMPLATE);
    expect(definition).toMatchObject({
      name: "hello",
      deadline: 86_400_000,
      states: { PLAN: { agent: "lead" } },
    });
    expect(warnings).toEqual([]);
  });
});
