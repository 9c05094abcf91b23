/** Hunts what outlives its turn, and what a hostile program can do to cfa by exiting, hanging or printing. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  processIsolation,
  processGroup,
  type ProcessIsolation,
} from "../../../src/runtime/process/isolation.ts";
import { TEXT_BYTES } from "../../../src/runtime/process/output.ts";
import { runProgram, type ProgramRequest } from "../../../src/runtime/process/run-program.ts";
import { killStray } from "../../../src/runtime/process/tree.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "cfa-process-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function request(script: string, over: Partial<ProgramRequest> = {}): ProgramRequest {
  return {
    run: ["sh", "-c", script],
    cwd: home,
    env: { PATH: process.env["PATH"] ?? "", MARK: home },
    input: "",
    stream: join(home, "stream"),
    timeout: 60_000,
    stopSignals: ["SIGTERM"],
    grace: 3000,
    signal: new AbortController().signal,
    onStart: () => {},
    onLine: () => {},
    ...over,
  };
}

/** Live processes that carry this test's mark in their environment: a program's descent, wherever it moved. */
function alive(): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const state = readFileSync(`/proc/${pid}/stat`, "latin1").replace(/^.*\) /s, "")[0];
      return state !== "Z" && readFileSync(`/proc/${pid}/environ`, "utf8").includes(`MARK=${home}`);
    } catch {
      return false; // it has ended meanwhile
    }
  });
}

const touched = (name: string) => vi.waitFor(() => expect(existsSync(join(home, name))).toBe(true), 10_000);

const kinds = [["pid-namespace"], ["process-group"]] as const;

describe.each(kinds)("in a %s", (kind) => {
  let isolation: ProcessIsolation;
  beforeAll(async () => {
    const offered = await processIsolation();
    isolation = kind === "process-group" ? processGroup("for the test") : offered;
  });
  const run = (script: string, over?: Partial<ProgramRequest>) =>
    runProgram(request(script, over), isolation);

  test.each([
    ["ends well", "exit 0", 0],
    ["fails", "exit 3", 3],
    ["has the status of a shell's missing command", "no-such-command", 127],
    ["dies by a signal: 128 + its number", "kill -KILL $$", 137],
  ])("a program that %s", async (_, script, status) => {
    expect((await run(script)).end).toEqual({ kind: "exit", status });
  });

  test.each([
    ["is not on PATH", ["no-such-program"], /cannot run "no-such-program": no such program on PATH/],
    ["does not exist", ["/no/such/program"], /\/no\/such\/program does not exist/],
    ["is a directory", ["/"], /\/ is not a file/],
    ["may not be executed", ["./plain"], /plain is not executable/],
    ["has more arguments than the system takes", ["true", "x".repeat(300_000)], /cannot start/],
  ])("a program that %s is not started, with a sentence", async (_, command, sentence) => {
    writeFileSync(join(home, "plain"), "", { mode: 0o644 });
    const { end } = await run("", { run: command });
    expect(end).toEqual({ kind: "unstarted", why: expect.stringMatching(sentence) });
  });

  test("a working directory that is not there is named", async () => {
    const { end } = await run("true", { cwd: join(home, "gone") });
    expect(end).toEqual({ kind: "unstarted", why: expect.stringContaining(`${home}/gone is not there`) });
  });

  test("a name is looked up as a program, never as a word of the shell", async () => {
    expect((await run("", { run: ["exit", "0"] })).end.kind).toBe("unstarted");
  });

  test("arguments arrive as they are", async () => {
    const { text } = await run("", { run: ["printf", "%s|", "a b", "$HOME", "'", "", "--"] });
    expect(text).toBe("a b|$HOME|'||--|");
  });

  test("the environment is the given one", async () => {
    const { text } = await run("", {
      run: ["/usr/bin/env"],
      env: { PATH: "/usr/bin:/bin", PWD: home, A: "1" },
    });
    expect(text.split("\n").sort()).toEqual(["A=1", "PATH=/usr/bin:/bin", `PWD=${home}`]);
  });

  test("it has descriptors 0 to 2 and no other", async () => {
    const { text } = await run(
      "for fd in 3 4 5 6 7 8 9; do if (: >&$fd) 2>/dev/null; then echo $fd; fi; done",
    );
    expect(text).toBe("");
  });

  test("standard input, output and error can be opened by name", async () => {
    const result = await run("cat /dev/stdin > /dev/stdout; echo oops > /dev/stderr", { input: "in" });
    expect(result).toMatchObject({ text: "in", complaint: "oops" });
  });

  test("standard input is what was given, to its end", async () => {
    const input = "line\n".repeat(100_000);
    expect((await run("wc -c", { input })).text.trim()).toBe(String(input.length));
  });

  test("input that nobody reads is no failure", async () => {
    expect((await run("exec <&-; exit 0", { input: "x".repeat(1 << 20) })).end).toEqual({
      kind: "exit",
      status: 0,
    });
  });

  test("standard output is the text, standard error is not; the stream file has both", async () => {
    const lines: string[] = [];
    const result = await run("echo out; echo complaint >&2; echo more", {
      onLine: (line) => lines.push(line),
    });
    expect(result).toMatchObject({ text: "out\nmore", complaint: "complaint", problem: undefined });
    expect(readFileSync(join(home, "stream"), "utf8").split("\n").sort()).toEqual([
      "",
      "complaint",
      "more",
      "out",
    ]);
    expect(lines.sort()).toEqual(["complaint", "more", "out"]);
  });

  test("what the engine's own wrapper says is not taken for the program's", async () => {
    expect(await run("kill -TERM $$")).toMatchObject({ complaint: "", end: { kind: "exit", status: 143 } });
    expect(await run("", { run: ["sleep", "1000"], timeout: 100 })).toMatchObject({ complaint: "" });
    expect(readFileSync(join(home, "stream"), "utf8")).toBe("");
  });

  test("a second program appends to the stream file", async () => {
    await run("echo one");
    await run("echo two");
    expect(readFileSync(join(home, "stream"), "utf8")).toBe("one\ntwo\n");
  });

  test("invalid UTF-8 is replaced in the text and kept in the stream file", async () => {
    const { text } = await run(String.raw`printf 'a\377b'`);
    expect(text).toBe("a\ufffdb");
    expect(readFileSync(join(home, "stream"))).toEqual(Buffer.from([0x61, 0xff, 0x62]));
  });

  test("of a long output the end is kept, with a remark", async () => {
    const { text } = await run("yes é | head -c 3000000; echo last");
    expect(text).toMatch(/^\[cfa: the first \d+ bytes of this output are left out\]\n/);
    expect(text.endsWith("last")).toBe(true);
    expect(text).not.toContain("\ufffd");
    expect(Buffer.byteLength(text)).toBeLessThan(TEXT_BYTES + 100);
    expect(statSync(join(home, "stream")).size).toBe(3_000_005);
  });

  test("a program that hangs is stopped at its time-out", async () => {
    expect((await run("sleep 1000", { timeout: 100 })).end).toEqual({ kind: "timeout" });
    expect(alive()).toEqual([]);
  });

  test("a program that floods its output is stopped at its time-out", async () => {
    const { end, text } = await run("exec yes", { timeout: 300 });
    expect(end).toEqual({ kind: "timeout" });
    expect(Buffer.byteLength(text)).toBeLessThan(TEXT_BYTES + 100);
  });

  test("an abort asks first: the program may end in its own way", async () => {
    const abort = new AbortController();
    const stopping = run("trap 'echo bye; exit 0' TERM; touch ready; while :; do sleep 0.01; done", {
      signal: abort.signal,
    });
    await touched("ready");
    abort.abort();
    expect(await stopping).toMatchObject({ end: { kind: "aborted" }, text: "bye" });
  });

  test("the signals of a stop come in their order", async () => {
    const abort = new AbortController();
    const script =
      "trap 'echo int' INT; trap 'echo term; exit 0' TERM; touch ready; while :; do sleep 0.01; done";
    const stopping = run(script, { signal: abort.signal, stopSignals: ["SIGINT", "SIGTERM"], grace: 200 });
    await touched("ready");
    abort.abort();
    expect((await stopping).text).toBe("int\nterm");
  });

  test("a program that ignores the request is killed after its grace", async () => {
    const abort = new AbortController();
    const stopping = run("trap '' TERM INT HUP; touch ready; while :; do sleep 0.01; done", {
      signal: abort.signal,
      grace: 50,
    });
    await touched("ready");
    abort.abort();
    expect((await stopping).end).toEqual({ kind: "aborted" });
    expect(alive()).toEqual([]);
  });

  test("an aborted signal starts nothing", async () => {
    const onStart = vi.fn();
    const { end } = await run("touch ready", { signal: AbortSignal.abort(), onStart });
    expect(end).toEqual({ kind: "aborted" });
    expect(onStart).not.toHaveBeenCalled();
    expect(existsSync(join(home, "ready"))).toBe(false);
  });

  test("what it leaves in the background dies with it", async () => {
    const { end } = await run(
      "(trap '' TERM HUP; touch ready; sleep 1000) & while ! [ -e ready ]; do sleep 0.01; done",
    );
    expect(end).toEqual({ kind: "exit", status: 0 });
    expect(alive()).toEqual([]);
  });

  test("its identity recognises it, and killStray kills it and its descent", async () => {
    const identity: { pid: number; started: string }[] = [];
    const running = run("(trap '' TERM; sleep 1000) & touch ready; sleep 1000", {
      onStart: (root) => identity.push(root),
    });
    await touched("ready");
    const [root] = identity;
    expect(await killStray(root!.pid, `${root!.started}0`)).toBe("gone");
    expect(alive()).not.toEqual([]);
    expect(await killStray(root!.pid, root!.started)).toBe("killed");
    expect(alive()).toEqual([]);
    expect((await running).end).toEqual({ kind: "exit", status: kind === "process-group" ? 137 : 1 });
    expect(await killStray(root!.pid, root!.started)).toBe("gone");
  });
});

test("a stray without start time is left alone", async () => {
  expect(await killStray(process.pid, null)).toBe("unknown");
  expect(await killStray(process.pid, "")).toBe("unknown");
});

describe("in a PID namespace nothing escapes", () => {
  const escapes = [
    ["a session of its own", "setsid sh -c 'trap \"\" TERM INT HUP; touch ready; sleep 1000' &"],
    [
      "two forks and a session",
      "(setsid sh -c 'trap \"\" TERM; (touch ready; exec sleep 1000) & exit' & exit)",
    ],
    ["a pipe that stays open", "setsid sh -c 'touch ready; exec sleep 1000' >&2 &"],
  ] as const;

  test.each(escapes)("%s, when the program ends", async (_, script) => {
    const isolation = await processIsolation();
    expect(isolation.kind).toBe("pid-namespace");
    const wait = "while ! [ -e ready ]; do sleep 0.01; done";
    const { end } = await runProgram(request(`${script}\n${wait}`), isolation);
    expect(end).toEqual({ kind: "exit", status: 0 });
    expect(alive()).toEqual([]);
  });

  test.each(escapes)("%s, when the program is stopped", async (_, script) => {
    const abort = new AbortController();
    const stopping = runProgram(
      request(`${script}\nsleep 1000`, { signal: abort.signal, grace: 50 }),
      await processIsolation(),
    );
    await touched("ready");
    abort.abort();
    expect((await stopping).end).toEqual({ kind: "aborted" });
    expect(alive()).toEqual([]);
  });
});
