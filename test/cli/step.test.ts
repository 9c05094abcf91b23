/** `cfa step`: commands and their answers, keys, the picture, and one session in a real terminal. */
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Key } from "../../src/cli/context.ts";
import { entriesOf } from "./fixture.ts";
import { parseCommands } from "../../src/cli/step/parse-command.ts";
import { newSession, perform, type Session } from "../../src/cli/step/session.ts";
import { pictureLines, press, type Pressed, type Walk } from "../../src/cli/step/walk.ts";
import { widthOf } from "../../src/cli/view/text.ts";
import { stepsOf } from "../../src/engine/history.ts";
import { directory, here, MAIN } from "./fixture.ts";
import { type Finished, finishedJob } from "./reading-fixture.ts";

let done: Finished;
let start: Session;
beforeAll(async () => {
  done = await finishedJob();
  start = newSession([...stepsOf(entriesOf(done.lines.join("\n")))]);
});
afterAll(() => done.remove());

const after = (commands: string, from: Session = start) => parseCommands(commands).reduce(perform, from);
const ruleAt = ({ steps, at }: Session) => {
  const entry = steps[at - 1]?.entry;
  return entry?.kind === "fire" ? entry.body.rule : entry?.kind;
};

describe("commands", () => {
  test.each<[string, number | "last", RegExp]>([
    ["n", 1, /^$/],
    ["n 3; p", 2, /^$/],
    ["p", 0, /before the first/],
    ["g 5", 5, /^$/],
    ["g 100000", "last", /is the last$/],
    ["g end; p", "last", /^$/],
    ["c", "last", /no breakpoints are set/],
    ["b spark; d 1; c", "last", /no breakpoints are set/],
    ["d 3", 0, /no breakpoint 3/],
    ["b rule sparc", 0, /there is no rule sparc/],
    ["b sparc", 0, /there is no rule and no thread sparc, and no entry holds it/],
    ["b spark", 0, /^breakpoint 1: rule spark$/],
    ["/nowhere", 0, /no later entry holds nowhere/],
    ["b", 0, /no breakpoints are set/],
  ])("%s", (commands, at, said) => {
    const session = after(commands);
    const last = start.steps.length;
    expect(session.at).toBe(at === "last" ? last - (commands.endsWith("; p") ? 1 : 0) : at);
    expect(session.said).toMatch(said);
  });

  test("breakpoints on a rule, a thread and a message, forward and back", () => {
    const spark = after("b spark; c");
    expect(ruleAt(spark)).toBe("spark");
    const second = after("c", spark);
    expect(ruleAt(second)).toBe("spark");
    expect(second.at).toBeGreaterThan(spark.at);
    expect(after("C", second).at).toBe(spark.at);
    expect(after("b thread PLAN:1; c").said).toBe("met breakpoint 1: thread PLAN:1");
    expect(after("b message write; c").said).toBe("met breakpoint 1: message write");
    expect(after("b PLAN:1; b write; b").said).toBe("breakpoints: 1 thread PLAN:1, 2 message write");
  });

  test("search goes on from where one stands", () => {
    const first = after("/spark");
    expect(after("/", first).at).toBeGreaterThan(first.at);
  });
});

test("--commands prints what the screen would show", async () => {
  const { out, code } = await here(done.top, "step", "--commands", "n 3; b spark; c; print; q; n");
  expect(code).toBe(0);
  const lines = out.split("\n");
  expect(lines.slice(0, 2)).toEqual(["breakpoint 1: rule spark", "met breakpoint 1: rule spark"]);
  expect(lines[2]).toMatch(
    new RegExp(`^${done.job}  entry \\d+ of ${done.lines.length}  commit \\d+  \\S+  INTENT$`),
  );
  expect(lines).toContain("  + Parent(INTENT:1,job)");
  expect(lines).toContain("  └─ INTENT:1  lead is idle, 1 in its mailbox");
  expect(lines.at(-1)).toBe("breakpoints: 1 rule spark");
});

describe("keys", () => {
  const key = (name: string, text = "", ctrl = false): Key => ({ name, text, ctrl });
  const typed = (text: string) => text.split("").map((letter) => key(letter, letter));
  const walk = (keys: readonly Key[]): Pressed => {
    let now: Pressed = { session: start, typed: undefined, help: false };
    for (const one of keys) {
      if (typeof now === "string") throw new Error(`a key after ${now}`);
      now = press(now, one);
    }
    return now;
  };
  const open = (keys: readonly Key[]): Walk => {
    const result = walk(keys);
    if (typeof result === "string") throw new Error(result);
    return result;
  };

  test.each<[string, readonly Key[], number]>([
    ["n, space, →, ↓", [key("n", "n"), key("space", " "), key("right"), key("down")], 4],
    ["back: p, ←, ↑", [...typed("nnnn"), key("p", "p"), key("left"), key("up")], 1],
    ["home", [...typed("nnnn"), key("home")], 0],
    ["g N", [...typed("g12"), key("return", "\r")], 12],
    [
      "a mistyped digit",
      [...typed("g13"), key("backspace", "\u007f"), ...typed("2"), key("return", "\r")],
      12,
    ],
    ["g and escape", [...typed("g12"), key("escape", "\u001b")], 0],
    ["a key that means nothing", [key("z", "z")], 0],
  ])("%s", (_, keys, at) => {
    expect(open(keys)).toMatchObject({ session: { at }, typed: undefined });
  });

  test("words that are no command are said, and nothing is lost", () => {
    const { session } = open([...typed("nngx"), key("return", "\r")]);
    expect(session).toMatchObject({ at: 2, said: expect.stringContaining("needs a number") });
  });

  test("q quits, Ctrl-C interrupts, even while something is typed", () => {
    expect(walk(typed("q"))).toBe("quit");
    expect(walk([...typed("gq"), key("c", "\u0003", true)])).toBe("interrupt");
  });

  test("the help comes and goes", () => {
    expect(pictureLines(open(typed("?")), 80, 24).join("\n")).toContain("continue to the next breakpoint");
    expect(open(typed("??")).help).toBe(false);
  });
});

test("no picture is larger than the terminal, at any entry", () => {
  for (const [width, rows] of [
    [120, 40],
    [40, 12],
    [20, 8],
  ] as const) {
    for (let at = 0; at <= start.steps.length; at++) {
      const session = { ...start, at, said: "said", breakpoints: [{ on: "rule", what: "spark" } as const] };
      const lines = pictureLines({ session, typed: undefined, help: false }, width, rows);
      expect(lines.length).toBeLessThanOrEqual(rows);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
    }
  }
});

test("a session in a terminal: keys, a new size, and the terminal as it was afterwards", async () => {
  const socket = `cfa-${randomUUID()}`;
  const tmux = async (...words: string[]) =>
    (await execa("tmux", ["-L", socket, "-f", "/dev/null", ...words])).stdout;
  const shown = async () =>
    (await tmux("capture-pane", "-p", "-t", "main")).split("\n").map((line) => line.trimEnd());
  const waitFor = (line: RegExp) =>
    expect.poll(shown, { timeout: 60_000, interval: 50 }).toContainEqual(expect.stringMatching(line));
  const script = join(directory(), "step.sh");
  writeFileSync(
    script,
    `echo before; '${process.execPath}' '${MAIN}' step; echo "exit $?"; stty -a | grep -o ' -\\?icanon'; exec sleep 600\n`,
  );
  try {
    await tmux("new-session", "-d", "-s", "main", "-x", "100", "-y", "30", "-c", done.top, `sh ${script}`);
    await waitFor(/entry 0 of \d+, before the first$/);
    await tmux("send-keys", "-t", "main", "n", "Right", "b");
    await waitFor(/^b █$/);
    await tmux("send-keys", "-t", "main", "spark", "Enter", "c");
    await waitFor(/^met breakpoint 1: rule spark$/);
    await tmux("resize-window", "-t", "main", "-x", "60", "-y", "14");
    await waitFor(/^n next {2}p previous .*…$/);
    await tmux("send-keys", "-t", "main", "q");
    await waitFor(/^exit 0$/);
    await waitFor(/^ icanon$/);
    expect(await shown()).toContain("before");
  } finally {
    await tmux("kill-server");
  }
});
