import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { processIdentity, processState, thisProcess } from "../../src/persistence/process-identity.ts";

const sleeper = () => execa("sleep", ["1000"], { reject: false });

describe("a process is recognised by pid and start time", () => {
  test("this one runs", () => {
    const { pid, started } = thisProcess();
    expect(pid).toBe(process.pid);
    expect(started).toMatch(/^[0-9a-f-]{36}\/\d+\/\d+$/);
    expect(processIdentity(process.pid)).toEqual({ pid, started });
    expect(processState({ pid, started })).toBe("running");
  });

  test("a child runs until it is killed", async () => {
    const child = sleeper();
    const identity = processIdentity(child.pid!)!;
    expect(processState(identity)).toBe("running");
    child.kill("SIGKILL");
    await child;
    expect(processState(identity)).toBe("gone");
    expect(processIdentity(child.pid!)).toBe(undefined);
  });

  test("a stopped process runs", async () => {
    const child = sleeper();
    child.kill("SIGSTOP");
    expect(processState(processIdentity(child.pid!)!)).toBe("running");
    child.kill("SIGKILL");
    await child;
  });

  const { pid, started } = thisProcess();
  const [boot, namespace, ticks] = started.split("/");
  test.each([
    ["a reused pid", { pid, started: `${boot}/${namespace}/${Number(ticks) + 1}` }, "gone"],
    [
      "before the last boot",
      { pid, started: `00000000-0000-0000-0000-000000000000/${namespace}/${ticks}` },
      "gone",
    ],
    ["of another pid namespace", { pid, started: `${boot}/1/${ticks}` }, "unknown"],
    ["a pid that is free", { pid: 4_194_304, started }, "gone"],
    ["without start time, pid in use", { pid, started: "" }, "running"],
    ["without start time, pid free", { pid: 4_194_304, started: "" }, "gone"],
  ])("%s", (_, identity, state) => {
    expect(processState(identity)).toBe(state);
  });
});
