/**
 * The `literal` table: the seed's twenty rules exactly as written, for study and comparison. It sticks and breaks in
 * the ways that docs/rules.md, "What the literal rules get wrong", shows.
 */
import { ABOUT } from "./about.ts";
import type { RuleText } from "./rule.ts";

const RULES: readonly RuleText[] = [
  {
    id: "send",
    section: "CfA §5",
    left: "Send(B,t,deliver(A,t',x)·ms) ‖ Mailbox(A,t',q)",
    right: "Send(B,t,ms) ‖ Mailbox(A,t',q·x)",
  },
  {
    id: "spark",
    section: "CfA §5",
    left: "Send(B,t,deliver(A,t',x)·ms)",
    when: ["no Mailbox(A,t',_)"],
    right: "Send(B,t,ms) ‖ Mailbox(A,t',[x]) ‖ Idle(A,t') ‖ Parent(t',t)",
  },
  {
    id: "send-terminate",
    section: "CfA §5",
    left: "Send(B,t,terminate(t')·ms) ‖ Parent(t',t)",
    right: "Send(B,t,ms) ‖ Parent(t',t) ‖ Terminate(t',merge)",
  },
  { id: "send-empty", section: "CfA §5", left: "Send(B,t,[])", right: "Idle(B,t)" },
  {
    id: "wake",
    section: "CfA §5",
    left: "Idle(A,t) ‖ Mailbox(A,t,m·q)",
    right: "Run(A,t,m) ‖ Mailbox(A,t,q)",
  },
  { id: "send-step", section: "CfA §5", left: "Run(A,t,m)", right: "Send(A,t,ps)", choice: ["ps"] },
  { id: "nosend-step", section: "CfA §5", left: "Run(A,t,m)", right: "Idle(A,t)", choice: [] },
  {
    id: "ask-step",
    section: "CfA §7",
    left: "Run(A,t,m)",
    right: "AskQuestion(A,t,e,x,π)",
    choice: ["e", "x", "π"],
  },
  {
    id: "ask",
    section: "CfA §7",
    left: "AskQuestion(A,t,e,x,π)",
    right: "Proxy(A,t,e,x,π,fresh) ‖ Idle(A,t)",
  },
  {
    id: "escalate",
    section: "CfA §7",
    left: "Proxy(A,t,e,x,π,h)",
    when: ["π ≠ never"],
    right: "AskHuman(A,t,e,y,π)",
    choice: ["y"],
  },
  {
    id: "human-reply",
    section: "CfA §7",
    left: "AskHuman(A,t,e,y,π)",
    right: "Proxy(A,t,e,x',π,post-human)",
    choice: ["x'"],
  },
  {
    id: "respond",
    section: "CfA §7",
    left: "Proxy(A,t,e,x,π,h) ‖ Mailbox(A,t,q)",
    when: ["π ≠ always or h = post-human"],
    right: "Mailbox(A,t,q·answer(e,a))",
    choice: ["a"],
  },
  { id: "interrupt", section: "CfA §8", left: "Run(A,t,X) ‖ Interrupt(t,Y)", right: "Run(A,t,Y)" },
  { id: "wake-int", section: "CfA §8", left: "Idle(A,t) ‖ Interrupt(t,Y)", right: "Run(A,t,Y)" },
  {
    id: "term-run",
    section: "CfA §9",
    left: "Terminate(t,k) ‖ Run(A,t,m)",
    right: "Terminate(t,k)",
    withdrawal: true,
  },
  {
    id: "term-idle",
    section: "CfA §9",
    left: "Terminate(t,k) ‖ Idle(A,t)",
    right: "Terminate(t,k)",
    withdrawal: true,
  },
  {
    id: "term-mbox",
    section: "CfA §9",
    left: "Terminate(t,k) ‖ Mailbox(A,t,q)",
    right: "Terminate(t,k)",
    withdrawal: true,
  },
  {
    id: "term-send",
    section: "CfA §9",
    left: "Terminate(t,k) ‖ Send(A,t,ms)",
    right: "Terminate(t,k)",
    withdrawal: true,
  },
  {
    id: "cascade",
    section: "CfA §9",
    left: "Terminate(t,k) ‖ Parent(t',t)",
    right: "Terminate(t,k) ‖ Terminate(t',merge)",
    withdrawal: true,
  },
  {
    id: "term-final",
    section: "CfA §9",
    about: "Nothing of the thread is left that a rule can take: the Terminate goes, and nothing else.",
    left: "Terminate(t,k)",
    when: ["bare(t)"],
    right: "ε",
    withdrawal: true,
  },
];

/** The rules in the order of the seed. They do what those of `complete` do that have their names, but where another sentence stands. */
export const LITERAL: readonly RuleText[] = RULES.map((rule) => ({ about: ABOUT[rule.id], ...rule }));
