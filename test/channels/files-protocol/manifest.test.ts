/** What an agent starts with of its siblings (docs/files-dependencies.md, "What the agent finds"). */
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { filesHome } from "../../../src/channels/files-protocol/layout.ts";
import { placeDependencies } from "../../../src/channels/files-protocol/manifest.ts";
import type { Dependencies, Settled } from "../../../src/runtime/dependencies/readiness.ts";

let job: string;
let home: string;
let sibling: string;
beforeEach(() => {
  job = mkdtempSync(join(tmpdir(), "cfa-manifest-"));
  home = filesHome(job, "dispatch:1.1.2");
  sibling = filesHome(job, "dispatch:1.1.1");
  for (const one of [home, sibling])
    for (const folder of ["inbox", "outbox"]) mkdirSync(join(one, folder), { recursive: true });
});
afterEach(() => rmSync(job, { recursive: true }));

const write = (root: string, path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const read = (path: string) => readFileSync(join(home, path), "utf8");

const COMPLETED: Settled = {
  agent: "data-collector",
  standing: "completed",
  thread: "dispatch:1.1.1",
  turn: 1,
};
const needing = (outputs: readonly string[], settled: readonly Settled[] = [COMPLETED]): Dependencies => ({
  depends_on: [{ agent: "data-collector", outputs, copy_to: "inbox/source_data/" }],
  wait_for: ["data-collector"],
  settled,
});

test("outputs are copied, and the manifest says what was declared and what came of it", async () => {
  write(sibling, "outbox/data.json", "[1]");
  write(sibling, "outbox/sources.md", "here");
  const settled = [
    COMPLETED,
    { agent: "schema-validator", standing: "skipped", thread: "dispatch:1.1.3", turn: 3 } as const,
  ];
  const dependencies = {
    ...needing(["outbox/data.json", "outbox/sources.md"], settled),
    wait_for: ["data-collector", "schema-validator"],
  };
  expect(await placeDependencies(job, home, dependencies)).toBeUndefined();
  expect(read("inbox/source_data/data.json")).toBe("[1]");
  expect(read("inbox/source_data/sources.md")).toBe("here");
  expect(JSON.parse(read("inbox/dependencies.json"))).toEqual({
    depends_on: [
      {
        agent: "data-collector",
        outputs: ["outbox/data.json", "outbox/sources.md"],
        copy_to: "inbox/source_data/",
      },
    ],
    wait_for: ["data-collector", "schema-validator"],
    states: { "data-collector": "completed", "schema-validator": "skipped" },
  });
});

test("a folder is copied with all that is in it; done again, it comes to the same", async () => {
  write(sibling, "outbox/data/a.csv", "a");
  write(sibling, "outbox/data/deep/b.csv", "b");
  for (let n = 0; n < 2; n++)
    expect(await placeDependencies(job, home, needing(["outbox/data/"]))).toBeUndefined();
  expect(read("inbox/source_data/data/a.csv")).toBe("a");
  expect(read("inbox/source_data/data/deep/b.csv")).toBe("b");
  expect(readdirSync(join(home, "inbox/source_data/data"))).toEqual(["a.csv", "deep"]);
});

test("they are those of the turn in which the sibling has completed, though it is at work again", async () => {
  write(sibling, "kept/1/outbox/data.json", "first");
  write(sibling, "outbox/data.json", "half of the second");
  expect(await placeDependencies(job, home, needing(["outbox/data.json"]))).toBeUndefined();
  expect(read("inbox/source_data/data.json")).toBe("first");
});

test("of a sibling that was skipped nothing is copied, and the manifest says so", async () => {
  const skipped = { ...COMPLETED, standing: "skipped" } as const;
  expect(await placeDependencies(job, home, needing(["outbox/data.json"], [skipped]))).toBeUndefined();
  expect(readdirSync(join(home, "inbox"))).toEqual(["dependencies.json"]);
  expect(JSON.parse(read("inbox/dependencies.json"))).toMatchObject({
    states: { "data-collector": "skipped" },
  });
});

test("an agent that needs nobody gets no manifest", async () => {
  expect(await placeDependencies(job, home, undefined)).toBeUndefined();
  expect(readdirSync(join(home, "inbox"))).toEqual([]);
});

const SECRET = "/etc/passwd";
test.each([
  ["that is missing", "outbox/data.json", () => {}, "there is no such file"],
  [
    "that is a link",
    "outbox/data.json",
    () => symlinkSync(SECRET, join(sibling, "outbox/data.json")),
    "is a link",
  ],
  [
    "that is a pipe",
    "outbox/data.json",
    () => execFileSync("mkfifo", [join(sibling, "outbox/data.json")]),
    "is no regular file",
  ],
  [
    "behind a link",
    "outbox/data/passwd",
    () => symlinkSync(dirname(SECRET), join(sibling, "outbox/data")),
    "which is a link",
  ],
  [
    "in an outbox that is a link",
    "outbox/passwd",
    () => {
      rmSync(join(sibling, "outbox"), { recursive: true });
      symlinkSync(dirname(SECRET), join(sibling, "outbox"));
    },
    "which is a link",
  ],
  [
    "that is a folder with a link in it",
    "outbox/data",
    () => {
      mkdirSync(join(sibling, "outbox/data"));
      symlinkSync(SECRET, join(sibling, "outbox/data/secret"));
    },
    "secret in it is no regular file; links are not followed",
  ],
])(
  "an output %s fails the turn, which names it; nothing stands in its place",
  async (_name, output, make, why) => {
    make();
    const failure = await placeDependencies(job, home, needing([output]));
    expect(failure).toContain(`it needs ${output} of data-collector, and `);
    expect(failure).toContain(why);
    expect(readdirSync(join(home, "inbox"))).not.toContain("dependencies.json");
  },
);
