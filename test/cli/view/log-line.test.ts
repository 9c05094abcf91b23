/** Entries as readable lines. */
import { expect, test } from "vitest";
import { logLine } from "../../../src/cli/view/log-line.ts";
import type { Draft } from "../../../src/persistence/entry.ts";
import type { Message } from "../../../src/soup/message.ts";

const stamp = {
  job: "j",
  seq: 17,
  round: 3,
  at: "2026-01-01T12:00:01.250Z",
  prev: "0".repeat(64),
  hash: "1".repeat(64),
};
const line = (draft: Draft): string => logLine({ ...draft, ...stamp });
const mail = (body: string): Message => ({ id: "m", from: null, kind: "task", body });

const long = `Write the section on fixes.\n\n${"word ".repeat(100)}`;

test.each<[string, Draft]>([
  [
    "12:00:01.250    17  fire        wake A=lead t=state:j:PLAN:1",
    { kind: "fire", body: { rule: "wake", at: { A: "lead", t: "state:j:PLAN:1" } } },
  ],
  [
    '12:00:01.250    17  fire        send-step A=lead t=t1 ps=[deliver(writer,d1,"Write the section on fixes. word word word word word word w…"),terminate(d0),ask(q1,why?,never)]',
    {
      kind: "fire",
      body: {
        rule: "send-step",
        at: { A: "lead", t: "t1" },
        choice: {
          ps: [
            { kind: "deliver", agent: "writer", thread: "d1", message: mail(long) },
            { kind: "terminate", thread: "d0" },
            { kind: "ask", question: "q1", text: mail("why?"), policy: "never" },
          ],
        },
      },
    },
  ],
  [
    '12:00:01.250    17  fire        ask-step A=lead t=t1 e=escalation:q1 x=task "which?" π=always',
    {
      kind: "fire",
      body: {
        rule: "ask-step",
        at: { A: "lead", t: "t1" },
        choice: { e: "q1", x: mail("which?"), π: "always" },
      },
    },
  ],
  [
    '12:00:01.250    17  transition  from=PLAN action=REALIGN to=INTENT reason="not clear" origin=skill backtracks=1',
    {
      kind: "transition",
      body: {
        from: "PLAN",
        action: "REALIGN",
        to: "INTENT",
        reason: "not clear",
        origin: "skill",
        backtracks: 1,
        record: null,
      },
    },
  ],
  [
    "12:00:01.250    17  release     thread=d1 into=t1 result=merged commit=abcdefa",
    {
      kind: "release",
      body: {
        thread: "d1",
        into: "t1",
        result: "merged",
        ref: null,
        commit: "abcdefabcd".repeat(4),
        snapshot: null,
        paths: [],
      },
    },
  ],
  [
    '12:00:01.250    17  note        level=warn text="it went wrong"',
    { kind: "note", body: { level: "warn", thread: null, text: "it\nwent wrong" } },
  ],
])("%s", (text, draft) => {
  expect(line(draft)).toBe(text);
});
