/**
 * The `complete` table: the twenty rules of CfA §5–§9 with the guards that keep them from sticking or breaking, and
 * eight more (docs/rules.md says of each why).
 */
import { ABOUT } from "./about.ts";
import type { RuleText } from "./rule.ts";

const RULES: readonly RuleText[] = [
  // Communication
  {
    id: "send",
    section: "CfA §5, §6",
    left: "Send(B,t,deliver(A,t',x)·ms) ‖ Mailbox(A,t',q)",
    when: ["adjacent(t,t')", "live(t)", "live(t')"],
    right: "Send(B,t,ms) ‖ Mailbox(A,t',q·x)",
  },
  {
    id: "spark",
    section: "CfA §5, §6",
    left: "Send(B,t,deliver(A,t',x)·ms)",
    when: ["unused(t')", "A ∈ roster(B)", "open(t) < cap", "ready(t')", "live(t)", "live(t')"],
    right: "Send(B,t,ms) ‖ Mailbox(A,t',[x]) ‖ Idle(A,t') ‖ Parent(t',t)",
  },
  {
    id: "send-terminate",
    section: "CfA §5, §9",
    left: "Send(B,t,terminate(t')·ms) ‖ Parent(t',t)",
    when: ["live(t)", "live(t')"],
    right: "Send(B,t,ms) ‖ Parent(t',t) ‖ Terminate(t',merge)",
  },
  {
    id: "send-ask",
    section: "CfA §7",
    left: "Send(A,t,ask(e,x,π)·ms)",
    when: ["live(t)"],
    right: "Send(A,t,ms) ‖ Proxy(A,t,e,x,π,fresh)",
  },
  {
    id: "send-closed",
    section: "CfA §9",
    left: "Send(B,t,terminate(t')·ms)",
    when: ["ended(t')", "live(t)"],
    right: "Send(B,t,ms)",
  },
  {
    id: "refuse",
    section: "CfA §6",
    left: "Send(B,t,p·ms) ‖ Mailbox(B,t,q)",
    when: ["hopeless(p)", "live(t)"],
    right: "Send(B,t,ms) ‖ Mailbox(B,t,q·refusal(p,why))",
  },
  { id: "send-empty", section: "CfA §5", left: "Send(B,t,[])", when: ["live(t)"], right: "Idle(B,t)" },
  {
    id: "wake",
    section: "CfA §5",
    left: "Idle(A,t) ‖ Mailbox(A,t,m·q)",
    when: ["no Interrupt(t,_)", "live(t)"],
    right: "Run(A,t,m) ‖ Mailbox(A,t,q)",
  },
  {
    id: "send-step",
    section: "CfA §5",
    left: "Run(A,t,m)",
    when: ["live(t)"],
    right: "Send(A,t,ps)",
    choice: ["ps"],
  },
  {
    id: "nosend-step",
    section: "CfA §5",
    left: "Run(A,t,m)",
    when: ["live(t)"],
    right: "Idle(A,t)",
    choice: [],
  },
  // Escalation
  {
    id: "ask-step",
    section: "CfA §7",
    left: "Run(A,t,m)",
    when: ["live(t)"],
    right: "AskQuestion(A,t,e,x,π)",
    choice: ["e", "x", "π"],
  },
  {
    id: "ask",
    section: "CfA §7",
    left: "AskQuestion(A,t,e,x,π)",
    when: ["live(t)"],
    right: "Proxy(A,t,e,x,π,fresh) ‖ Idle(A,t)",
  },
  {
    id: "escalate",
    section: "CfA §7",
    left: "Proxy(A,t,e,x,π,h)",
    when: ["π ≠ never", "live(t)"],
    right: "AskHuman(A,t,e,y,π)",
    choice: ["y"],
  },
  {
    id: "human-reply",
    section: "CfA §7",
    left: "AskHuman(A,t,e,y,π)",
    when: ["live(t)"],
    right: "Proxy(A,t,e,x',π,post-human)",
    choice: ["x'"],
  },
  {
    id: "respond",
    section: "CfA §7",
    left: "Proxy(A,t,e,x,π,h) ‖ Mailbox(A,t,q)",
    when: ["π ≠ always or h = post-human", "live(t)"],
    right: "Mailbox(A,t,q·answer(e,a))",
    choice: ["a"],
  },
  // Intervention
  {
    id: "interrupt",
    section: "CfA §8",
    left: "Run(A,t,X) ‖ Interrupt(t,Y)",
    when: ["live(t)"],
    right: "Run(A,t,Y)",
  },
  {
    id: "wake-int",
    section: "CfA §8",
    left: "Idle(A,t) ‖ Interrupt(t,Y)",
    when: ["live(t)"],
    right: "Run(A,t,Y)",
  },
  // Withdrawal
  ...(
    [
      ["term-run", "Run(A,t,m)"],
      ["term-idle", "Idle(A,t)"],
      ["term-mbox", "Mailbox(A,t,q)"],
      ["term-send", "Send(A,t,ms)"],
      ["term-ask", "AskQuestion(A,t,e,x,π)"],
      ["term-proxy", "Proxy(A,t,e,x,π,h)"],
      ["term-human", "AskHuman(A,t,e,y,π)"],
      ["term-int", "Interrupt(t,Y)"],
    ] as const
  ).map(([id, molecule]): RuleText => ({
    id,
    section: "CfA §9",
    left: `Terminate(t,k) ‖ ${molecule}`,
    right: "Terminate(t,k)",
    withdrawal: true,
  })),
  {
    id: "cascade",
    section: "CfA §9",
    left: "Terminate(t,k) ‖ Parent(t',t)",
    when: ["not dying(t')"],
    right: "Terminate(t,k) ‖ Terminate(t',drop)",
    withdrawal: true,
  },
  {
    id: "term-absorb",
    section: "CfA §9",
    left: "Terminate(t,k) ‖ Terminate(t,l)",
    right: "Terminate(t,k∨l)",
    withdrawal: true,
  },
  {
    id: "term-final",
    section: "CfA §9",
    left: "Terminate(t,k) [‖ Parent(t,_)]",
    when: ["alone(t)"],
    right: "ε",
    closes: "t",
    withdrawal: true,
  },
];

/** The rules in the order of docs/rules.md, which is also the order in which a thread's redexes are listed. */
export const COMPLETE: readonly RuleText[] = RULES.map((rule) => ({ ...rule, about: ABOUT[rule.id] }));
