/**
 * Logs that were recorded with each format (`node scripts/record-corpus.mjs`) are read by this cfa as by the one that wrote them
 * (docs/log.md, "Other versions").
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { JobReader } from "../../src/engine/read-job.ts";
import { verifyLog } from "../../src/engine/verify.ts";
import { decodeEntry } from "../../src/persistence/codec.ts";
import { bodySchemas, type Entry, VERSIONS } from "../../src/persistence/entry.ts";
import { openLogFile } from "../../src/persistence/log-file.ts";
import { brokenInvariants } from "../../src/rules/invariants.ts";

const CORPUS = fileURLToPath(new URL(".", import.meta.url));

const expectationsSchema = z.record(
  z.string(),
  z.strictObject({
    state: z.string(),
    entries: z.int().positive(),
    head: z.string().length(64),
    backtracks: z.int().nonnegative(),
  }),
);

type Recorded = z.infer<typeof expectationsSchema>[string] & { readonly name: string; readonly file: string };

/** What was recorded with a format; throws a sentence where nothing was. */
function recordedWith(format: string): readonly Recorded[] {
  const expectations = `${CORPUS}${format}/expectations.json`;
  if (!existsSync(expectations))
    throw new Error(
      `no logs of format ${format} are in test/corpus/${format}: record them with "npm run build && node scripts/record-corpus.mjs"`,
    );
  const known = expectationsSchema.parse(JSON.parse(readFileSync(expectations, "utf8")));
  return Object.entries(known).map(([name, told]) => ({
    ...told,
    name,
    file: `${CORPUS}${format}/${name}.jsonl`,
  }));
}

function entriesOf(path: string): readonly Entry[] {
  const file = openLogFile(path);
  return [...file.rows()].map((row) => decodeEntry(row, `entry ${row.seq} of ${path}`));
}

const formats = readdirSync(CORPUS).filter((name) => /^\d+$/.test(name));
const present = String(VERSIONS.format);

describe.each(formats)("format %s", (format) => {
  test("every log has its expectations", () => {
    const logs = readdirSync(`${CORPUS}${format}`).filter((name) => name.endsWith(".jsonl"));
    expect(logs.toSorted()).toEqual(
      recordedWith(format)
        .map(({ name }) => `${name}.jsonl`)
        .toSorted(),
    );
  });

  test.each(recordedWith(format))("$name is valid, and folds as it did: $state", async (recorded) => {
    const { state, entries, head, backtracks, file } = recorded;
    expect(await verifyLog(openLogFile(file))).toMatchObject({ valid: true, offence: null, entries, head });
    const reader = new JobReader();
    for (const entry of entriesOf(file)) {
      reader.apply(entry);
      expect(brokenInvariants(reader.configuration)).toEqual([]);
    }
    expect(reader.job()?.record.machine).toMatchObject({ state, backtracks });
  });
});

describe("the format of this cfa", () => {
  test("is recorded with every kind of entry", () => {
    const kinds = recordedWith(present).flatMap(({ file }) => entriesOf(file).map(({ kind }) => kind));
    expect([...new Set(kinds)].toSorted()).toEqual(Object.keys(bodySchemas).toSorted());
  });

  test("names nobody's paths", () => {
    for (const { name, file } of recordedWith(present)) {
      const paths = readFileSync(file, "utf8").match(/(?<=")\/[^"]*/g);
      expect([name, paths]).toEqual([name, [expect.stringMatching(/^\/tmp\/cfa-corpus\/[a-z-]+$/)]]);
    }
  });
});

test("a format without logs is named, with how to record them", () => {
  expect(() => recordedWith("99")).toThrow(/no logs of format 99 are in test\/corpus\/99: record them with/);
});
