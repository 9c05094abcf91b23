/** Which tools and which programs a grant lets an agent use. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkTool } from "../../src/tool-check/check.ts";
import { TOOL_PATTERN, type ToolGrant } from "../../src/tool-check/grant.ts";
import { makeSite, grantOf, type Site } from "./site.ts";

let site: Site;
beforeAll(() => {
  site = makeSite();
});
afterAll(() => site.remove());

async function said(more: Partial<ToolGrant>, tool: string, input: Record<string, unknown>): Promise<string> {
  const verdict = await checkTool(
    { tool, input, cwd: site.work },
    { grant: grantOf(site, more), workspace: site.work, env: {} },
  );
  return verdict.allow ? "allowed" : verdict.sentence;
}

const READ = { file_path: "a.txt" };

describe("the tools of a role", () => {
  test.each([
    ["without a list, a known tool", null, "Read", READ, "allowed"],
    [
      "without a list, an unknown tool",
      null,
      "Beam",
      {},
      "Beam is not a tool of writer: list it in the tools",
    ],
    ["a tool of the list", ["Read"], "Read", READ, "allowed"],
    ["a tool that is not in it", ["Read"], "Write", READ, "Write is not a tool of writer: use one of Read"],
    ["an empty list", [], "Read", READ, "use one of none"],
    ["the channel, whatever the list says", [], "mcp__cfa__ask_question", { text: "why?" }, "allowed"],
    ["a server whose name begins like the channel's", [], "mcp__cfa2__x", {}, "is not a tool"],
    ["a beginning", ["mcp__docs__*"], "mcp__docs__find", { query: "x" }, "allowed"],
    ["another beginning", ["mcp__docs__*"], "mcp__web__find", {}, "is not a tool"],
    ["any tool", ["*"], "Beam", { what: "me" }, "allowed"],
    ["an unknown tool is looked through", ["Beam"], "Beam", { target: "../x" }, "outside your workspace"],
    ["at any depth", ["Beam"], "Beam", { all: [{ deep: { file_path: "/etc/passwd" } }] }, "outside"],
    ["text of it that looks like a path", ["Beam"], "Beam", { note: "/etc/passwd" }, "outside"],
    ["text of it that does not exist as one", ["Beam"], "Beam", { note: "/users/7" }, "allowed"],
    ["text of it with blanks", ["Beam"], "Beam", { note: "see /etc/passwd" }, "allowed"],
  ])("%s", async (_name, tools, tool, input, verdict) => {
    expect(await said({ tools }, tool, input)).toContain(verdict);
  });

  test("a server of the role brings its tools where the role does not list tools", async () => {
    expect(await said({ servers: ["docs"] }, "mcp__docs__find", {})).toBe("allowed");
    expect(await said({ servers: ["docs"], tools: ["Read"] }, "mcp__docs__find", {})).toContain("not a tool");
  });
});

describe("the programs of a shell", () => {
  test.each([
    ["any, when the shell is listed bare", ["Bash"], "make", "allowed"],
    ["one that is listed", ["Bash(git)", "Bash(ls)"], "ls && git status", "allowed"],
    ["one that is not", ["Bash(git)"], "git status; rm a.txt", "rm is not among the programs"],
    ["a script of the role", ["Bash(git)"], "report.sh", "allowed"],
    ["one of that name elsewhere", ["Bash(git)"], "./git status", "./git is not among the programs"],
    ["one behind another", ["Bash(env)"], "env rm a.txt", "rm is not among the programs"],
    ["one in a substitution", ["Bash(echo)"], "echo $(rm a.txt)", "rm is not among the programs"],
    ["one in a shell", ["Bash(sh)"], "sh -c 'rm a.txt'", "rm is not among the programs"],
  ])("%s", async (_name, tools, command, verdict) => {
    expect(await said({ tools, scripts: ["report.sh"] }, "Bash", { command })).toContain(verdict);
  });
});

describe("the network of a role", () => {
  test.each([
    ["none", "https://example.com", "network: none"],
    ["loopback", "https://example.com", "network: loopback"],
    ["loopback", "http://127.0.0.1:8080/", "allowed"],
    ["loopback", "http://[::1]/", "allowed"],
    ["loopback", "http://localhost.example.com/", "network: loopback"],
    ["full", "https://example.com", "allowed"],
    ["full", "file:///etc/passwd", "outside your workspace"],
  ] as const)("%s: %s", async (network, url, verdict) => {
    expect(await said({ network }, "WebFetch", { url })).toContain(verdict);
  });

  test("is what a search needs", async () => {
    expect(await said({ network: "full" }, "WebSearch", { query: "x" })).toBe("allowed");
  });
});

test("a further folder of the grant may be read, or written", async () => {
  const above = { file_path: "../sibling/s.txt" };
  expect(await said({ read: [`${site.top}/sibling`] }, "Read", above)).toBe("allowed");
  expect(await said({ read: [`${site.top}/sibling`] }, "Write", above)).toContain("may only be read");
  expect(await said({ write: [`${site.top}/sibling`] }, "Write", above)).toBe("allowed");
});

test.each([
  ["a workspace that is not there", "nowhere"],
  ["the root", "/"],
])("%s is no workspace", async (_name, workspace) => {
  const call = { tool: "Read", input: { file_path: "/etc/passwd" }, cwd: "/" };
  const verdict = await checkTool(call, { grant: grantOf(site), workspace, env: {} });
  expect(verdict).toEqual({ allow: false, sentence: expect.stringContaining("nothing can be checked") });
});

test.each([
  ["Read", true],
  ["mcp__docs__*", true],
  ["Bash(git)", true],
  ["*", true],
  ["", false],
  ["Bash(git status)", false],
  ["Bash(/bin/sh)", false],
  ["two words", false],
])("%j as a pattern: %s", (pattern, fits) => {
  expect(TOOL_PATTERN.test(pattern)).toBe(fits);
});
