/** What a file-based agent has to deliver, in job files and roles, and every way to get it wrong (docs/files.md). */
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { parseDefinition } from "../../src/job/definition.ts";
import { parseJob } from "../../src/job/load.ts";
import { JobFileError } from "../../src/job/mistakes.ts";

type Keys = Readonly<Record<string, unknown>>;

/** A job of one such agent. */
const load = (keys: Keys) => {
  const agents = { lead: { adapter: "files", run: ["sh"], ...keys } };
  return parseJob(stringify({ request: "Do it.", agents }), { file: "job.yaml", directory: "/" }).definition;
};

function mistakes(keys: Keys): readonly string[] {
  try {
    load(keys);
  } catch (error) {
    if (error instanceof JobFileError) return error.message.split("\n");
    throw error;
  }
  return [];
}

describe("what an agent delivers", () => {
  it("has defaults, and stands in the log as it was read", () => {
    const job = load({});
    expect(job.agents["lead"]).toMatchObject({
      adapter: "files",
      sandbox: "required",
      network: "none",
      outputs: [],
      collect: {},
      inline_limit: 1_048_576,
      recovery: { recoverable: "retry", unrecoverable: "fix" },
    });
    expect(parseDefinition(JSON.parse(JSON.stringify(job)))).toEqual(job);
  });

  it.each<[string, Keys, Keys]>([
    [
      "a path may be written below outbox/, a folder with its slash",
      { outputs: ["outbox/a.csv", "data/"] },
      { outputs: ["a.csv", "data"] },
    ],
    [
      "a list is collected under the same paths",
      { collect: ["report.md", "outbox/data/"] },
      { collect: { "report.md": "report.md", data: "data" } },
    ],
    [
      "a mapping says where each goes",
      { collect: { "outbox/report.md": "docs/report.md", data: "data/" } },
      { collect: { "report.md": "docs/report.md", data: "data" } },
    ],
    [
      "one word of the recovery leaves the other",
      { recovery: { recoverable: "skip" } },
      { recovery: { recoverable: "skip", unrecoverable: "fix" } },
    ],
    [
      "a role has all of it, and the agent goes before it",
      {
        role: {
          outputs: ["outbox/a"],
          collect: ["outbox/outbox/b"],
          inline_limit: 7,
          recovery: { unrecoverable: "escalate" },
        },
        inline_limit: 8,
      },
      {
        outputs: ["a"],
        collect: { "outbox/b": "outbox/b" },
        inline_limit: 8,
        recovery: { recoverable: "retry", unrecoverable: "escalate" },
      },
    ],
  ])("%s", (_name, keys, expected) => {
    expect(load(keys).agents["lead"]).toMatchObject(expected);
  });
});

describe("a mistake is told", () => {
  const PATH = "must be a path below outbox/, without . and ..";
  it.each<[string, Keys, string]>([
    ["an absolute path", { outputs: ["/etc/passwd"] }, PATH],
    ["a way up", { outputs: ["../status.json"] }, PATH],
    ["a way up in the middle", { outputs: ["a/../../b"] }, PATH],
    ["a point", { outputs: ["./a"] }, PATH],
    ["two slashes", { outputs: ["a//b"] }, PATH],
    ["nothing", { outputs: [""] }, PATH],
    ["git's own", { collect: { a: ".git/hooks/pre-commit" } }, "must be a path below the worktree"],
    ["git's own, deeper", { collect: { a: "sub/.GIT/config" } }, "must be a path below the worktree"],
    ["cfa's own", { collect: { a: ".cfa/outcome.json" } }, "must be a path below the worktree"],
    ["the word of the agent", { collect: { a: ".sortie/status" } }, "must be a path below the worktree"],
    ["a way out of the worktree", { collect: { a: "../x" } }, "must be a path below the worktree"],
    ["a way out of the outbox", { collect: { "../a": "x" } }, ".."],
    ["a text for collect", { collect: "report.md" }, "agents.lead.collect must be a list"],
    ["a limit with a unit", { inline_limit: "1M" }, "must be a whole number of bytes"],
    ["a limit below 0", { inline_limit: -1 }, "must be 0 or more"],
    ["an unknown word", { recovery: { recoverable: "again" } }, "must be one of retry, fix, skip, escalate"],
    ["an unknown failure", { recovery: { other: "retry" } }, 'unknown key "other"'],
    ["a key of programs", { prompt: "full" }, "only agents with adapter: command have it"],
    [
      "a key of such an agent elsewhere",
      { adapter: "command", outputs: ["a"] },
      "only agents with adapter: files have it",
    ],
    [
      "the same in a role",
      { adapter: "command", role: { outputs: ["a"] } },
      "only agents with adapter: files have it",
    ],
  ])("%s", (_name, keys, sentence) => {
    expect(mistakes(keys).join("\n")).toContain(sentence);
  });
});
