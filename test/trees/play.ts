/**
 * Plays a plan: the real engine on a real repository, with functions as agents that do what the plan says and keep a journal.
 *
 * Y1. Every line that an agent writes is a word of its own (`L<number>`), never written twice.
 * Y2. The journal says what stood in the workspace when a turn began and when it ended, and that nothing but the turn itself
 *     touched it meanwhile: files, index, HEAD.
 * Y3. The user's repository is in use: changes staged, unstaged and untracked, hooks that would fail, signing that cannot work.
 */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { openEngine } from "../../src/engine/engine.ts";
import type { JobDefinition } from "../../src/job/definition.ts";
import type { Entry } from "../../src/persistence/entry.ts";
import type { Script, ScriptTurn } from "../../src/runtime/agents/script-turn.ts";
import type { RunEnd } from "../../src/runtime/scheduler-options.ts";
import { gitWorkspaces } from "../../src/runtime/workspaces/git-workspaces.ts";
import type { Workspaces } from "../../src/runtime/workspaces/port.ts";
import { EXECUTE, git, type Place, startJob, write } from "../engine/fixture.ts";
import { type Edit, type Node, nodeAt, type Plan, SHARED } from "./plan.ts";
import { usersSide } from "./users-side.ts";

/** What a turn saw and left. */
export type Played = {
  /** Directory of the workspace. */
  readonly workspace: string;
  readonly thread: string;
  readonly turn: number;
  /** Words in the workspace when it ended. */
  readonly words: ReadonlySet<string>;
};

/** A plan that has been played. */
export type Outcome = {
  readonly place: Place;
  readonly job: string;
  readonly end: RunEnd;
  readonly entries: readonly Entry[];
  readonly journal: readonly Played[];
  /** Words that agents have removed, by directory of the workspace; turns that were stopped included. */
  readonly removed: ReadonlyMap<string, ReadonlySet<string>>;
  /** What happened to workspaces that must not: two turns at a time, or a change under a turn. */
  readonly intrusions: readonly string[];
  readonly before: Readonly<Record<string, string>>;
};

let template: string | undefined;

/** The repository that every plan begins with (Y3). */
function templateRepository(): string {
  if (template !== undefined) return template;
  const top = realpathSync(mkdtempSync(join(tmpdir(), "cfa-trees-template-")));
  process.on("exit", () => rmSync(top, { recursive: true, force: true }));
  git(top, "init", "--quiet");
  for (const [at, path] of SHARED.entries()) {
    const lines = Array.from({ length: 5 }, (_, line) => `L9${at}${line}\n`).join("");
    write(top, path, path.endsWith(".bin") ? `\0${lines}` : lines);
  }
  write(top, ".gitignore", "*.log\n");
  git(top, "add", "--all");
  git(top, "commit", "--quiet", "--message", "base");
  for (const hook of ["pre-commit", "post-checkout", "post-merge", "reference-transaction", "commit-msg"])
    writeFileSync(join(top, ".git/hooks", hook), "#!/bin/sh\ntouch hooked\nexit 1\n", { mode: 0o755 });
  git(top, "config", "commit.gpgSign", "true");
  git(top, "config", "gpg.program", "/nowhere/gpg");
  write(top, "s1.txt", "unstaged\n");
  write(top, "staged.txt", "staged\n");
  git(top, "add", "staged.txt");
  write(top, "untracked.txt", "untracked\n");
  return (template = top);
}

function makePlace(): Place {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "cfa-trees-")));
  const place = { top: join(parent, "repository"), files: join(parent, "files") };
  cpSync(templateRepository(), place.top, { recursive: true });
  write(place.files, "intent.md", "the intent\n");
  write(place.files, "plan.md", "the plan\n");
  return place;
}

/** Removes everything that a played plan has left on disk. */
export const clearAway = ({ place }: Outcome): void => rmSync(dirname(place.top), { recursive: true });

/** Plays a plan to its end; `spoil` makes the workspaces of a job worse than they are. */
export async function play(plan: Plan, spoil = (real: Workspaces): Workspaces => real): Promise<Outcome> {
  const place = makePlace();
  const before = usersSide(place.top);
  const workspaces = async (job: string, { artifacts }: JobDefinition) =>
    spoil(
      await gitWorkspaces({
        repository: place.top,
        job,
        artifacts: Object.values(artifacts),
        target: "main",
      }),
    );
  const engine = openEngine({ bus: "memory", workspaces });
  const cast = new Cast(plan);
  const agents = {
    lead: { run: ["true"], roster: ["worker"] },
    worker: { run: ["true"], roster: ["worker"] },
  };
  const limits = { retries: 20, max_turns: 100, concurrency: 8 };
  try {
    const scripts = { lead: cast.script, worker: cast.script };
    const { run } = await startJob({ ...EXECUTE, agents, limits }, scripts, { place, engine });
    cast.onTurn = (played) => {
      if (played === plan.withdrawAfter) void run.withdraw("enough");
    };
    const end = await run.end;
    const entries: Entry[] = [];
    for await (const entry of run) entries.push(entry);
    const { journal, removed, intrusions } = cast;
    return { place, job: run.id, end, entries, journal, removed, intrusions, before };
  } finally {
    await engine.close();
  }
}

/** The agents of a plan; each finds its part by the text of its task. */
class Cast {
  readonly #plan: Plan;
  readonly #parts = new Map<string, Part>();
  readonly #atWork = new Set<string>();
  readonly journal: Played[] = [];
  readonly removed = new Map<string, Set<string>>();
  readonly intrusions: string[] = [];
  onTurn: (played: number) => void = () => undefined;
  #words = 0;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  readonly script: Script = async (turn) => {
    const { workspace, thread } = turn;
    if (this.#atWork.has(workspace)) this.intrusions.push(`${thread} met another turn in its workspace`);
    this.#atWork.add(workspace);
    try {
      return await this.#act(turn);
    } finally {
      this.#atWork.delete(workspace);
    }
  };

  async #act(turn: ScriptTurn): Promise<string | undefined> {
    const { workspace, thread } = turn;
    const seen = new Set(wordsIn(workspace));
    const part = this.#partOf(turn);
    this.#edit(turn, part, () => {
      const word = `L${++this.#words}`;
      seen.add(word);
      return `${word}\n`;
    });
    const left = stateOf(workspace);
    const words = wordsIn(workspace);
    const gone = [...seen].filter((word) => !words.has(word));
    this.removed.set(workspace, new Set([...(this.removed.get(workspace) ?? []), ...gone]));
    // Whatever else is under way gets its chance to come between.
    for (let pause = 0; pause < 20; pause++) await setImmediate();
    if (turn.signal.aborted) return undefined;
    await part.talk(turn);
    if (turn.signal.aborted) return undefined;
    if (stateOf(workspace) !== left)
      this.intrusions.push(`the workspace of ${thread} changed under its turn`);
    this.journal.push({ workspace, thread, turn: turn.turn, words });
    this.onTurn(this.journal.length);
    return `turn ${turn.turn} of ${part.place}`;
  }

  #partOf(turn: ScriptTurn): Part {
    const known = this.#parts.get(turn.thread);
    if (known !== undefined) return known;
    const place = /^at ([\d.]+)$/u.exec(turn.message.body)?.[1] ?? "";
    const part = new Part(place, nodeAt(this.#plan.root, place), turn.parent === null);
    this.#parts.set(turn.thread, part);
    return part;
  }

  #edit(turn: ScriptTurn, { node, begun }: Part, word: () => string): void {
    const isControl = turn.message.kind === "control";
    const ours = conflictIn(turn);
    if (ours.length > 0 && !(node.resolution === "late" && isControl)) resolve(turn, ours, node, word);
    if (isControl) return;
    for (const edit of begun ? node.later : node.edits) apply(turn.workspace, edit, turn.thread, word);
  }
}

/** A thread's part: what it has done, and what it says next. */
class Part {
  readonly place: string;
  readonly node: Node;
  readonly #isLead: boolean;
  /** Threads of its children, and how often each has replied. */
  readonly #replies = new Map<string, number>();
  readonly #nodes = new Map<string, Node>();
  begun = false;

  constructor(place: string, node: Node, isLead: boolean) {
    this.place = place;
    this.node = node;
    this.#isLead = isLead;
  }

  async talk(turn: ScriptTurn): Promise<void> {
    const from = turn.message.from?.thread ?? "";
    const isOpen = (thread: string) => turn.children.some((child) => child.thread === thread);
    if (!this.begun) await this.#open(turn);
    else if (turn.message.kind === "reply" && this.#nodes.has(from)) {
      this.#replies.set(from, (this.#replies.get(from) ?? 0) + 1);
      for (const [thread, { fate }] of this.#nodes) {
        if (!isOpen(thread)) continue;
        const isDue =
          thread === from && (fate === "close" || (fate === "again" && this.#replies.get(from) !== 1));
        if (isDue || fate === "cut") await turn.close(thread);
        else if (thread === from && fate === "again")
          await turn.send({ to: "worker", thread, message: "again" });
      }
    }
    this.begun = true;
    if (this.#isLead && this.#isDone(isOpen)) await turn.outcome("APPROVED_WORK", "done");
  }

  async #open(turn: ScriptTurn): Promise<void> {
    for (const [at, child] of this.node.children.entries()) {
      const place = this.place === "" ? String(at) : `${this.place}.${at}`;
      const thread = await turn.send({ to: "worker", message: `at ${place}` });
      this.#nodes.set(thread, child);
    }
  }

  /** Every child has replied as often as it was asked, or is gone; what is left open is merged with the approval. */
  #isDone(isOpen: (thread: string) => boolean): boolean {
    return [...this.#nodes].every(
      ([thread, { fate }]) =>
        !isOpen(thread) || (this.#replies.get(thread) ?? 0) >= (fate === "again" ? 2 : 1),
    );
  }
}

/** Paths in conflict, from the index of the workspace. */
function conflictIn({ workspace }: ScriptTurn): readonly string[] {
  if (!existsSync(join(adminOf(workspace), "MERGE_HEAD"))) return [];
  const out = git(
    workspace,
    "-c",
    "core.hooksPath=/dev/null",
    "diff",
    "--name-only",
    "--diff-filter=U",
    "-z",
  );
  return [...new Set(out.split("\0").filter((path) => path !== ""))];
}

/** Ends the conflict the way the plan says; what no side is chosen for is changed. */
function resolve(turn: ScriptTurn, paths: readonly string[], node: Node, word: () => string): void {
  for (const path of paths) {
    const at = join(turn.workspace, path);
    if (!existsSync(at)) continue;
    const content = readFileSync(at, "latin1");
    if (!/^<{7} /mu.test(content)) {
      writeFileSync(at, content + word(), "latin1");
      continue;
    }
    writeFileSync(at, choose(content, node.resolution) + word(), "latin1");
  }
  if (node.resolution !== "by commit") return;
  const options = ["-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false"];
  git(turn.workspace, ...options, "add", "--all");
  git(turn.workspace, ...options, "commit", "--quiet", "--message", "resolved");
}

function choose(content: string, resolution: Node["resolution"]): string {
  let side: "both" | "ours" | "theirs" = "both";
  const kept: string[] = [];
  for (const line of content.split(/(?<=\n)/u)) {
    if (line.startsWith("<<<<<<< ")) side = "ours";
    else if (line.startsWith("=======") && side === "ours") side = "theirs";
    else if (line.startsWith(">>>>>>> ")) side = "both";
    else if (side === "both" || (resolution !== "ours" && resolution !== "theirs") || side === resolution)
      kept.push(line);
  }
  return kept.join("");
}

function apply(workspace: string, edit: Edit, thread: string, word: () => string): void {
  const mine = thread.replace(/[^\w]/gu, "-");
  if (!("file" in edit)) {
    if (edit.kind === "commit") return commit(workspace);
    const isOwn = edit.kind === "own";
    return append(workspace, isOwn ? `own/${mine}.txt` : `${mine}.log`, isOwn ? word() : "no word\n");
  }
  const path = SHARED[edit.file] ?? SHARED[0];
  const at = join(workspace, path);
  if (!existsSync(at)) return edit.kind === "insert" ? append(workspace, path, word()) : undefined;
  if (edit.kind === "delete") return rmSync(at);
  if (edit.kind === "rename")
    return renameSync(at, join(workspace, `renamed-${mine}-${path.replace("/", "-")}`));
  if (!("at" in edit)) return undefined;
  const lines = readFileSync(at, "latin1").split(/(?<=\n)/u);
  const position = edit.at % lines.length;
  if (edit.kind === "insert") lines.splice(position, 0, word());
  else if (edit.kind === "replace") lines.splice(position, 1, word());
  else lines.splice(position, 1);
  writeFileSync(at, lines.join(""), "latin1");
}

function append(workspace: string, path: string, text: string): void {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  appendFileSync(join(workspace, path), text);
}

/** What an agent commits itself is work like any other. */
function commit(workspace: string): void {
  if (existsSync(join(adminOf(workspace), "MERGE_HEAD"))) return;
  const options = ["-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false"];
  git(workspace, ...options, "add", "--all");
  git(workspace, ...options, "commit", "--quiet", "--allow-empty", "--message", "by the agent");
}

const adminOf = (workspace: string): string =>
  readFileSync(join(workspace, ".git"), "utf8")
    .replace(/^gitdir: /u, "")
    .trim();

/** The words in the files of a workspace, conflict sides included; artifacts hold none. */
export function wordsIn(workspace: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const file of filesBelow(workspace))
    for (const [word] of readFileSync(file, "latin1").matchAll(/L\d+/gu)) words.add(word);
  return words;
}

function filesBelow(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if ([".git", ".cfa", ".sortie"].includes(entry.name)) return [];
    const path = join(directory, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** Files, index and HEAD of a workspace as one text; the outcome record is the turn's own. */
function stateOf(workspace: string): string {
  const admin = adminOf(workspace);
  const inAdmin = (name: string) =>
    existsSync(join(admin, name)) ? readFileSync(join(admin, name), "base64") : "";
  const branch = /^ref: (.*)\n$/u.exec(readFileSync(join(admin, "HEAD"), "utf8"))?.[1];
  const head = branch === undefined ? "" : readFileSync(join(admin, "../..", branch), "utf8");
  const files = filesBelow(workspace).map((file) => `${file} ${readFileSync(file, "base64")}`);
  return [head, inAdmin("HEAD"), inAdmin("index"), inAdmin("MERGE_HEAD"), ...files].join("\n");
}
