/** `cfa memory` and `cfa respond` on the command line, on a job whose proxy is a program. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { APPROVE, cfa, cfaWith, here, keptRepository, shellJob } from "./fixture.ts";

/** Asks in INTENT, and goes on with whatever is answered. */
const ASKS = `case "$CFA_STATE $(cat)" in "INTENT [answer"*) echo agreed >INTENT.md ;; INTENT*) cfa ask "Which colour?"; exit ;; esac
${APPROVE}`;
/** Asks the human once, then says what they said. */
const STANDS_FOR = `if said=$(grep "^The human: "); then cfa respond "\${said#The human: }"; else cfa ask "A colour, please"; fi`;

let top: string;
let remove = () => {};
afterAll(() => remove());
beforeAll(async () => {
  ({ top, remove } = await keptRepository());
  shellJob(top, { lead: ASKS, proxy: STANDS_FOR });
  const said = await cfa(top, "run");
  expect(said).toMatchObject({ code: 4 });
  const [, question = ""] = /^ {2}(\S+): /m.exec(said.out) ?? [];
  expect((await cfa(top, "answer", question, "blue")).code).toBe(0);
  expect((await cfa(top, "resume")).code).toBe(0);
});

describe("memory", () => {
  test("lists what was asked and said, one a line, and finds it by words", async () => {
    const listed = await here(top, "memory");
    expect(listed).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^ +1 {2}\d{4}-\d\d-\d\d {2}Which colour\? -> blue$/u),
    });
    expect((await here(top, "memory", "list", "colour")).out).toBe(listed.out);
    expect(await here(top, "memory", "list", "sizes")).toMatchObject({
      code: 0,
      out: "",
      err: expect.stringContaining("nothing like that is remembered of default"),
    });
  });

  test("shows a record whole: the context, the proxy's view, the human's words", async () => {
    const { out } = await here(top, "memory", "show", "1");
    for (const line of [
      /^asked: +Which colour\?$/mu,
      /^proxy: +A colour, please$/mu,
      /^human: +blue$/mu,
      /^context: +lead on /mu,
    ])
      expect(out).toMatch(line);
    expect(JSON.parse((await here(top, "memory", "show", "1", "--json")).out)).toMatchObject({
      id: 1,
      answer: "blue",
    });
  });

  test("is corrected by a record that supersedes, from the words or from standard input", async () => {
    expect(await here(top, "memory", "correct", "1", "navy", "blue")).toMatchObject({
      code: 0,
      out: "record 2 corrects 1",
    });
    const { code, out } = await cfaWith({ cwd: top, input: "dark blue\n" }, "memory", "correct", "2", "-");
    expect({ code, out }).toEqual({ code: 0, out: "record 3 corrects 2" });
    const all = JSON.parse((await here(top, "memory", "--json")).out);
    expect(all).toMatchObject([
      { corrected: 2 },
      { answer: "navy blue", corrected: 3 },
      { answer: "dark blue\n" },
    ]);
  });

  test.each([
    [["show"], "show needs the number of a record"],
    [["show", "x"], "show needs the number of a record"],
    [["show", "99"], "there is no record 99 of default: cfa memory lists them"],
    [["correct", "1"], "say what is right: cfa memory correct 1 TEXT"],
    [["correct", "99", "red"], "there is no record 99: nothing was written"],
    [["list", "--human", "../x"], '"../x" is no name of a human'],
    [["forget", "1"], "value 'forget' is invalid for argument 'action'"],
  ])("%j is refused: %s", async (words, sentence) => {
    expect(await here(top, "memory", ...words)).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining(sentence),
    });
  });
});

test("respond outside a turn says where it works", async () => {
  expect(await here(top, "respond", "yes")).toMatchObject({
    code: 2,
    err: expect.stringContaining("works only inside a turn"),
  });
});

test("verify finds nothing wrong with the log of a job whose proxy is a program", async () => {
  expect((await here(top, "verify")).code).toBe(0);
  expect((await here(top, "replay")).code).toBe(0);
});
