/** What a program prints, under bounds: memory, the stream file, a full disk. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ProgramOutput, TEXT_BYTES } from "../../../src/runtime/process/output.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "cfa-output-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

type Printed = {
  readonly text: string;
  readonly problem: string | undefined;
  readonly lines: readonly string[];
};

async function print(path: string, chunks: readonly (string | Buffer)[], limit?: number): Promise<Printed> {
  const lines: string[] = [];
  const output = await ProgramOutput.open(path, (line) => lines.push(line), limit);
  await output.take(Readable.from(chunks.map((chunk) => Buffer.from(chunk))), "stdout");
  await output.close();
  return { text: output.text(), problem: output.problem, lines };
}

describe("the stream file", () => {
  const remark = "\n[cfa: output beyond 10 bytes is not kept]\n";
  test.each([
    ["below its bound", ["12345", "6789"], "123456789"],
    ["at its bound", ["12345", "67890"], "1234567890"],
    ["cut inside a chunk", ["12345", "67890ab", "cd"], `1234567890${remark}`],
    ["cut between chunks", ["1234567890", "a", "b"], `1234567890${remark}`],
  ])("%s", async (_, chunks, content) => {
    const { text } = await print(join(home, "stream"), chunks, 10);
    expect(readFileSync(join(home, "stream"), "utf8")).toBe(content);
    expect(text).toBe(chunks.join(""));
  });

  test("that holds something already counts it", async () => {
    writeFileSync(join(home, "stream"), "12345678");
    await print(join(home, "stream"), ["90ab"], 10);
    expect(readFileSync(join(home, "stream"), "utf8")).toBe(`1234567890${remark}`);
  });

  test("on a full disk is given up with a sentence; the text is not", async () => {
    expect(await print("/dev/full", ["one\n", "two\n"])).toEqual({
      text: "one\ntwo",
      problem: expect.stringMatching(/^the output is not kept from here on: .*no space left/i),
      lines: ["one", "two"],
    });
  });

  test("is not opened through a link", async () => {
    symlinkSync(join(home, "elsewhere"), join(home, "stream"));
    await expect(print(join(home, "stream"), ["x"])).rejects.toThrow(/ELOOP/);
  });
});

describe("the text", () => {
  test.each([
    ["without its last line end", ["a\n", "b\r\n"], "a\nb"],
    ["with all other space", ["\n a \n\n"], "\n a \n"],
    ["of characters that come in pieces", [Buffer.from([0xc3]), Buffer.from([0xa9])], "é"],
    ["as long as it may be", ["x".repeat(TEXT_BYTES)], "x".repeat(TEXT_BYTES)],
    [
      "one byte longer",
      ["a", "x".repeat(TEXT_BYTES)],
      `[cfa: the first 1 bytes of this output are left out]\n${"x".repeat(TEXT_BYTES)}`,
    ],
    [
      "cut before a character, not inside",
      ["é", "x".repeat(TEXT_BYTES - 1)],
      `[cfa: the first 2 bytes of this output are left out]\n${"x".repeat(TEXT_BYTES - 1)}`,
    ],
  ])("%s", async (_, chunks, text) => {
    expect((await print(join(home, "stream"), chunks)).text === text).toBe(true);
  });

  test("that comes byte by byte is the same", async () => {
    const bytes = Array.from({ length: 5000 }, (_, index) => (index % 50 === 49 ? "\n" : "x"));
    expect((await print(join(home, "stream"), bytes)).text).toBe(bytes.join("").trimEnd());
  });
});

describe("lines", () => {
  test.each([
    ["come whole, whatever the chunks", ["a", "b\nc", "\n"], ["ab", "c"]],
    ["come without line end at the end, too", ["a\nb"], ["a", "b"]],
    ["that are blank do not come", ["a\n \n\nb\n"], ["a", "b"]],
    [
      "of one chunk beyond 16 are left out, the first ones",
      [Array.from({ length: 18 }, (_, n) => `${n}\n`).join("")],
      Array.from({ length: 16 }, (_, n) => `${n + 2}`),
    ],
    ["are cut at 1000 characters", ["x".repeat(3000), "x".repeat(3000), "\n"], ["x".repeat(1000)]],
  ])("%s", async (_, chunks, lines) => {
    expect((await print(join(home, "stream"), chunks)).lines).toEqual(lines);
  });
});
