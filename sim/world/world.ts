/**
 * The simulated world of one run: what outlives every process of cfa, and what the processes share.
 */
import type { JobDefinition } from "../../src/job/definition.ts";
import { Orchestrator } from "../../src/job/orchestrator.ts";
import type { TurnEvent, TurnRequest, TurnResult } from "../../src/runtime/agents/port.ts";
import type { Choices } from "../choice.ts";
import type { FaultCounts } from "../faults.ts";
import { Tasks } from "../tasks.ts";
import { Time } from "../time.ts";
import { chooseJob } from "./job.ts";
import { MemoryFiles } from "./memory-files.ts";
import { mount, MOUNT } from "./mount.ts";
import { Program } from "./program.ts";
import { Trees } from "./trees.ts";
import { Witness } from "./witness.ts";

/** Most faults that a run injects on purpose; those of single hints and agents are not counted. */
const FAULTS_MAX = 8;
/** Faults of a run in which hardly a step goes by without one. */
const STORM = 40;

/** See the header. */
export class World {
  readonly choices: Choices;
  readonly tasks = new Tasks();
  readonly time = new Time();
  readonly witness = new Witness();
  readonly trees = new Trees(this.witness);
  readonly files = new MemoryFiles();
  readonly faults: FaultCounts = new Map();
  readonly programs: Program[] = [];
  readonly definition: JobDefinition;
  readonly job: string;
  #faultsLeft: number;

  constructor(job: string, choices: Choices) {
    this.job = job;
    this.choices = choices;
    this.definition = chooseJob(choices);
    this.#faultsLeft = choices.percent(10) ? STORM : choices.below(FAULTS_MAX + 1);
    mount(this.files);
    this.files.makeDirectory(MOUNT, true);
  }

  /** Faults may still be injected. */
  faulty(): boolean {
    return this.#faultsLeft > 0;
  }

  /** A fault was injected. */
  spend(): void {
    this.#faultsLeft -= 1;
  }

  /** No more faults: from here on the run must come to its end. */
  calm(): void {
    this.#faultsLeft = 0;
  }

  startProgram(
    cfa: string,
    request: TurnRequest,
    report: (event: TurnEvent) => void,
    tell: (result: TurnResult) => void,
  ): void {
    const pid = 1000 + this.programs.length;
    const { choices, tasks, time, trees, witness, faults } = this;
    const tree = new Orchestrator().treeOf(request.facts.thread);
    const shared = { choices, tasks, time, trees, witness, faults, faulty: () => this.faulty() };
    this.programs.push(new Program(pid, cfa, tree, request, shared, report, tell));
  }

  /** Kills a program if it is still the one that was meant. */
  killProgram(pid: number, started: string): void {
    this.programs.find((one) => one.pid === pid && one.started === started)?.kill();
  }
}
