/** Agents that fail, the mail that follows, and what a failed child does to an approval (CfA §4, §5). */
import { describe, expect, test } from "vitest";
import {
  approve,
  bodies,
  EXECUTE,
  firings,
  inExecute,
  type Keys,
  notes,
  outboxes,
  read,
  runJob,
  shell,
  transitions,
  write,
} from "./fixture.ts";
import { outboxOf, refusalOf } from "./outbox.ts";

const LEAD = { roster: ["worker"] };

/** A lead that is this shell line, and a worker that says what it is told. */
const AGENTS = (line: string) => ({ lead: shell(line, LEAD), worker: shell("cat") });

/** A job whose lead is this shell line. */
const led = (line: string, keys: Keys = {}, more: Keys = {}): Keys => ({
  ...EXECUTE,
  limits: { retries: 0 },
  ...keys,
  agents: { lead: shell(line, more) },
});

describe.concurrent("a turn that fails is named, with retries: 0 it is FAILURE", () => {
  const rows: readonly (readonly [what: string, keys: Keys, failure: string])[] = [
    ["exits 1", led("echo no ink >&2; exit 1"), "sh ended with exit status 1: no ink"],
    ["is killed by a signal", led("kill -9 $$"), "sh ended with exit status 137 (SIGKILL)"],
    ["prints nothing and does nothing", led("true"), "it ended without a word and without any effect"],
    [
      "hangs",
      led("sleep 600 & wait", { limits: { retries: 0, timeout: "1s" } }),
      "sh ran longer than its time-out of 1 s",
    ],
  ];
  for (const [what, keys, failure] of rows) {
    test(what, async () => {
      const { end, entries } = await runJob(keys, {});
      expect(end).toEqual({ kind: "ended", state: "FAILURE" });
      expect(bodies(entries, "turn").map(({ result, failure }) => [result, failure])).toEqual([
        ["failed", expect.stringContaining(failure)],
      ]);
      expect(bodies(entries, "transition").at(-1)).toMatchObject({
        action: "FAILURE",
        origin: "orchestrator",
        reason: expect.stringContaining(failure),
      });
    });
  }

  test.each<[string, string, string]>([["removes its outbox", 'rm -rf "$CFA_OUTBOX"; echo gone', "ENOENT"]])(
    "%s",
    async (_what, line, failure) => {
      // Inside a boundary the outbox is a mount, which nobody can remove.
      const { end, entries } = await runJob(led(line, {}, { sandbox: "advisory" }), {});
      expect(end).toEqual({ kind: "ended", state: "FAILURE" });
      expect(bodies(entries, "turn").map(({ result, failure }) => [result, failure])).toEqual([
        ["failed", expect.stringContaining(failure)],
      ]);
    },
  );

  test("a function that throws", async () => {
    const { end, entries } = await runJob(
      { ...EXECUTE, limits: { retries: 0 } },
      {
        lead: () => {
          throw new Error("divided by zero");
        },
      },
    );
    expect(end).toEqual({ kind: "ended", state: "FAILURE" });
    expect(bodies(entries, "turn")[0]).toMatchObject({ result: "failed", failure: "divided by zero" });
  });

  test("output beyond all bounds is cut with a remark, and does not fail the turn", async () => {
    const record = `mkdir -p .cfa; echo '{"outcome":"APPROVED_WORK","reason":"loud"}' > .cfa/outcome.json`;
    const { end, entries } = await runJob(led(`head -c 30000000 /dev/zero | tr '\\0' x; ${record}`), {});
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    const [turn] = bodies(entries, "turn");
    expect(turn?.result).toBe("ok");
    expect(turn?.text.length).toBeLessThan(2_000_000);
    expect(turn?.text).toMatch(/cut|left out/u);
  });

  test("silence with an effect is no failure: a record alone is enough", async () => {
    const { end } = await runJob(
      led(`mkdir -p .cfa; echo '{"outcome":"WITHDRAW","reason":"r"}' > .cfa/outcome.json`),
      {},
    );
    expect(end).toEqual({ kind: "ended", state: "WITHDRAWN" });
  });
});

describe.concurrent("after a failed turn", () => {
  test("recovery mail that quotes the lost message comes first, before the mail that waits", async () => {
    const heard: string[] = [];
    const { end } = await runJob(EXECUTE, {
      lead: inExecute(
        async (turn) => {
          const child = await turn.send({ to: "worker", message: "first errand" });
          await turn.send({ to: "worker", thread: child, message: "second errand" });
        },
        (turn) => (turn.children.length === 1 && heard.length < 3 ? "wait" : approve(turn)),
        approve,
      ),
      worker: (turn) => {
        heard.push(`${turn.message.kind}: ${turn.message.body}`);
        if (heard.length === 1) throw new Error("slipped");
        return "done";
      },
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(heard).toEqual([
      "task: first errand",
      expect.stringMatching(
        /^recovery: Your last turn failed: slipped\..*edits are kept.*1 more failed turn is allowed.*first errand/su,
      ),
      "task: second errand",
    ]);
  });

  test("edits are kept, calls are not carried out, and the outbox stays aside", async () => {
    const kept: string[] = [];
    const { entries, place, run, end } = await runJob(EXECUTE, {
      lead: inExecute(
        async (turn) => {
          write(turn.workspace, "half.txt", "half");
          await turn.send({ to: "worker", message: "never" });
          throw new Error("slipped");
        },
        (turn) => {
          kept.push(read(turn.workspace, "half.txt"));
          return approve(turn);
        },
      ),
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(kept).toEqual(["half"]);
    expect(firings(entries).filter((rule) => rule === "spark")).toHaveLength(1);
    expect(outboxes(place, run.id, 1)).toEqual(["1", "2"]);
    expect(read(place.top, `.cfa/jobs/${run.id}/turns/1/1/0001.json`)).toContain("never");
  });

  test("the third failure of a lead is FAILURE, and nothing of the job is left", async () => {
    const { end, entries } = await runJob(EXECUTE, {
      lead: () => {
        throw new Error("slipped");
      },
    });
    expect(end).toEqual({ kind: "ended", state: "FAILURE" });
    expect(bodies(entries, "turn")).toHaveLength(3);
    expect(bodies(entries, "violation").map(({ failures }) => failures)).toEqual([1, 2, 3]);
    expect(transitions(entries).at(-1)).toBe("EXECUTE FAILURE FAILURE (orchestrator)");
  });
});

describe.concurrent("a call that was refused while the turn ran is named in the log", () => {
  const rows: readonly (readonly [what: string, call: string, says: string])[] = [
    ["an unknown role", "cfa send --to nobody hello", "cfa send was refused: "],
    ["an empty message", "cfa send --to worker ''", "cfa send was refused: the message is empty"],
    ["a message forgotten", "cfa send --to worker", "cfa send was refused: say what"],
    ["the close of what is not its own", "cfa close dispatch:9.9.9", "cfa close was refused: "],
    ["an unknown outcome", "cfa outcome FINISHED --reason x", "cfa outcome was refused: "],
  ];
  for (const [what, call, says] of rows) {
    test(what, async () => {
      const line = `${call}; cfa outcome APPROVED_WORK --reason good`;
      const { end, entries } = await runJob({ ...EXECUTE, agents: AGENTS(line) }, {});
      expect(end).toEqual({ kind: "ended", state: "DONE" });
      expect(notes(entries)).toEqual([expect.stringContaining(says)]);
    });
  }

  test("a turn that did nothing else fails with the sentence of its last call", async () => {
    const keys = { ...EXECUTE, agents: AGENTS("cfa send --to nobody hello; true"), limits: { retries: 0 } };
    const { entries } = await runJob(keys, {});
    expect(bodies(entries, "turn")[0]?.failure).toMatch(
      /without any effect: .*; its last call: cfa send was refused: .*nobody/u,
    );
  });

  test("a thousand of them are counted", async () => {
    const { end, entries } = await runJob(EXECUTE, {
      lead: async (turn) => {
        for (let n = 0; n < 1000; n++) await refusalOf(turn.send({ to: "nobody", message: `hello ${n}` }));
        return approve(turn);
      },
    });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(notes(entries)).toHaveLength(21);
    expect(notes(entries).at(-1)).toBe("980 more calls were refused");
  });
});

test("files may be named before the message, as the synopsis has it", async () => {
  const line =
    "echo 1 > one.key; echo 2 > two.key; echo '*.key' > .gitignore; cfa send --to worker --file one.key --file two.key go; cfa outcome APPROVED_WORK --reason good";
  const { end, entries } = await runJob({ ...EXECUTE, agents: AGENTS(line) }, {});
  expect(end).toEqual({ kind: "ended", state: "DONE" });
  expect(bodies(entries, "turn")[0]?.files[0]?.files.map(({ path }) => path)).toEqual(["one.key", "two.key"]);
});

describe.concurrent("an outbox that cannot be read", () => {
  const rows = [
    ["a call that is no JSON", "0001.json", "{", "outbox file 0001.json is no call"],
    ["a call with an unknown verb", "0001.json", '{"verb":"shout"}', "outbox file 0001.json is no call"],
    ["a file that is no call", "notes.txt", "x", "outbox file notes.txt is no call"],
    [
      "a call under an id that it could not have minted",
      "0001.json",
      JSON.stringify({
        verb: "send",
        to: "worker",
        thread: "dispatch:0.0.1",
        opens: true,
        message: "m",
        files: [],
        optional: false,
      }),
      "opens the conversation dispatch:0.0.1, which is not this call's id",
    ],
  ] as const;
  for (const [what, name, text, sentence] of rows) {
    test(`${what} is named, and the turn goes on without it`, async () => {
      const { end, entries } = await runJob(EXECUTE, {
        lead: (turn) => {
          write(outboxOf(turn), name, text);
          return approve(turn);
        },
      });
      expect(end).toEqual({ kind: "ended", state: "DONE" });
      expect(notes(entries)).toEqual([expect.stringContaining(sentence)]);
    });
  }
});

describe.concurrent("programs and functions in one job", () => {
  test("a child that is a program fails and recovers like any other", async () => {
    const { end, entries } = await runJob(
      {
        ...EXECUTE,
        agents: { lead: shell("cat", LEAD), worker: shell("test -e seen || { touch seen; exit 3; }; cat") },
      },
      { lead: inExecute(async (turn) => void (await turn.send({ to: "worker", message: "go" })), approve) },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    const turns = bodies(entries, "turn").filter(({ agent }) => agent === "worker");
    expect(turns.map(({ result }) => result)).toEqual(["failed", "ok"]);
    expect(turns[1]?.text).toContain("Your last turn failed: sh ended with exit status 3");
  });
});
