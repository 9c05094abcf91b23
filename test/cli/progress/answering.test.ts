/** Which keys count for which question, picture by picture. */
import { expect, test } from "vitest";
import type { Key } from "../../../src/cli/context.ts";
import { Answering } from "../../../src/cli/progress/answering.ts";
import type { QuestionView } from "../../../src/cli/view/question-view.ts";

const question = (id: string): QuestionView => ({
  id,
  exchange: 1,
  conversation: `escalation:${id}`,
  agent: "lead",
  thread: "INTENT",
  text: `text of ${id}`,
  policy: "when_unsure",
  since: "2026-01-01T00:00:00.000Z",
  default: null,
});
const [Q1, Q2] = [question("q1"), question("q2")];

const key = (name: string, text = "", ctrl = false): Key => ({ name, text, ctrl });
const ENTER = key("return", "\r");
const TAB = key("tab", "\t");
const PASTE = [key("paste-start"), key("paste-end")] as const;

/** A terminal with a job behind it that takes answers, or refuses those that are `refused`. */
function terminal(refused?: string) {
  const sent: string[] = [];
  const exchanges: number[] = [];
  const said: string[] = [];
  let press: (key: Key) => void = () => undefined;
  let stops = 0;
  const output = {
    write: () => undefined,
    drained: async () => undefined,
    isTTY: true,
    columns: () => 80,
    rows: () => 24,
    closed: () => false,
  };
  const means = {
    keys: (listener: (key: Key) => void) => {
      press = listener;
      return () => (press = () => undefined);
    },
    send: async (id: string, text: string, exchange: number) => {
      if (text === refused) throw new Error("the disk is full");
      exchanges.push(exchange);
      sent.push(`${id}: ${text}`);
    },
    stop: () => (stops += 1),
  };
  const answering = new Answering(means, output, (line) => said.push(line));
  return {
    sent,
    exchanges,
    said,
    stops: () => stops,
    answering,
    /** Types words and presses keys. */
    keys: (...all: readonly (string | Key)[]) => {
      for (const one of all) {
        if (typeof one !== "string") press(one);
        else for (const letter of one.split("")) press(key(letter, letter));
      }
    },
    /** The next picture, with these questions open: what it shows of them. */
    picture: (...open: readonly QuestionView[]) => {
      answering.beforePicture();
      answering.take(open);
      return answering.lines(80);
    },
  };
}

test("a question takes no key before the picture that shows it, except Ctrl-C", () => {
  const { picture, keys, sent, stops } = terminal();
  expect(picture(Q1)).toEqual([]);
  keys("git push", ENTER, key("c", "\u0003", true));
  expect(picture(Q1)).toEqual([expect.stringContaining("? q1 of lead"), "> ", expect.any(String)]);
  keys("yes", ENTER);
  expect([sent, stops()]).toEqual([["q1: yes"], 1]);
});

test("a paste that began before the picture is dropped to its end", () => {
  const { picture, keys, sent } = terminal();
  picture(Q1);
  keys(PASTE[0], "rm", ENTER);
  picture(Q1);
  keys("-r", ENTER, PASTE[1], "no", ENTER);
  expect(sent).toEqual(["q1: no"]);
});

test("the rest of a line, or of a paste, whose question has gone goes to no other one until Tab", () => {
  const { picture, keys, sent, said } = terminal();
  picture(Q1, Q2);
  picture(Q1, Q2);
  keys("do not de", PASTE[0], "le");
  picture(Q2);
  expect(picture(Q2).at(-1)).toContain("press Tab");
  keys("te", ENTER, "it", PASTE[1], ENTER);
  expect(sent).toEqual([]);
  expect(said).toEqual(["question q1 is not open any more; not sent: do not dele"]);
  keys(TAB, "fine", ENTER);
  expect(sent).toEqual(["q2: fine"]);
});

test("a question that is answered here is offered again once somebody has replied and the human is asked again", () => {
  const { picture, keys, sent, exchanges, answering } = terminal();
  const again = { ...Q1, exchange: 2 };
  picture(Q1);
  picture(Q1);
  keys("blurb", ENTER);
  expect([picture(Q1), picture(Q1)]).toEqual([[], []]);
  answering.replied("q1");
  picture(again);
  expect(picture(again)[0]).toContain("? q1 of lead");
  keys("green", ENTER);
  expect(sent).toEqual(["q1: blurb", "q1: green"]);
  expect(exchanges).toEqual([1, 2]);
});

test("asked again between two pictures: what was typed for the first time is not sent for the second", () => {
  const { picture, keys, sent, said, answering } = terminal();
  picture(Q1);
  picture(Q1);
  keys("do not de");
  answering.replied("q1");
  picture(Q1);
  picture(Q1);
  keys("lete", ENTER);
  expect(sent).toEqual([]);
  expect(said).toEqual(["question q1 is not open any more; not sent: do not de"]);
});

test("an answer that could not be given is shown, and its question is offered again", async () => {
  const { picture, keys, sent, said } = terminal("no");
  picture(Q1);
  picture(Q1);
  keys("no", ENTER);
  await expect.poll(() => said).toEqual(["the answer to q1 was not given: the disk is full; not sent: no"]);
  expect(picture(Q1)[0]).toContain("? q1 of lead");
  keys("yes", ENTER);
  expect(sent).toEqual(["q1: yes"]);
});
