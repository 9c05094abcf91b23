/** Rule by rule: what it turns a soup into, and the soups in which it must not fire. */
import { describe, expect, test } from "vitest";
import { findRedex, fire, firingOf, replay } from "../../src/rules/fire.ts";
import { complete, literal, type RuleTable } from "../../src/rules/table.ts";
import { configurationFrom, everythingOf, parseTrace, redexesFor, stateOf, successors } from "./trace.ts";

type Row = readonly [what: string, trace: string];
type Never = readonly [why: string, rule: string, soup: string, given?: string];

function fires(table: RuleTable, rows: readonly Row[]): void {
  test.each(rows)("%s", (_what, text) => {
    const { given, before, steps } = parseTrace(text);
    let configuration = configurationFrom(before, given);
    expect(steps).not.toEqual([]);
    for (const { rule, choice, after } of steps) {
      const closed = [...configuration.closed()];
      const wanted = stateOf(configurationFrom(after, `closed(${closed.join(",")})`));
      const [next, ...others] = successors(table, configuration, { rule, choice });
      if (next === undefined)
        expect.unreachable(`${rule} does not fire in ${stateOf(configuration).soup.join(" ‖ ")}`);
      for (const other of others) expect(stateOf(other)).toEqual(stateOf(next));
      expect(stateOf(next)).toEqual(wanted);
      for (const redex of redexesFor(table, configuration, rule)) {
        const firing = firingOf(redex, choice);
        expect(everythingOf(replay(table, configuration, firing))).toEqual(
          everythingOf(fire(configuration, redex, choice)),
        );
      }
      configuration = next;
    }
  });
}

function neverFires(table: RuleTable, rows: readonly Never[]): void {
  for (const [why, rule, soup, given] of rows) {
    test(`${why}: no ${rule} in ${soup}`, () => {
      expect(table.byId.has(rule)).toBe(true);
      const configuration = configurationFrom(soup, given);
      expect(redexesFor(table, configuration, rule).map((redex) => firingOf(redex))).toEqual([]);
      const at = { A: "A", B: "B", t: "t0", "t'": "t1", e: "e1" };
      expect(findRedex(table, configuration, { rule, at })).toBe(undefined);
    });
  }
}

const CHILD = "Idle(C,t1) ‖ Mailbox(C,t1,[]) ‖ Parent(t1,t0)";

describe("complete, communication", () => {
  fires(complete, [
    [
      "send: from a parent to its child, the head of the broadcast first",
      `Send(B,t0,[deliver(C,t1,x),deliver(C,t1,y)]) ‖ Mailbox(C,t1,[w]) ‖ Parent(t1,t0)
       → send
       Send(B,t0,[deliver(C,t1,y)]) ‖ Mailbox(C,t1,[w,x]) ‖ Parent(t1,t0)
       → send
       Send(B,t0,[]) ‖ Mailbox(C,t1,[w,x,y]) ‖ Parent(t1,t0)`,
    ],
    [
      "send: from a child to its parent",
      `Send(C,t1,[deliver(B,t0,done)]) ‖ Mailbox(B,t0,[]) ‖ Parent(t1,t0)
       → send
       Send(C,t1,[]) ‖ Mailbox(B,t0,[done]) ‖ Parent(t1,t0)`,
    ],
    [
      "spark: mailbox, instance and edge of a new thread",
      `given roster(B: C), cap(1), ready(t1)
       Send(B,t0,[deliver(C,t1,x)])
       → spark
       Send(B,t0,[]) ‖ Mailbox(C,t1,[x]) ‖ Idle(C,t1) ‖ Parent(t1,t0)`,
    ],
    [
      "spark: a dying child and a question do not count against the cap",
      `given roster(B: C), cap(1), ready(t2)
       Send(B,t0,[deliver(C,t2,x)]) ‖ Proxy(B,t0,e1,why,never,fresh) ‖ Parent(t1,t0) ‖ Terminate(t1)
       → spark
       Send(B,t0,[]) ‖ Proxy(B,t0,e1,why,never,fresh) ‖ Parent(t1,t0) ‖ Terminate(t1) ‖ Mailbox(C,t2,[x]) ‖ Idle(C,t2) ‖ Parent(t2,t0)`,
    ],
    [
      "send-terminate: closing a child asks for a merge and keeps the edge",
      `Send(B,t0,[terminate(t1)]) ‖ ${CHILD}
       → send-terminate
       Send(B,t0,[]) ‖ ${CHILD} ‖ Terminate(t1)`,
    ],
    [
      "send-ask: a broadcast asks and goes on",
      `Send(A,t0,[ask(e1,colour?,always),terminate(t1)])
       → send-ask
       Send(A,t0,[terminate(t1)]) ‖ Proxy(A,t0,e1,colour?,always,fresh)`,
    ],
    [
      "send-closed: closing a dying child is done already",
      `Send(B,t0,[terminate(t1)]) ‖ ${CHILD} ‖ Terminate(t1)
       → send-closed
       Send(B,t0,[]) ‖ ${CHILD} ‖ Terminate(t1)`,
    ],
    [
      "send-closed: closing a closed thread is done already",
      `given closed(t1)
       Send(B,t0,[terminate(t1)])
       → send-closed
       Send(B,t0,[])`,
    ],
    ["send-empty: the broadcast is over", "Send(B,t0,[])\n→ send-empty\nIdle(B,t0)"],
    [
      "wake: the first message, the rest waits",
      `Idle(A,t0) ‖ Mailbox(A,t0,[m,n])
       → wake
       Run(A,t0,m) ‖ Mailbox(A,t0,[n])`,
    ],
    [
      "send-step: any broadcast",
      `Run(A,t0,m)
       → send-step ps = [deliver(C,t1,x),terminate(t2),ask(e1,q,never)]
       Send(A,t0,[deliver(C,t1,x),terminate(t2),ask(e1,q,never)])`,
    ],
    ["send-step: the empty broadcast", "Run(A,t0,m)\n→ send-step ps = []\nSend(A,t0,[])"],
    ["nosend-step: no broadcast at all", "Run(A,t0,m)\n→ nosend-step\nIdle(A,t0)"],
  ]);

  neverFires(complete, [
    ["no mailbox of that agent", "send", "Send(B,t0,[deliver(C,t1,x)]) ‖ Mailbox(D,t1,[]) ‖ Parent(t1,t0)"],
    ["no edge", "send", "Send(B,t0,[deliver(C,t1,x)]) ‖ Mailbox(C,t1,[])"],
    [
      "siblings do not see each other",
      "send",
      "Send(B,t0,[deliver(C,t1,x)]) ‖ Mailbox(C,t1,[]) ‖ Parent(t0,r) ‖ Parent(t1,r)",
    ],
    [
      "a grandchild is not seen",
      "send",
      "Send(B,t0,[deliver(C,t1,x)]) ‖ Mailbox(C,t1,[]) ‖ Parent(c,t0) ‖ Parent(t1,c)",
    ],
    ["to its own thread", "send", "Send(B,t0,[deliver(B,t0,x)]) ‖ Mailbox(B,t0,[])"],
    ["sender dying", "send", `Send(B,t0,[deliver(C,t1,x)]) ‖ ${CHILD} ‖ Terminate(t0)`],
    ["receiver dying", "send", `Send(B,t0,[deliver(C,t1,x)]) ‖ ${CHILD} ‖ Terminate(t1,drop)`],
    ["receiver closed", "send", `Send(B,t0,[deliver(C,t1,x)]) ‖ ${CHILD}`, "closed(t1)"],
    ["the payload is not at the head", "send", `Send(B,t0,[terminate(t9),deliver(C,t1,x)]) ‖ ${CHILD}`],
    ...["Idle(D,t1)", "Mailbox(D,t1,[])", "Interrupt(t1,Y)", "Parent(t1,z)", "Parent(z,t1)"].map(
      (one): Never => [
        `used by ${one}`,
        "spark",
        `Send(B,t0,[deliver(C,t1,x)]) ‖ ${one}`,
        "roster(B: C), ready(t1)",
      ],
    ),
    [
      "used by a question",
      "spark",
      "Send(B,t0,[deliver(C,t1,x)]) ‖ AskHuman(D,t1,e,y,never)",
      "roster(B: C), ready(t1)",
    ],
    ["closed id", "spark", "Send(B,t0,[deliver(C,t1,x)])", "roster(B: C), ready(t1), closed(t1)"],
    ["its own thread", "spark", "Send(B,t0,[deliver(C,t0,x)])", "roster(B: C), ready(t0)"],
    ["not in the roster", "spark", "Send(B,t0,[deliver(C,t1,x)])", "roster(B: D), ready(t1)"],
    ["no roster", "spark", "Send(B,t0,[deliver(C,t1,x)])", "ready(t1)"],
    ["cap", "spark", "Send(B,t0,[deliver(C,t1,x)]) ‖ Parent(t2,t0)", "roster(B: C), cap(1), ready(t1)"],
    ["workspace not known", "spark", "Send(B,t0,[deliver(C,t1,x)])", "roster(B: C)"],
    ["workspace refused", "spark", "Send(B,t0,[deliver(C,t1,x)])", "roster(B: C), refused(t1: no space)"],
    ["sparker dying", "spark", "Send(B,t0,[deliver(C,t1,x)]) ‖ Terminate(t0)", "roster(B: C), ready(t1)"],
    [
      "a new thread dying",
      "spark",
      "Send(B,t0,[deliver(C,t1,x)]) ‖ Terminate(t1)",
      "roster(B: C), ready(t1)",
    ],
    ["not its child", "send-terminate", "Send(B,t0,[terminate(t1)]) ‖ Parent(t1,z)"],
    ["its parent", "send-terminate", "Send(B,t0,[terminate(t1)]) ‖ Parent(t0,t1)"],
    ["child dying", "send-terminate", `Send(B,t0,[terminate(t1)]) ‖ ${CHILD} ‖ Terminate(t1)`],
    ["closer dying", "send-terminate", `Send(B,t0,[terminate(t1)]) ‖ ${CHILD} ‖ Terminate(t0)`],
    ["asker dying", "send-ask", "Send(B,t0,[ask(e1,q,never)]) ‖ Terminate(t0)"],
    ["child alive", "send-closed", `Send(B,t0,[terminate(t1)]) ‖ ${CHILD}`],
    ["a thread nobody knows", "send-closed", "Send(B,t0,[terminate(t1)])"],
    ["closer dying", "send-closed", "Send(B,t0,[terminate(t1)]) ‖ Terminate(t0)", "closed(t1)"],
    ["payloads left", "send-empty", "Send(B,t0,[terminate(t1)])"],
    ["dying", "send-empty", "Send(B,t0,[]) ‖ Terminate(t0)"],
    ["no mail", "wake", "Idle(A,t0) ‖ Mailbox(A,t0,[])"],
    ["mail of another agent", "wake", "Idle(A,t0) ‖ Mailbox(B,t0,[m])"],
    ["mail on another thread", "wake", "Idle(A,t0) ‖ Mailbox(A,t1,[m])"],
    ["already running", "wake", "Run(A,t0,m) ‖ Mailbox(A,t0,[n])"],
    ["interrupted", "wake", "Idle(A,t0) ‖ Mailbox(A,t0,[m]) ‖ Interrupt(t0,Y)"],
    ["dying", "wake", "Idle(A,t0) ‖ Mailbox(A,t0,[m]) ‖ Terminate(t0)"],
    ["dying", "send-step", "Run(A,t0,m) ‖ Terminate(t0)"],
    ["dying", "nosend-step", "Run(A,t0,m) ‖ Terminate(t0)"],
    ["idle", "nosend-step", "Idle(A,t0)"],
  ]);
});

describe("complete, refuse", () => {
  const own = "Mailbox(B,t0,[])";
  const refusedOnce = (payload: string, rest: string, re: string, given = ""): string =>
    `given cap(3) ${given}
     Send(B,t0,[${payload},terminate(z)]) ‖ ${own} ${rest}
     → refuse
     Send(B,t0,[terminate(z)]) ‖ Mailbox(B,t0,[refused(${re})]) ${rest}`;

  fires(complete, [
    ["a deliver to a closed thread", refusedOnce("deliver(C,t1,x)", "", "t1", "closed(t1)")],
    ["a deliver to a dying thread", refusedOnce("deliver(C,t1,x)", `‖ ${CHILD} ‖ Terminate(t1)`, "t1")],
    ["a deliver to another agent of the child", refusedOnce("deliver(D,t1,x)", `‖ ${CHILD}`, "t1")],
    ["a deliver to a stranger", refusedOnce("deliver(C,t1,x)", "‖ Idle(C,t1) ‖ Mailbox(C,t1,[])", "t1")],
    ["a deliver to its own thread", refusedOnce("deliver(B,t0,x)", "", "t0")],
    ["a spark outside the roster", refusedOnce("deliver(C,t1,x)", "", "t1", "roster(B: D), ready(t1)")],
    [
      "a spark over the cap",
      refusedOnce("deliver(C,t1,x)", "‖ Parent(t2,t0)", "t1", "cap(1), roster(B: C), ready(t1)"),
    ],
    [
      "a spark without workspace",
      refusedOnce("deliver(C,t1,x)", "", "t1", "roster(B: C), refused(t1: disk full)"),
    ],
    ["a close of a stranger", refusedOnce("terminate(t1)", "‖ Parent(t1,z)", "t1")],
    ["a close of its parent", refusedOnce("terminate(t1)", "‖ Parent(t0,t1)", "t1")],
    ["a close of itself", refusedOnce("terminate(t0)", "", "t0")],
    ["a close of nothing", refusedOnce("terminate(t1)", "", "t1")],
  ]);

  neverFires(complete, [
    ["a valid delivery", "refuse", `Send(B,t0,[deliver(C,t1,x)]) ‖ ${own} ‖ ${CHILD}`],
    ["a valid spark", "refuse", `Send(B,t0,[deliver(C,t1,x)]) ‖ ${own}`, "roster(B: C), ready(t1)"],
    ["workspace not known yet", "refuse", `Send(B,t0,[deliver(C,t1,x)]) ‖ ${own}`, "roster(B: C)"],
    ["a valid close", "refuse", `Send(B,t0,[terminate(t1)]) ‖ ${own} ‖ ${CHILD}`],
    ["a close that came true", "refuse", `Send(B,t0,[terminate(t1)]) ‖ ${own} ‖ ${CHILD} ‖ Terminate(t1)`],
    ["a question", "refuse", `Send(B,t0,[ask(e1,q,never)]) ‖ ${own}`],
    ["sender dying", "refuse", `Send(B,t0,[terminate(t1)]) ‖ ${own} ‖ Terminate(t0)`],
    ["an empty broadcast", "refuse", `Send(B,t0,[]) ‖ ${own}`],
  ]);

  const reasons: readonly (readonly [payload: string, given: string, rest: string, body: string])[] = [
    [
      "deliver(C,t1,x)",
      "closed(t1)",
      "",
      "Your message to C on t1 was refused: t1 has ended; open a new conversation by sending without a thread.\n\nThe message was: x",
    ],
    [
      "deliver(C,t1,x)",
      "roster(B: D E)",
      "",
      "Your message to C on t1 was refused: C is not in your roster (D, E).\n\nThe message was: x",
    ],
    [
      "deliver(C,t1,x)",
      "",
      "",
      "Your message to C on t1 was refused: C is not in your roster (which is empty).\n\nThe message was: x",
    ],
    [
      "deliver(C,t1,x)",
      "roster(B: C), cap(1)",
      "‖ Parent(t2,t0)",
      "Your message to C on t1 was refused: you have 1 open conversations, which is the most; close one first.\n\nThe message was: x",
    ],
    [
      "deliver(C,t1,x)",
      "roster(B: C), refused(t1: disk full)",
      "",
      "Your message to C on t1 was refused: no workspace could be made: disk full.\n\nThe message was: x",
    ],
    [
      "deliver(C,t1,x)",
      "",
      "‖ Parent(t1,z)",
      "Your message to C on t1 was refused: C on t1 is not your parent or a conversation that you opened; send only to those.\n\nThe message was: x",
    ],
    [
      "terminate(t1)",
      "",
      "",
      "Your close of t1 was refused: t1 is not a conversation that you opened; close only your own.",
    ],
  ];

  test.each(reasons)("%s with %s %s says why", (payload, given, rest, body) => {
    const before = configurationFrom(`Send(B,t0,[${payload}]) ‖ ${own} ${rest}`, given);
    const [after] = successors(complete, before, { rule: "refuse", choice: undefined });
    const mail = after?.cell("t0")?.mailboxes[0]?.messages.head;
    expect(mail).toEqual({ id: "refusal:t0:0.0", from: null, kind: "refusal", body, re: "t1" });
  });

  test("two refusals of one broadcast have different ids", () => {
    let configuration = configurationFrom(`Send(B,t0,[terminate(x),terminate(x)]) ‖ ${own}`);
    for (let i = 0; i < 2; i++) {
      const [next] = successors(complete, configuration, { rule: "refuse", choice: undefined });
      if (next === undefined) expect.unreachable();
      configuration = next;
    }
    const ids = [...(configuration.cell("t0")?.mailboxes[0]?.messages ?? [])].map(({ id }) => id);
    expect(ids).toEqual(["refusal:t0:0.1", "refusal:t0:0.0"]);
  });
});

describe("complete, escalation and intervention", () => {
  fires(complete, [
    [
      "ask-step, ask: a turn that only asks",
      `Run(A,t0,m)
       → ask-step e = e1, x = colour?, π = when_unsure
       AskQuestion(A,t0,e1,colour?,when_unsure)
       → ask
       Proxy(A,t0,e1,colour?,when_unsure,fresh) ‖ Idle(A,t0)`,
    ],
    [
      "escalate, human-reply, respond under always",
      `Proxy(A,t0,e1,x,always,fresh) ‖ Mailbox(A,t0,[m])
       → escalate y = framed
       AskHuman(A,t0,e1,framed,always) ‖ Mailbox(A,t0,[m])
       → human-reply x' = blue
       Proxy(A,t0,e1,blue,always,post-human) ‖ Mailbox(A,t0,[m])
       → respond a = "use blue"
       Mailbox(A,t0,[m,ans("use blue")])`,
    ],
    [
      "escalate again after the human: the cycle may go round any number of times",
      `Proxy(A,t0,e1,x,when_unsure,post-human)
       → escalate y = more?
       AskHuman(A,t0,e1,more?,when_unsure)`,
    ],
    [
      "respond at once under never",
      `Proxy(A,t0,e1,x,never,fresh) ‖ Mailbox(A,t0,[])
       → respond a = no
       Mailbox(A,t0,[ans(no)])`,
    ],
    [
      "respond at once under when_unsure",
      `Proxy(A,t0,e1,x,when_unsure,fresh) ‖ Mailbox(A,t0,[])
       → respond a = no
       Mailbox(A,t0,[ans(no)])`,
    ],
    ["interrupt: the work on X is given up", "Run(A,t0,X) ‖ Interrupt(t0,Y)\n→ interrupt\nRun(A,t0,Y)"],
    [
      "wake-int: past the mailbox",
      `Idle(A,t0) ‖ Mailbox(A,t0,[m]) ‖ Interrupt(t0,Y)
       → wake-int
       Run(A,t0,Y) ‖ Mailbox(A,t0,[m])`,
    ],
  ]);

  neverFires(complete, [
    ["dying", "ask-step", "Run(A,t0,m) ‖ Terminate(t0)"],
    ["dying", "ask", "AskQuestion(A,t0,e1,x,never) ‖ Terminate(t0)"],
    ["never asks no human", "escalate", "Proxy(A,t0,e1,x,never,fresh)"],
    ["never asks no human", "escalate", "Proxy(A,t0,e1,x,never,post-human)"],
    ["dying", "escalate", "Proxy(A,t0,e1,x,always,fresh) ‖ Terminate(t0)"],
    ["dying", "human-reply", "AskHuman(A,t0,e1,y,always) ‖ Terminate(t0)"],
    ["always waits for the human", "respond", "Proxy(A,t0,e1,x,always,fresh) ‖ Mailbox(A,t0,[])"],
    ["the human is being asked", "respond", "AskHuman(A,t0,e1,x,always) ‖ Mailbox(A,t0,[])"],
    ["no mailbox of the asker", "respond", "Proxy(A,t0,e1,x,never,fresh) ‖ Mailbox(B,t0,[])"],
    ["dying", "respond", "Proxy(A,t0,e1,x,never,fresh) ‖ Mailbox(A,t0,[]) ‖ Terminate(t0)"],
    ["broadcasting", "interrupt", "Send(A,t0,[]) ‖ Interrupt(t0,Y)"],
    ["another thread", "interrupt", "Run(A,t0,X) ‖ Interrupt(t1,Y)"],
    ["dying", "interrupt", "Run(A,t0,X) ‖ Interrupt(t0,Y) ‖ Terminate(t0)"],
    ["running", "wake-int", "Run(A,t0,X) ‖ Interrupt(t0,Y)"],
    ["dying", "wake-int", "Idle(A,t0) ‖ Interrupt(t0,Y) ‖ Terminate(t0)"],
  ]);
});

describe("complete, withdrawal", () => {
  const consumed: readonly (readonly [rule: string, molecule: string])[] = [
    ["term-run", "Run(A,t0,m)"],
    ["term-idle", "Idle(A,t0)"],
    ["term-mbox", "Mailbox(A,t0,[m,n])"],
    ["term-send", "Send(A,t0,[deliver(B,t1,x)])"],
    ["term-ask", "AskQuestion(A,t0,e1,x,always)"],
    ["term-proxy", "Proxy(A,t0,e1,x,always,fresh)"],
    ["term-human", "AskHuman(A,t0,e1,y,always)"],
    ["term-int", "Interrupt(t0,Y)"],
  ];
  fires(complete, [
    ...consumed.flatMap(([rule, molecule]): Row[] =>
      ["Terminate(t0)", "Terminate(t0,drop)"].map((terminate): Row => [
        `${rule} under ${terminate}`,
        `${terminate} ‖ ${molecule}\n→ ${rule}\n${terminate}`,
      ]),
    ),
    [
      "cascade: a child is dropped even where its parent is merged; the edge is consumed",
      "Terminate(t0) ‖ Parent(t1,t0) ‖ Idle(C,t1)\n→ cascade\nTerminate(t0) ‖ Terminate(t1,drop) ‖ Idle(C,t1)",
    ],
    ["term-absorb: merge and merge", "Terminate(t0) ‖ Terminate(t0)\n→ term-absorb\nTerminate(t0)"],
    ["term-absorb: merge and drop", "Terminate(t0) ‖ Terminate(t0,drop)\n→ term-absorb\nTerminate(t0,drop)"],
    ["term-absorb: drop, drop", "Terminate(t0,drop) ‖ Terminate(t0,drop)\n→ term-absorb\nTerminate(t0,drop)"],
    ["term-final: a root", "Terminate(t0)\n→ term-final\nε ; closed t0"],
    [
      "term-final: the edge to the parent goes with it",
      "Terminate(t1,drop) ‖ Parent(t1,t0) ‖ Idle(B,t0)\n→ term-final\nIdle(B,t0) ; closed t1",
    ],
  ]);

  neverFires(complete, [
    ...consumed.map(([rule, molecule]): Never => ["another thread", rule, `Terminate(t9) ‖ ${molecule}`]),
    ["child dying already", "cascade", "Terminate(t0) ‖ Parent(t1,t0) ‖ Terminate(t1)"],
    ["upwards", "cascade", "Terminate(t1) ‖ Parent(t1,t0)"],
    ["one alone", "term-absorb", "Terminate(t0) ‖ Terminate(t1)"],
    ...consumed.map(([, molecule]): Never => ["not alone", "term-final", `Terminate(t0) ‖ ${molecule}`]),
    ["a second Terminate", "term-final", "Terminate(t0) ‖ Terminate(t0)"],
    ["a child remains", "term-final", "Terminate(t0) ‖ Parent(t1,t0) ‖ Idle(C,t1)"],
  ]);
});

describe("literal, where it differs", () => {
  fires(literal, [
    [
      "send to anybody, dying or not",
      `Send(B,t0,[deliver(C,t1,x)]) ‖ Mailbox(C,t1,[]) ‖ Terminate(t1) ‖ Terminate(t0)
       → send
       Send(B,t0,[]) ‖ Mailbox(C,t1,[x]) ‖ Terminate(t1) ‖ Terminate(t0)`,
    ],
    [
      "spark of a second agent on a thread in use, without roster, cap or workspace",
      `given cap(0)
       Send(B,t0,[deliver(C,t0,x)])
       → spark
       Send(B,t0,[]) ‖ Mailbox(C,t0,[x]) ‖ Idle(C,t0) ‖ Parent(t0,t0)`,
    ],
    [
      "send-terminate twice leaves two molecules",
      `Send(B,t0,[terminate(t1),terminate(t1)]) ‖ Parent(t1,t0)
       → send-terminate
       Send(B,t0,[terminate(t1)]) ‖ Parent(t1,t0) ‖ Terminate(t1)
       → send-terminate
       Send(B,t0,[]) ‖ Parent(t1,t0) ‖ Terminate(t1) ‖ Terminate(t1)`,
    ],
    [
      "wake goes beside an interrupt, and on a dying thread",
      `Idle(A,t0) ‖ Mailbox(A,t0,[m]) ‖ Interrupt(t0,Y) ‖ Terminate(t0)
       → wake
       Run(A,t0,m) ‖ Mailbox(A,t0,[]) ‖ Interrupt(t0,Y) ‖ Terminate(t0)`,
    ],
    [
      "cascade makes a plain Terminate, a second one too",
      `Terminate(t0,drop) ‖ Parent(t1,t0) ‖ Terminate(t1)
       → cascade
       Terminate(t0,drop) ‖ Terminate(t1) ‖ Terminate(t1)`,
    ],
    [
      "term-final leaves questions, interrupts, the edge and a second Terminate, and closes nothing",
      `Terminate(t0) ‖ Terminate(t0) ‖ Proxy(A,t0,e1,x,never,fresh) ‖ Interrupt(t0,Y) ‖ Parent(t0,r)
       → term-final
       Terminate(t0) ‖ Proxy(A,t0,e1,x,never,fresh) ‖ Interrupt(t0,Y) ‖ Parent(t0,r)`,
    ],
  ]);

  neverFires(literal, [
    ["no mailbox", "send", "Send(B,t0,[deliver(C,t1,x)])"],
    ["a mailbox of that agent", "spark", "Send(B,t0,[deliver(C,t1,x)]) ‖ Mailbox(C,t1,[])"],
    ["no edge", "send-terminate", "Send(B,t0,[terminate(t1)])"],
    ["no mail", "wake", "Idle(A,t0) ‖ Mailbox(A,t0,[])"],
    ["never asks no human", "escalate", "Proxy(A,t0,e1,x,never,fresh)"],
    ["always waits for the human", "respond", "Proxy(A,t0,e1,x,always,fresh) ‖ Mailbox(A,t0,[])"],
    ["not bare", "term-final", "Terminate(t0) ‖ Mailbox(A,t0,[])"],
    ["a child", "term-final", "Terminate(t0) ‖ Parent(t1,t0)"],
  ]);

  test("it has the seed's twenty rules and none of the eight added ones", () => {
    const added = complete.rules.map(({ id }) => id).filter((id) => !literal.byId.has(id));
    expect(literal.rules).toHaveLength(20);
    expect(added).toEqual([
      "send-ask", "send-closed", "refuse", "term-ask", "term-proxy", "term-human", "term-int", "term-absorb",
    ]); // prettier-ignore
  });
});
