/** instructions.md: every section of the protocol, from the message where it says something, from what cfa knows elsewhere. */
import { describe, expect, test } from "vitest";
import { type Instructed, instructionsText } from "../../../src/channels/files-protocol/instructions.ts";
import { SECTIONS, sectioned } from "../../../src/channels/files-protocol/sections.ts";

const GIVEN: Instructed = {
  body: "Sum up the sales of each region.\n\nBy month.",
  from: "",
  remarks: "",
  agent: "analyst",
  job: "report-1a2b3c4d",
  state: "EXECUTE",
  thread: "dispatch:1.1.2",
  turn: 1,
  skill: null,
  worktree: "/job/tree",
  inputs: [],
  required: [],
  collect: {},
  timeout: 600_000,
};
const text = (more: Partial<Instructed> = {}) => instructionsText({ ...GIVEN, ...more });
const section = (written: string, name: (typeof SECTIONS)[number]) => sectioned(written).sections.get(name);

test("a message without headings is the objective; all else is filled", () => {
  const written = text({
    skill: "attempt-task",
    inputs: [
      { path: "inbox/sales.csv", about: "sent with the message" },
      { path: "/job/tree/big.csv", about: "sent with the message; 3000000 bytes, not copied: read it there" },
    ],
    required: ["totals.csv", "notes.md"],
    collect: { "totals.csv": "data/totals.csv" },
  });
  expect(written).toBe(`# Task: Sum up the sales of each region.

## Objective

Sum up the sales of each region.

By month.

## Context

You are \`analyst\` in the job \`report-1a2b3c4d\`, state EXECUTE: turn 1 of the conversation \`dispatch:1.1.2\`. The git worktree of the conversation is \`/job/tree\` (\`$CFA_WORKTREE\`).

## Inputs Provided

- \`inbox/sales.csv\` - sent with the message
- \`/job/tree/big.csv\` - sent with the message; 3000000 bytes, not copied: read it there

## Requirements

1. Do what the objective asks for, and nothing beyond it.
2. Work by SKILL.md (attempt-task).
3. Say in the summary what you assumed.

## Success Criteria

- [ ] \`outbox/totals.csv\` holds what the objective asks for
- [ ] \`outbox/notes.md\` holds what the objective asks for
- [ ] \`outbox/summary.md\` says briefly what was done

## Constraints

- The turn lasts at most 600 s.
- \`SKILL.md\` and \`inbox/\` are read-only; \`workspace/\` is yours, and nothing is collected from it.
- \`status.json\`: set "state" to "running" with "started" when you begin, to "completed" or "failed" (and "started" still there) when you are done; keep "progress" up to date meanwhile.

## Output Expectations

- Place \`outbox/totals.csv\`: required; it is copied to \`data/totals.csv\` of the worktree
- Place \`outbox/notes.md\`: required
- Include a summary in \`outbox/summary.md\`: it is your reply
- Optional: \`outbox/changelog.md\`, \`outbox/issues.md\`, \`outbox/metadata.json\`
- If you fail: "error" in \`status.json\` with "type", "message", "details" and "recoverable", a report in \`outbox/error_report.md\`, and what you have in \`outbox/partial/\`
`);
});

test("what the message says under a heading is kept, word for word", () => {
  const written = text({
    body: `# Task: Quarterly numbers

Before the board meets.

## Objective
One table.

## Requirements
1. EUR only
### Rounding
two digits

## Success Criteria
- [ ] adds up

## Constraints
- no network`,
    inputs: [{ path: "inbox/a.csv", about: "sent with the message" }],
  });
  expect(written.split("\n")[0]).toBe("# Task: Quarterly numbers");
  expect(section(written, "Objective")).toBe("One table.");
  expect(section(written, "Context")).toMatch(/^Before the board meets\.\n\nYou are `analyst`/);
  expect(section(written, "Requirements")).toBe("1. EUR only\n### Rounding\ntwo digits");
  expect(section(written, "Success Criteria")).toBe("- [ ] adds up");
  expect(section(written, "Constraints")).toMatch(/^- no network\n\n- The turn lasts/);
});

test("every section is there, in the order of the protocol, whatever the message holds", () => {
  const headings = (written: string) => [...written.matchAll(/^## (.*)$/gm)].map(([, name]) => name);
  for (const body of [
    "",
    "x",
    "## Constraints\nnone",
    "## Output Expectations\n\n## Objective",
    "```\n## Objective\n",
  ])
    expect(
      headings(text({ body }))
        .filter((name) => SECTIONS.some((one) => one === name))
        .slice(-7),
    ).toEqual([...SECTIONS]);
});

test("who sends it and what else there is to know stand in the context", () => {
  const written = text({ from: "[recovery from orchestrator on job:j]", remarks: "Skill: x." });
  expect(section(written, "Context")).toMatch(
    /^\[recovery from orchestrator on job:j\]\n\nSkill: x\.\n\nYou are/,
  );
});

test("without outputs of its own, the agent places one of its choice", () => {
  expect(section(text(), "Output Expectations")).toMatch(/^- Place the main deliverable in `outbox\/`$/m);
  expect(section(text(), "Inputs Provided")).toBe("Nothing beside these instructions.");
});

describe("the name of the task", () => {
  test.each<[string, string, string]>([
    ["of a heading", "# Task: Name\nrest", "Name"],
    ["of the first line", "\n\nDo it.\nNow.", "Do it."],
    ["of the objective", "## Objective\n\nDo it.", "Do it."],
    ["of what there is", "## Constraints\n- quick", "- quick"],
    ["of a heading of the message's own", "# Sales\nall", "Sales"],
    ["cut at 80 characters", "x".repeat(200), `${"x".repeat(79)}…`],
    ["of nothing", "", "(no words)"],
  ])("%s", (_name, body, expected) => {
    expect(text({ body }).split("\n")[0]).toBe(`# Task: ${expected}`);
  });
});

test.each<[string, string]>([
  ["of blanks", " "],
  ["of marks", " #"],
  ["of line ends of other systems", "\u2028"],
])("a heading %s of the greatest length is read in one pass", (_what, filling) => {
  const body = `# Task:${filling.repeat(120_000)}\u2028x`;
  expect(text({ body })).toContain("## Output Expectations");
});

describe("a heading", () => {
  test.each<[string, string, boolean]>([
    ["of any level", "#### Objective", true],
    ["with a colon", "## Objective:", true],
    ["in other letters", "## OBJECTIVE", true],
    ["closed by hashes", "## Objective ##", true],
    ["with another line end", "## Objective\r", true],
    ["without a blank", "##Objective", false],
    ["indented as code", "    ## Objective", false],
    ["with more words", "## Objective of it", false],
    ["in a fence", "```\n## Objective", false],
  ])("%s", (_name, line, counts) => {
    expect(sectioned(`${line}\nwords`).sections.has("Objective")).toBe(counts);
  });
});
