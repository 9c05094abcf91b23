/** A ledger as a JSON value, for checkpoints (docs/log.md, "Checkpoints"): its maps as lists, in their order. */
import { z } from "zod";
import { bodySchemas, fileSchema, messageSchema } from "../persistence/entry.ts";
import type { ThreadId } from "../soup/message.ts";
import type { Ledger } from "./ledger.ts";
import { overviewSchema } from "./overview.ts";
import { spentSchema } from "./spending.ts";
import { NEW_THREAD } from "./thread-record.ts";

const id = z.string();
const count = z.int().nonnegative();

const threadSchema = z.strictObject({
  thread: id,
  agent: id,
  serial: count,
  parent: id.optional(),
  task: z.string(),
  optional: z.boolean(),
  turn: count,
  since: z.string(),
  turns: count,
  session: z.string().optional(),
  last: bodySchemas.turn.optional(),
  failures: count,
  fresh: z.boolean(),
  refusals: count,
  owes: z.boolean(),
  failed: z.boolean(),
  ending: z.enum(["merge", "drop"]).optional(),
  closed: z.boolean(),
  release: bodySchemas.release.optional(),
  process: z.strictObject({ pid: z.int(), started: z.string().nullable() }).optional(),
  abandoned: z.strictObject({ by: id, message: messageSchema, taken: z.boolean() }).optional(),
  children: z.array(id),
});

const questionSchema = z.strictObject({
  id,
  thread: id,
  policy: z.enum(["never", "when_unsure", "always"]),
  text: z.string(),
  since: z.string(),
  default: z.strictObject({ answer: z.string(), at: z.string() }).optional(),
  notified: z.boolean(),
  asking: z.boolean(),
  answer: z.string().optional(),
  ended: z.boolean(),
});

const escalationSchema = z.strictObject({
  question: id,
  agent: id,
  thread: id,
  text: z.string(),
  commit: z.string().nullable(),
  workspace: z.enum(["ready", "refused", "released"]).optional(),
  next: count,
  turns: count,
  failures: count,
  failure: z.string().nullable(),
  session: z.string().optional(),
  running: z.boolean(),
  since: z.string(),
  process: z.strictObject({ pid: z.int(), started: z.string().nullable() }).optional(),
  exchanges: z.array(
    z.strictObject({
      asked: z.string(),
      byProxy: z.boolean(),
      byDefault: z.boolean(),
      replied: z.string().nullable(),
      at: z.string(),
    }),
  ),
  answer: z.strictObject({ text: z.string(), byProxy: z.boolean(), at: z.string() }).optional(),
  lost: z.boolean(),
  over: z.boolean(),
});

const listOf = <T extends z.ZodType>(value: T) => z.array(z.tuple([id, value]));

/** Schema of a ledger in a checkpoint. */
export const ledgerSchema = z.strictObject({
  threads: z.array(threadSchema),
  questions: z.array(questionSchema),
  escalations: z.array(escalationSchema),
  files: listOf(z.array(fileSchema)),
  snapshots: listOf(z.string()),
  trees: listOf(z.strictObject({ began: z.string(), artifacts: z.string().nullable(), line: z.string() })),
  conflicts: listOf(z.strictObject({ child: id, paths: z.array(z.string()) })),
  prepared: listOf(id),
  tasks: listOf(z.string()),
  unreleased: z.array(id),
  optional: z.array(id),
  root: id,
  spent: spentSchema,
  overview: overviewSchema,
});

/** A ledger as a checkpoint holds it. */
export type LedgerForm = z.infer<typeof ledgerSchema>;

/** The form of a ledger, with the tasks and the optional threads that it knows of threads to come. */
export function formOf(
  ledger: Ledger,
  tasks: ReadonlyMap<ThreadId, string>,
  optional: ReadonlySet<ThreadId>,
): LedgerForm {
  const { root, spent } = ledger;
  return {
    threads: [...ledger.threads.values()].map((one) => ({ ...one, children: [...one.children] })),
    questions: [...ledger.questions.values()],
    escalations: [...ledger.escalations.records.values()].map((one) => ({
      ...one,
      exchanges: [...one.exchanges],
    })),
    files: [...ledger.files].map(([message, files]) => [message, [...files]]),
    snapshots: [...ledger.snapshots],
    trees: [...ledger.trees],
    conflicts: [...ledger.conflicts].map(([tree, { child, paths }]) => [tree, { child, paths: [...paths] }]),
    prepared: [...ledger.prepared],
    tasks: [...tasks],
    unreleased: [...ledger.unreleased],
    optional: [...optional],
    root,
    spent,
    overview: ledger.overview.form(),
  };
}

/** Fills an empty ledger, made with the escalations and the overview of the form, with all else that the form says of it. */
export function fill(ledger: Ledger, form: LedgerForm): void {
  for (const one of form.threads)
    ledger.threads.set(one.thread, { ...NEW_THREAD, ...one, children: [...one.children] });
  for (const one of form.questions)
    ledger.questions.set(one.id, { answer: undefined, default: undefined, ...one });
  copy(form.files, ledger.files);
  copy(form.snapshots, ledger.snapshots);
  copy(form.trees, ledger.trees);
  copy(form.conflicts, ledger.conflicts);
  copy(form.prepared, ledger.prepared);
  for (const thread of form.unreleased) ledger.unreleased.add(thread);
  ledger.root = form.root;
  ledger.spent = form.spent;
}

function copy<K, V>(from: Iterable<readonly [K, V]>, to: Map<K, V>): void {
  for (const [key, value] of from) to.set(key, value);
}
