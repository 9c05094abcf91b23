/** The folder of messages: what counts as written in a turn, what is not taken, how arrivals are numbered. */
import { execFileSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  filesBefore,
  MESSAGES_MAX,
  readWritten,
  writeArrived,
} from "../../../src/channels/files-protocol/message-folder.ts";
import {
  type FileMessage,
  MESSAGE_FILE_BYTES_MAX,
  messageFileName,
} from "../../../src/channels/files-protocol/messages.ts";

let home: string;
let folder: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "cfa-messages-"));
  folder = join(home, "messages");
  mkdirSync(folder);
});
afterEach(() => rmSync(home, { recursive: true }));

const message = (content: unknown = "done", keys: Partial<FileMessage> = {}): FileMessage => ({
  from: "writer",
  to: "lead",
  timestamp: "2026-01-15T10:30:00Z",
  type: "update",
  content: content as FileMessage["content"],
  ...keys,
});
const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
const put = (number: number, content?: unknown) =>
  write(messageFileName(message(), number), JSON.stringify(message(content)));
const contents = async (before: Awaited<ReturnType<typeof filesBefore>>) =>
  (await readWritten(folder, before)).messages.map(({ message }) => message.content);

describe("what a turn has written", () => {
  test("is what was not there before, in the order of its numbers", async () => {
    put(1, "old");
    const before = await filesBefore(folder);
    put(10, "third");
    put(2, "first");
    put(3, "second");
    expect(await contents(before)).toEqual(["first", "second", "third"]);
    expect(await contents(await filesBefore(folder))).toEqual([]);
  });

  test("is also what was there and has been written again, by a program that counts from one in every turn", async () => {
    put(1, "old");
    put(2, "of a turn that was lost");
    const before = await filesBefore(folder);
    put(1, "new");
    expect(await contents(before)).toEqual(["new"]);
  });
});

describe("is not taken, and named", () => {
  test.each([
    ["no JSON", (path: string) => writeFileSync(path, "no"), "is no JSON"],
    ["a link", (path: string) => symlinkSync("/etc/passwd", path), "is a link, which is not followed"],
    ["a link that leads nowhere", (path: string) => symlinkSync("/nowhere", path), "is a link"],
    ["a pipe", (path: string) => execFileSync("mkfifo", [path]), "is no regular file"],
    ["a folder", (path: string) => mkdirSync(path), "is no regular file"],
    ["an empty file", (path: string) => writeFileSync(path, ""), "is no JSON"],
    [
      "bytes that are no text",
      (path: string) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0x00])),
      "is no JSON",
    ],
    ["a deep bomb", (path: string) => writeFileSync(path, "[".repeat(60_000)), "is nested deeper"],
    [
      "megabytes",
      (path: string) => writeFileSync(path, JSON.stringify(message("x".repeat(2 * 1024 * 1024)))),
      `is larger than ${MESSAGE_FILE_BYTES_MAX} bytes`,
    ],
    [
      "another name",
      (path: string) => writeFileSync(path, JSON.stringify({ ...message(), to: "x" })),
      "call it writer_to_x_001.json",
    ],
  ])("%s", async (_name, make, problem) => {
    const before = await filesBefore(folder);
    make(join(folder, "writer_to_lead_001.json"));
    put(2, "good");
    const { messages, problems } = await readWritten(folder, before);
    expect(messages.map(({ file }) => file)).toEqual(["writer_to_lead_002.json"]);
    expect(problems).toEqual([expect.stringMatching(/^messages\/writer_to_lead_001\.json .*: ignored$/u)]);
    expect(problems[0]).toContain(problem);
  });

  test("a hard link is a file like any other: its content is what counts", async () => {
    const before = await filesBefore(folder);
    writeFileSync(join(home, "elsewhere"), JSON.stringify(message("linked")));
    linkSync(join(home, "elsewhere"), join(folder, "writer_to_lead_001.json"));
    expect(await contents(before)).toEqual(["linked"]);
  });

  test(`what comes after ${MESSAGES_MAX} messages; every name is said`, async () => {
    const before = await filesBefore(folder);
    for (let n = 1; n <= MESSAGES_MAX + 2; n++) put(n);
    const { messages, problems } = await readWritten(folder, before);
    expect(messages).toHaveLength(MESSAGES_MAX);
    expect(problems).toEqual([
      `more than ${MESSAGES_MAX} messages in one turn, 2 ignored: writer_to_lead_101.json, writer_to_lead_102.json`,
    ]);
  });

  test("thousands of files of the oddest names: the log stays readable and bounded", async () => {
    const before = await filesBefore(folder);
    for (let n = 0; n < 2_000; n++) write(`${n}\n${"x".repeat(200)}`, "no");
    const { messages, problems } = await readWritten(folder, before);
    expect(messages).toEqual([]);
    expect(problems).toHaveLength(MESSAGES_MAX + 1);
    expect(problems.join("").length).toBeLessThan(64 * 1024);
    expect(problems.join("")).not.toContain("\n");
    expect(problems.at(-1)).toMatch(/^more than 100 messages in one turn, 1900 ignored: .*, …$/u);
  });

  test.each([
    ["nothing", () => {}, "messages/ is gone: nothing in it is read"],
    [
      "a link to another folder",
      () => symlinkSync(tmpdir(), folder),
      "messages/ is no folder any more: nothing in it is read",
    ],
    ["a file", () => writeFileSync(folder, ""), "messages/ is no folder any more: nothing in it is read"],
  ])("everything, with %s in place of the folder", async (_name, make, problem) => {
    const before = await filesBefore(folder);
    rmSync(folder, { recursive: true });
    make();
    expect(await readWritten(folder, before)).toEqual({ messages: [], problems: [problem] });
  });
});

describe("what arrives", () => {
  const arrived = (mail: string, from = "lead") => message("hello", { from, to: "writer", mail });

  test("is numbered on, for each sender, and past what the agent has made of the names", async () => {
    const files = [
      await writeArrived(folder, arrived("m1")),
      await writeArrived(folder, arrived("m2")),
      await writeArrived(folder, arrived("m3", "human")),
    ];
    symlinkSync("/etc/passwd", join(folder, "lead_to_writer_007.json"));
    files.push(await writeArrived(folder, arrived("m4")));
    expect(files).toEqual([
      "lead_to_writer_001.json",
      "lead_to_writer_002.json",
      "human_to_writer_001.json",
      "lead_to_writer_008.json",
    ]);
    expect(JSON.parse(readFileSync(join(folder, "lead_to_writer_008.json"), "utf8"))).toEqual(arrived("m4"));
  });

  test("is written once, also when its turn is run again", async () => {
    await writeArrived(folder, arrived("m1"));
    await writeArrived(folder, arrived("m1"));
    expect(readdirSync(folder)).toEqual(["lead_to_writer_001.json"]);
  });

  test("is not taken for what the agent writes", async () => {
    await writeArrived(folder, arrived("m1"));
    expect(await contents(await filesBefore(folder))).toEqual([]);
  });
});
