/** Hunts what survives a SIGKILL of cfa: the parent here is a Node process of its own that runs the real code and is killed. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { processIsolation } from "../../../src/runtime/process/isolation.ts";

const root = resolve(import.meta.dirname, "../../..");
let home: string;

/** Node 20 runs no TypeScript: the parent needs the compiled module. */
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "cfa-killed-"));
  symlinkSync(join(root, "node_modules"), join(home, "node_modules"));
  writeFileSync(join(home, "package.json"), '{"type":"module"}');
  const options = [
    "--target",
    "es2023",
    "--module",
    "nodenext",
    "--types",
    "node",
    "--rewriteRelativeImportExtensions",
  ];
  const source = join(root, "src/runtime/process/run-program.ts");
  const place = ["--ignoreConfig", "--rootDir", join(root, "src"), "--outDir", join(home, "js")];
  await execa(join(root, "node_modules/.bin/tsc"), [...options, "--skipLibCheck", ...place, source], {
    cwd: root,
  });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const PARENT = `
import { runProgram } from "./js/runtime/process/run-program.js";
import { processIsolation } from "./js/runtime/process/isolation.js";
const [home, script] = process.argv.slice(2);
await runProgram(
  { run: ["sh", "-c", script], cwd: home, env: { PATH: process.env.PATH, MARK: home }, input: "", stream: home + "/stream",
    timeout: 1e9, stopSignals: ["SIGTERM"], grace: 1e9, signal: new AbortController().signal, onStart() {}, onLine() {} },
  await processIsolation(),
);
`;

function marked(): readonly string[] {
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

test.each([
  ["a plain program", "touch ready; sleep 1000"],
  ["a child that ignores every request", "(trap '' TERM INT HUP; touch ready; sleep 1000) & sleep 1000"],
  [
    "a grandchild in a session of its own",
    "(setsid sh -c 'trap \"\" TERM INT HUP; touch ready; sleep 1000' &); sleep 1000",
  ],
  ["a program that stands still", "touch ready; kill -STOP $$"],
])("a SIGKILL of cfa kills %s", async (_, script) => {
  expect((await processIsolation()).kind).toBe("pid-namespace");
  rmSync(join(home, "ready"), { force: true });
  writeFileSync(join(home, "parent.mjs"), PARENT);
  const parent = execa("node", ["parent.mjs", home, script], { cwd: home, reject: false });
  await vi.waitFor(() => expect(existsSync(join(home, "ready"))).toBe(true), 20_000);
  expect(marked()).not.toEqual([]);
  parent.kill("SIGKILL");
  expect((await parent).signal).toBe("SIGKILL");
  await vi.waitFor(() => expect(marked()).toEqual([]), 20_000);
});

test("a SIGKILL of cfa at the very start leaves nothing either", async () => {
  writeFileSync(join(home, "parent.mjs"), PARENT);
  for (let attempt = 0; attempt < 3; attempt++) {
    const parent = execa("node", ["parent.mjs", home, "setsid sleep 1000 & sleep 1000"], {
      cwd: home,
      reject: false,
    });
    await vi.waitFor(() => expect(marked()).not.toEqual([]), { timeout: 20_000, interval: 1 });
    parent.kill("SIGKILL");
    await parent;
    await vi.waitFor(() => expect(marked()).toEqual([]), 20_000);
  }
});
