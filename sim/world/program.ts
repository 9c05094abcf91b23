/**
 * The program of a simulated agent: a row of acts, chosen when it starts. It is a process of its own: it lives on when the cfa
 * that started it dies, unless it is killed.
 *
 * A1. What it says goes through the real outbox and its early refusal (runtime/outbox-calls.ts).
 * A2. It ends at the first of: its last act, a stop that it heeds, its death.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Call } from "../../src/runtime/admission.ts";
import type { TurnEvent, TurnRequest, TurnResult } from "../../src/runtime/agents/port.ts";
import { makeCall, makeOutcome } from "../../src/runtime/outbox-calls.ts";
import { isErrno } from "../../src/soup/errno.ts";
import type { Choices } from "../choice.ts";
import { countFault, type Fault, type FaultCounts } from "../faults.ts";
import { Actor, type Tasks } from "../tasks.ts";
import type { Time } from "../time.ts";
import { type Act, chooseActs } from "./behaviour.ts";
import { type Trees, unresolved } from "./trees.ts";
import type { Witness } from "./witness.ts";

/** What programs share. */
export type ProgramWorld = {
  readonly choices: Choices;
  readonly tasks: Tasks;
  readonly trees: Trees;
  readonly witness: Witness;
  readonly faults: FaultCounts;
  /** New faults may still be injected. */
  readonly faulty: () => boolean;
  readonly time: Time;
};

/** See the header. */
export class Program {
  readonly pid: number;
  readonly started: string;
  readonly actor: Actor;
  readonly request: TurnRequest;
  readonly tree: string;
  /** The process of cfa that started it. */
  readonly cfa: string;
  readonly #world: ProgramWorld;
  readonly #tell: (result: TurnResult) => void;
  readonly #report: (event: TurnEvent) => void;
  #acts: Act[];

  /** Starts it. `report` and `tell` reach the cfa that started it, if that still lives. */
  constructor(
    pid: number,
    cfa: string,
    tree: string,
    request: TurnRequest,
    world: ProgramWorld,
    report: (event: TurnEvent) => void,
    tell: (result: TurnResult) => void,
  ) {
    this.pid = pid;
    this.started = `boot/ns/${pid}`;
    this.actor = new Actor(`${request.facts.agent} ${pid}`);
    this.request = request;
    this.tree = tree;
    this.cfa = cfa;
    this.#world = world;
    this.#tell = tell;
    this.#report = report;
    const count = (fault: Fault) => countFault(world.faults, fault);
    this.#acts = chooseActs(request, world.choices, world.faulty(), count);
    const { thread, turn } = request.facts;
    const { id } = request.message;
    world.witness.see({ kind: "program-started", pid, cfa, thread, turn, tree, message: id });
    request.signal.addEventListener("abort", () => this.#stop(), { once: true });
    this.#next();
  }

  /** Ends it at once; the cfa that started it hears of that, if it still lives. */
  kill(): void {
    if (this.actor.state !== "dead") this.#end({ kind: "end", stop: "killed", text: "" });
  }

  /** It was told to stop: it heeds that sooner or later, or is done first. */
  #stop(): void {
    if (this.actor.state === "dead") return;
    const late = this.#world.choices.percent(35) && this.#acts.some(({ kind }) => kind === "end");
    if (late) countFault(this.#world.faults, "late-result");
    else this.#acts = [{ kind: "end", stop: "aborted", text: "" }];
    this.#next();
  }

  #next(): void {
    this.#world.tasks.add(this.actor, this.#acts[0]?.kind ?? "hangs", () => void this.#act());
  }

  async #act(): Promise<void> {
    const act = this.#acts.shift();
    if (act === undefined || this.actor.state === "dead") return;
    if (act.kind === "end") return this.#end(act);
    if (act.kind === "hang") return this.#hang();
    await this.#do(act);
    if (this.#acts.length > 0) this.#next();
  }

  async #do(act: Exclude<Act, { kind: "end" | "hang" }>): Promise<void> {
    const { facts, outbox, workspace } = this.request;
    try {
      switch (act.kind) {
        case "started": {
          const event = { kind: "started", pid: this.pid, started: this.started } as const;
          for (let n = 0; n < act.times; n++) this.#report(event);
          return;
        }
        case "think":
          return;
        case "line":
          return this.#report({ kind: "line", text: act.text });
        case "call": {
          const made = await makeCall(outbox, facts, act.call);
          if ("entry" in made) this.#called(act.call);
          return;
        }
        case "outcome": {
          const made = await makeOutcome(facts, act.outcome, act.reason);
          if ("record" in made) this.#recorded(JSON.stringify(made.record));
          return;
        }
        case "garbage":
          await leave(join(act.where === "outbox" ? outbox : workspace, act.name), act.text);
          if (act.where === "workspace") this.#recorded(act.text);
          return;
        case "edit":
          return this.#edit(act.path);
        case "resolve":
          return this.#resolve();
      }
    } catch (error) {
      // Its directory was moved aside, so it has been given up; or the name is taken already.
      if (!isErrno(error, "ENOENT", "ENOTDIR", "EEXIST")) throw error;
    }
  }

  #called(call: Call): void {
    this.#world.witness.see({ kind: "program-called", pid: this.pid, call });
  }

  #recorded(record: string): void {
    this.#world.witness.see({ kind: "program-recorded", pid: this.pid, record });
  }

  #edit(path: string): void {
    const tree = this.#world.trees.find(this.tree);
    if (tree === undefined) return;
    const edit = `e${this.pid}.${this.#world.witness.sights.length}`;
    this.#world.witness.see({ kind: "program-edited", pid: this.pid, tree: this.tree, edit });
    tree.content.set(path, edit);
  }

  #resolve(): void {
    const tree = this.#world.trees.find(this.tree);
    for (const path of tree === undefined ? [] : unresolved(tree.content)) this.#edit(path);
  }

  /** It does nothing more; its adapter kills it when its time is over. */
  #hang(): void {
    this.#acts = [];
    this.#world.time.clockOf(this.actor).timer(this.request.timeout, () => this.kill());
  }

  #end({ stop, text }: Extract<Act, { kind: "end" }>): void {
    this.actor.state = "dead";
    this.#world.witness.see({ kind: "program-ended", pid: this.pid });
    const session = this.request.session ?? this.request.facts.thread;
    const rest = { text, session, usage: { tokens: 1, usd: null } };
    if (stop === "ended" || stop === "aborted") this.#tell({ stop, ...rest });
    else this.#tell({ stop: "failed", failure: `the program ${stop}`, ...rest });
  }
}

/** Leaves a file in a directory that is there or can be made beside what is there. */
async function leave(path: string, text: string): Promise<void> {
  const directory = dirname(path);
  if (directory.endsWith("/.cfa")) {
    await mkdir(directory).catch((error: unknown) => {
      if (!isErrno(error, "EEXIST")) throw error;
    });
  }
  await writeFile(path, text, { flag: "wx" });
}
