/** The user's own configuration (docs/human.md, "Being told"): where it lies, what it may say, and that a job's goes before it. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { userNotify } from "../../src/cli/user-configuration.ts";
import { cfaWith, directory, read, repository, shellJob } from "./fixture.ts";

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const PATH = process.env["PATH"] ?? "";
const URL_KEY = 'notify: { url: "https://example.org/hook" }\n';
const TARGET = { url: "https://example.org/hook" };

describe("it lies", () => {
  test.each<[string, (home: string) => Record<string, string>, string, object | undefined]>([
    ["in XDG_CONFIG_HOME", (home) => ({ XDG_CONFIG_HOME: home }), "cfa/config.yaml", TARGET],
    ["else in ~/.config", (home) => ({ HOME: home }), ".config/cfa/config.yaml", TARGET],
    [
      "there, too, where XDG_CONFIG_HOME is empty",
      (home) => ({ XDG_CONFIG_HOME: "", HOME: home }),
      ".config/cfa/config.yaml",
      TARGET,
    ],
    [
      "and where it is relative",
      (home) => ({ XDG_CONFIG_HOME: "x", HOME: home }),
      ".config/cfa/config.yaml",
      TARGET,
    ],
    [
      "but not in both",
      (home) => ({ XDG_CONFIG_HOME: join(home, "xdg"), HOME: home }),
      ".config/cfa/config.yaml",
      undefined,
    ],
    ["nowhere without a home", () => ({}), "cfa/config.yaml", undefined],
  ])("%s", async (_, env, file, target) => {
    const home = directory();
    put(join(home, file), URL_KEY);
    expect(await userNotify({ env: env(home) }, home)).toEqual(target);
  });
});

describe("it says", () => {
  const told = (home: string) => userNotify({ env: { XDG_CONFIG_HOME: home, PATH } }, "/");

  test.each(["", "# nothing yet\n", "{}\n"])("nothing: %j", async (text) => {
    const home = directory();
    put(join(home, "cfa/config.yaml"), text);
    expect(await told(home)).toBeUndefined();
  });

  test("a program beside it, or on PATH", async () => {
    const home = directory();
    put(join(home, "cfa/tell.sh"), "#!/bin/sh\n");
    chmodSync(join(home, "cfa/tell.sh"), 0o755);
    put(join(home, "cfa/config.yaml"), "notify: { run: [tell.sh, loud] }\n");
    expect(await told(home)).toEqual({ run: [join(home, "cfa/tell.sh"), "loud"] });
    put(join(home, "cfa/config.yaml"), "notify: { run: [sh, tell.sh] }\n");
    expect(await told(home)).toEqual({ run: ["sh", join(home, "cfa/tell.sh")] });
  });

  test.each([
    ["notify: { run: [no-such-program-here] }", /notify\.run: .*no-such-program-here/u],
    ["notify: { url: ftp://example.org }", /notify\.url: must be an address that begins with http/u],
    ["notify: {}", /notify: must have run or url, one of them/u],
    ["human: ada", /there is no key human: it takes notify/u],
    ["notify: [", /is no YAML/u],
    ["- notify", /the file: /u],
  ])("what it may not: %s", async (text, sentence) => {
    const home = directory();
    put(join(home, "cfa/config.yaml"), `${text}\n`);
    const refused = await told(home).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: "Misuse", message: expect.stringMatching(sentence) });
    expect(refused).toMatchObject({ message: expect.stringContaining(join(home, "cfa/config.yaml")) });
  });

  test("and is a file", async () => {
    const home = directory();
    mkdirSync(join(home, "cfa/config.yaml"), { recursive: true });
    await expect(told(home)).rejects.toThrow(/cannot be read: EISDIR/u);
  });
});

test("a run tells by it; the job's own goes before it; a mistake in it starts nothing", async () => {
  const top = await repository();
  const home = directory();
  const env = { XDG_CONFIG_HOME: home };
  const asks = { lead: `grep -q answer || { cfa ask "which?"; exit 0; }` };
  const notify = (name: string) => `notify: { run: [sh, -c, "cat >>${join(home, name)}"] }\n`;
  put(join(home, "cfa/config.yaml"), notify("user"));
  const file = shellJob(top, asks);
  const first = await cfaWith({ cwd: top, env }, "run", file, "--repo", top);
  expect(first.code).toBe(4);
  expect(JSON.parse(read(home, "user"))).toMatchObject({ question: "q1.1.1", text: "which?" });

  shellJob(top, asks, notify("job"));
  const second = await cfaWith({ cwd: top, env }, "run", file, "--repo", top, "--new");
  expect(second.code).toBe(4);
  expect(read(home, "user").trim().split("\n")).toHaveLength(1);
  expect(JSON.parse(read(home, "job"))).toMatchObject({ text: "which?" });

  put(join(home, "cfa/config.yaml"), "notify: no\n");
  const third = await cfaWith({ cwd: top, env }, "run", file, "--repo", top, "--new");
  expect(third).toMatchObject({
    code: 2,
    out: "",
    err: expect.stringMatching(/^cfa: .*config\.yaml: notify: /u),
  });
});
