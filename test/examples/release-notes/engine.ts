/**
 * Plays the engine for the programs of the example: one message a turn, real worktrees, branches and merges, buffered
 * calls that happen when the turn has ended. It knows no more of the programs than the engine does.
 */
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { execa } from "execa";
import { git, type Repository } from "./repository.ts";

const PROGRAMS = resolve(import.meta.dirname, "../../../examples/release-notes");
const ARTIFACTS = ["INTENT.md", "PLAN.md", "WORK_SUMMARY.md"];
const CAP = 3;

/** `cfa` for one turn: records the call, mints thread ids, refuses what can be refused early. */
const STUB = `#!/bin/sh
facts="$CFA_OUTBOX.facts"
refuse() { echo "$1" >&2; exit 2; }
call=$(printf '%04d' "$(ls "$CFA_OUTBOX" | wc -l)")
slots=$(cat "$facts/slots")
case "$1 $4" in
  "send --thread") grep -qxF "$5" "$facts/open" || refuse "The conversation $5 is not open: send without --thread." ;;
  send*) [ "$slots" -gt 0 ] || refuse "Three conversations are open: close one first."
    echo $((slots - 1)) > "$facts/slots"; set -- "$@" "dispatch:$CFA_TURN-$call"; echo "dispatch:$CFA_TURN-$call" ;;
  close*) grep -qxF "$2" "$facts/open" || refuse "The conversation $2 is not open."
    echo $((slots + 1)) > "$facts/slots" ;;
esac
printf '%s\\n' "$@" > "$CFA_OUTBOX/$call"
`;

/** A turn as it was run. */
export type Turn = {
  readonly agent: string;
  readonly state: string;
  readonly thread: string;
  readonly number: number;
  readonly message: string;
  readonly exit: number;
  readonly text: string;
  readonly calls: readonly (readonly string[])[];
};

/** What goes wrong, or differs, in a run. */
export type Circumstances = {
  /** The turn is lost when it has ended: its tree is put back, its calls never happen, it is run again. */
  readonly lost?: (turn: Turn) => boolean;
  /** A child fails for good instead of running; the lead is told. */
  readonly fails?: (task: string, attempt: number) => boolean;
  /** A dispatch is refused after the turn, as a race may make it. */
  readonly refused?: (task: string, attempt: number) => boolean;
  /** Changes what a child left in its tree before its reply is delivered. */
  readonly tampers?: (tree: string, task: string, attempt: number) => Promise<void>;
  /** Messages that reach the lead ahead of what is in its mailbox, by the number of its turn in the job. */
  readonly posts?: Readonly<Record<number, string>>;
  /** A message that arrives while the turn that approves the work is running. */
  readonly lateMail?: string;
  /** Artifacts that are there before the job starts. */
  readonly artifacts?: Readonly<Record<string, string>>;
  readonly start?: string;
  /** The youngest child runs first instead of the oldest. */
  readonly youngestFirst?: boolean;
};

/** How a run ended. */
export type Run = {
  readonly outcomes: readonly string[];
  /** False when the lead failed instead of approving. */
  readonly done: boolean;
  readonly failure: string;
  readonly turns: readonly Turn[];
  readonly mostOpen: number;
  readonly nudges: number;
  readonly tree: string;
};

type Child = {
  readonly agent: string;
  readonly thread: string;
  readonly tree: string;
  readonly mail: string[];
};

const NEXT: Readonly<Record<string, string>> = {
  APPROVED_INTENT: "PLAN",
  APPROVED_PLAN: "EXECUTE",
  APPROVED_WORK: "DONE",
  REALIGN: "INTENT",
  REPLAN: "PLAN",
};

/** Plays a job from start to end on HEAD of the repository. */
export async function play(repository: Repository, circumstances: Circumstances = {}): Promise<Run> {
  const tree = join(repository.root, "work", "lead");
  await git(repository.dir, ["worktree", "add", "--quiet", "-b", "cfa/test", tree, "HEAD"]);
  for (const [path, text] of Object.entries(circumstances.artifacts ?? {}))
    await writeFile(join(tree, path), text);
  await mkdir(join(repository.root, "bin"));
  await writeFile(join(repository.root, "bin", "cfa"), STUB);
  await chmod(join(repository.root, "bin", "cfa"), 0o755);
  return new Engine(repository, tree, circumstances).run();
}

class Engine {
  private readonly repository: Repository;
  private readonly tree: string;
  private readonly circumstances: Circumstances;
  private readonly turns: Turn[] = [];
  private readonly outcomes: string[] = [];
  private readonly attempts = new Map<string, number>();
  private mail: string[] = ["Write release notes for everything since the last tag."];
  private children: Child[] = [];
  private state: string;
  private entries = 0;
  private mostOpen = 0;
  private nudges = 0;
  private leadTurns = 0;
  private readonly lateMail: string[];

  constructor(repository: Repository, tree: string, circumstances: Circumstances) {
    this.repository = repository;
    this.tree = tree;
    this.circumstances = circumstances;
    this.state = circumstances.start ?? "INTENT";
    this.lateMail = circumstances.lateMail === undefined ? [] : [circumstances.lateMail];
  }

  async run(): Promise<Run> {
    while (this.state !== "DONE") {
      const failure = await this.step();
      if (failure !== undefined) return this.result(failure);
    }
    return this.result("");
  }

  private result(failure: string): Run {
    const { outcomes, turns, mostOpen, nudges, tree } = this;
    return { outcomes, done: this.state === "DONE", failure, turns, mostOpen, nudges, tree };
  }

  /** Runs one turn, the lead's if it has mail. Resolves with what the lead said when it failed. */
  private async step(): Promise<string | undefined> {
    if (this.mail.length > 0) return this.leadTurn();
    const busy = this.children.filter(({ mail }) => mail.length > 0);
    const child = this.circumstances.youngestFirst === true ? busy.at(-1) : busy[0];
    if (child !== undefined) {
      await this.childTurn(child);
      return undefined;
    }
    this.nudges += 1;
    if (this.nudges > 3) return "nudged too often";
    this.mail.push("[control] Nothing is under way: go on, or end the state.");
    return undefined;
  }

  private async leadTurn(): Promise<string | undefined> {
    this.leadTurns += 1;
    const posted = this.circumstances.posts?.[this.leadTurns];
    const message = posted ?? this.mail.shift() ?? "";
    const turn = await this.runTurn("lead", `state:1:${this.state}:${this.entries}`, this.tree, message);
    if (turn.exit !== 0) return turn.text;
    let outcome: string | undefined;
    for (const call of turn.calls) {
      if (call[0] === "outcome") outcome = call[1];
      else await this.apply(call);
    }
    if (outcome === "APPROVED_WORK") this.mail.push(...this.lateMail.splice(0));
    if (outcome === undefined || this.mail.length > 0) return undefined;
    for (const { thread } of this.children) await this.close(thread);
    this.outcomes.push(outcome);
    this.entries += 1;
    this.state = NEXT[outcome] ?? `unknown outcome ${outcome}`;
    this.mail = this.state === "DONE" ? [] : [`Now ${this.state}.`];
    if (this.state === "DONE") await this.workCommit(this.tree);
    return undefined;
  }

  private async childTurn(child: Child): Promise<void> {
    const task = child.mail.shift() ?? "";
    const attempt = this.attempts.get(task) ?? 0;
    if (this.circumstances.fails?.(task, attempt) === true) {
      this.children = this.children.filter(({ thread }) => thread !== child.thread);
      this.mail.push(`[control] The ${child.agent} on ${child.thread} has failed for good: exit 1.`);
      return;
    }
    const turn = await this.runTurn(child.agent, child.thread, child.tree, `[task from lead]\n${task}`);
    await this.circumstances.tampers?.(child.tree, task, attempt);
    this.mail.push(
      turn.exit === 0
        ? `[reply from ${child.agent} on ${child.thread}]\n${turn.text}`
        : `[control] The ${child.agent} on ${child.thread} has failed for good: ${turn.text}`,
    );
  }

  private async apply(call: readonly string[]): Promise<void> {
    if (call[0] === "close") return this.close(call[1] ?? "");
    const [, , agent = "", option, thread = "", message = ""] = call;
    if (option === "--thread") {
      this.children.find((child) => child.thread === thread)?.mail.push(message);
      return undefined;
    }
    return this.spark(agent, call.at(-2) ?? "", call.at(-1) ?? "");
  }

  private async spark(agent: string, task: string, thread: string): Promise<void> {
    const attempt = (this.attempts.get(task) ?? 0) + 1;
    this.attempts.set(task, attempt);
    if (this.circumstances.refused?.(task, attempt) === true) {
      this.mail.push(
        `[refusal] Your message to ${agent} on ${thread} was refused: no workspace could be made.`,
      );
      return;
    }
    await this.workCommit(this.tree);
    const tree = join(this.repository.root, "work", thread.replace(":", "-"));
    await git(this.tree, ["worktree", "add", "--quiet", "--detach", tree, "HEAD"]);
    for (const path of ARTIFACTS) await cp(join(this.tree, path), join(tree, path)).catch(ignoreMissing);
    this.children.push({ agent, thread, tree, mail: [task] });
    this.mostOpen = Math.max(this.mostOpen, this.children.length);
  }

  private async close(thread: string): Promise<void> {
    const child = this.children.find((candidate) => candidate.thread === thread);
    if (child === undefined) return;
    const commit = await this.workCommit(child.tree);
    await this.workCommit(this.tree);
    await git(this.tree, ["merge", "--quiet", "--no-ff", "-m", `Merge ${thread}`, commit]);
    await git(this.tree, ["worktree", "remove", "--force", child.tree]);
    this.children = this.children.filter((other) => other !== child);
  }

  /** Commits everything but ignored files and artifacts. */
  private async workCommit(tree: string): Promise<string> {
    await git(tree, ["add", "--all"]);
    await git(tree, ["rm", "--quiet", "--cached", "--ignore-unmatch", "--", ...ARTIFACTS]);
    await git(tree, ["commit", "--quiet", "--allow-empty", "-m", "work"]);
    return git(tree, ["rev-parse", "HEAD"]);
  }

  /** Runs a turn, and once more when it is lost. */
  private async runTurn(agent: string, thread: string, tree: string, message: string): Promise<Turn> {
    const number = this.turns.filter((turn) => turn.thread === thread).length + 1;
    const { lost } = this.circumstances;
    const before = `${tree}.before`;
    if (lost !== undefined) await cp(tree, before, { recursive: true });
    const turn = await this.runProgram(agent, thread, tree, message, number);
    const again = lost?.(turn) === true;
    if (again) {
      await rm(tree, { recursive: true });
      await cp(before, tree, { recursive: true });
    }
    await rm(before, { recursive: true, force: true });
    const kept = again ? await this.runProgram(agent, thread, tree, message, number) : turn;
    this.turns.push(kept);
    return kept;
  }

  private async runProgram(agent: string, thread: string, tree: string, message: string, number: number) {
    const outbox = join(this.repository.root, "outbox");
    await rm(outbox, { recursive: true, force: true });
    await mkdir(outbox);
    await mkdir(`${outbox}.facts`, { recursive: true });
    const open = agent === "lead" ? this.children : [];
    await writeFile(join(`${outbox}.facts`, "slots"), `${CAP - open.length}\n`);
    await writeFile(join(`${outbox}.facts`, "open"), open.map((child) => `${child.thread}\n`).join(""));
    const env = {
      PATH: `${join(this.repository.root, "bin")}:${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
      CFA_STATE: this.state,
      CFA_ENTRY: "draft",
      CFA_THREAD: thread,
      CFA_TURN: String(number),
      CFA_OUTBOX: outbox,
      CFA_ARTIFACTS: JSON.stringify({ intent: "INTENT.md", plan: "PLAN.md", summary: "WORK_SUMMARY.md" }),
    };
    const ended = await execa("node", [join(PROGRAMS, `${agent}.mjs`)], {
      cwd: tree,
      env,
      extendEnv: false,
      input: message,
      reject: false,
    });
    const exit = ended.exitCode ?? -1;
    const text = exit === 0 ? ended.stdout : ended.stderr;
    return { agent, state: this.state, thread, number, message, exit, text, calls: await readCalls(outbox) };
  }
}

/** The calls of a turn in order; the thread that a call opened stands after its message. */
async function readCalls(outbox: string): Promise<string[][]> {
  const names = (await readdir(outbox)).sort();
  return Promise.all(
    names.map(async (name) => (await readFile(join(outbox, name), "utf8")).replace(/\n$/, "").split("\n")),
  );
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
