/**
 * What a log must show, however often the engine that wrote it was killed (docs/log.md). Says what is wrong, one
 * sentence each; knows nothing of how the engine works but the folds that readers use.
 */
import { verifyChain } from "../../src/persistence/chain.ts";
import type { Entry } from "../../src/persistence/entry.ts";
import { JobReader } from "../../src/engine/read-job.ts";
import type { Configuration } from "../../src/soup/configuration.ts";
import type { ThreadId } from "../../src/soup/message.ts";

/** Faults of a whole log; `kills` is how often its engine was killed or stopped. Throws LogInvalid when it cannot be folded. */
export function faultsOf(entries: readonly Entry[], kills: number): readonly string[] {
  const verdict = verifyChain(entries);
  const faults = verdict.whole ? [] : [verdict.problem];
  const reader = new JobReader();
  const delivered = new Set<string>();
  const consumed = new Map<string, number>();
  const turns = new Map<ThreadId, number>();
  const lost = new Map<ThreadId, number>();
  const count = (message: string, by: number) => consumed.set(message, (consumed.get(message) ?? 0) + by);
  for (const entry of entries) {
    const before = reader.configuration;
    reader.apply(entry);
    for (const message of unread(reader.configuration)) delivered.add(message);
    if (entry.kind === "rollback") {
      count(messageOf(before, entry.body.thread), -1);
      lost.set(entry.body.thread, (lost.get(entry.body.thread) ?? 0) + 1);
    }
    const thread = entry.kind === "fire" ? (entry.body.at["t"] ?? "") : "";
    if (entry.kind !== "fire" || entry.body.rule !== "wake") continue;
    count(messageOf(reader.configuration, thread), 1);
    const { turn } = reader.ledger.thread(thread);
    if (turn <= (turns.get(thread) ?? 0)) faults.push(`entry ${entry.seq}: ${thread} has turn ${turn} again`);
    turns.set(thread, turn);
  }
  for (const message of delivered)
    if (consumed.get(message) !== 1)
      faults.push(`${message} was consumed ${consumed.get(message) ?? 0} times`);
  for (const [thread, times] of lost)
    if (times > kills) faults.push(`${thread} lost ${times} turns in ${kills} kills`);
  return [...faults, ...repeated(entries)];
}

/** Turns that started or ended twice. */
function repeated(entries: readonly Entry[]): readonly string[] {
  const keys = entries.flatMap(({ kind, body }) =>
    kind === "start" || kind === "turn" ? [`${kind} of turn ${body.turn} of ${body.thread}`] : [],
  );
  return keys.filter((key, at) => keys.indexOf(key) !== at).map((key) => `${key} is there twice`);
}

function* unread(configuration: Configuration): Iterable<string> {
  for (const { thread, mailboxes } of configuration.cells())
    for (const { messages } of mailboxes) for (const { id } of messages) yield `${id} on ${thread}`;
}

function messageOf(configuration: Configuration, thread: ThreadId): string {
  const run = configuration.cell(thread)?.lifecycles.find(({ kind }) => kind === "Run");
  return run?.kind === "Run" ? `${run.message.id} on ${thread}` : `nothing on ${thread}`;
}

/**
 * What a log tells of the work, without times, numbers and ids, which a lost turn changes: the transitions in their order, each thread
 * with its turns that counted, and what became of the trees.
 */
export function storyOf(entries: readonly Entry[]): readonly string[] {
  const reader = new JobReader();
  for (const entry of entries) reader.apply(entry);
  const moves = entries.flatMap(({ kind, body }) =>
    kind === "transition" ? [`${body.from} ${body.action} ${body.to}`] : [],
  );
  const threads = [...reader.ledger.threads.values()].map(
    ({ agent, task, turns, failures }) => `${agent} on "${task}": ${turns} turns, ${failures} failed`,
  );
  const trees = entries.flatMap(({ kind, body }) => (kind === "release" ? [`a tree: ${body.result}`] : []));
  return [...moves, ...threads.toSorted(), ...trees.toSorted()];
}
