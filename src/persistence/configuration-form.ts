/**
 * A configuration as a JSON value and back, for checkpoints (docs/log.md, "Checkpoints").
 *
 * F1. Written and read back it is the same in everything that rules, rounds and printing see: molecules and their order,
 *     numbers of threads, seats of children, facts. What can be worked out from that is not written.
 * F2. A Parent edge stands in two cells as one object (soup/cell.ts); it is written with its child, and made once.
 */
import { z } from "zod";
import { type Cell, type Children, emptyCell } from "../soup/cell.ts";
import { Configuration } from "../soup/configuration.ts";
import type { Lifecycle, Mailbox, Parent } from "../soup/molecule.ts";
import type { ThreadId } from "../soup/message.ts";
import { Queue } from "../soup/queue.ts";
import { SparseVector } from "../soup/sparse-vector.ts";
import { messageSchema, payloadSchema } from "./entry.ts";

const id = z.string();
const count = z.int().nonnegative();
const policy = z.enum(["never", "when_unsure", "always"]);
const instance = { agent: id, thread: id };
const question = { ...instance, question: id, text: messageSchema, policy };

const lifecycle = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("Idle"), ...instance }),
  z.strictObject({ kind: z.literal("Run"), ...instance, message: messageSchema, turn: count }),
  z.strictObject({ kind: z.literal("Send"), ...instance, payloads: z.array(payloadSchema) }),
]);

const cellSchema = z.strictObject({
  thread: id,
  lifecycles: z.array(lifecycle),
  mailboxes: z.array(
    z.strictObject({ kind: z.literal("Mailbox"), ...instance, messages: z.array(messageSchema) }),
  ),
  questions: z.array(
    z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("AskQuestion"), ...question }),
      z.strictObject({ kind: z.literal("Proxy"), ...question, phase: z.enum(["fresh", "post-human"]) }),
      z.strictObject({ kind: z.literal("AskHuman"), ...question }),
    ]),
  ),
  terminates: z.array(
    z.strictObject({ kind: z.literal("Terminate"), thread: id, mode: z.enum(["merge", "drop"]) }),
  ),
  interrupts: z.array(z.strictObject({ kind: z.literal("Interrupt"), thread: id, message: messageSchema })),
  /** Parents, each with the seat of the edge among that one's children. */
  up: z.array(z.strictObject({ thread: id, seat: count })),
  /** The first seat that is taken and the first that never was; null without children. */
  down: z.strictObject({ first: count, next: count }).nullable(),
  dyingDown: count,
  turns: count,
  closed: z.boolean(),
  workspace: z
    .discriminatedUnion("ready", [
      z.strictObject({ ready: z.literal(true), commit: z.string() }),
      z.strictObject({ ready: z.literal(false), because: z.string() }),
    ])
    .nullable(),
});

/** Schema of a configuration in a checkpoint. */
export const configurationSchema = z.strictObject({
  facts: z.strictObject({ rosters: z.record(id, z.array(id)), cap: count }),
  /** In the order of the numbers of their threads. */
  cells: z.array(cellSchema),
});

/** A configuration as a checkpoint holds it. */
export type ConfigurationForm = z.infer<typeof configurationSchema>;

type CellForm = ConfigurationForm["cells"][number];

/** The form of a configuration. */
export function formOf(configuration: Configuration): ConfigurationForm {
  const { rosters, cap } = configuration.facts;
  const lists = Object.entries(rosters).map(([agent, roster]): [string, string[]] => [agent, [...roster]]);
  const cells = [...configuration.cells()].map(cellForm);
  return { facts: { rosters: Object.fromEntries(lists), cap }, cells };
}

function cellForm(cell: Cell): CellForm {
  const { thread, questions, terminates, interrupts, down, dyingDown, turns, closed } = cell;
  return {
    thread,
    lifecycles: cell.lifecycles.map((one) =>
      one.kind === "Send" ? { ...one, payloads: [...one.payloads] } : one,
    ),
    mailboxes: cell.mailboxes.map((one) => ({ ...one, messages: [...one.messages] })),
    questions: [...questions],
    terminates: [...terminates],
    interrupts: [...interrupts],
    up: cell.up.map(({ edge, seat }) => ({ thread: edge.thread, seat })),
    down: down.count === 0 ? null : { first: down.first, next: down.next },
    dyingDown,
    turns,
    closed,
    workspace: cell.workspace ?? null,
  };
}

/** The configuration of a form. */
export function configurationOf({ facts, cells }: ConfigurationForm): Configuration {
  const ups = cells.map(({ thread, up }) =>
    up.map(
      ({ thread: parent, seat }) =>
        ({ edge: { kind: "Parent", child: thread, thread: parent }, seat }) as const,
    ),
  );
  const seats = new Map<ThreadId, { readonly edge: Parent; readonly seat: number }[]>();
  for (const one of ups.flat()) {
    const known = seats.get(one.edge.thread);
    if (known === undefined) seats.set(one.edge.thread, [one]);
    else known.push(one);
  }
  const made = cells.map((form, at): Cell => {
    const { down, lifecycles, mailboxes, workspace, ...rest } = form;
    return {
      ...rest,
      lifecycles: lifecycles.map(lifecycleOf),
      mailboxes: mailboxes.map((one): Mailbox => ({ ...one, messages: Queue.from(one.messages) })),
      up: ups[at] ?? [],
      down: down === null ? emptyCell("").down : childrenOf(down, seats.get(form.thread) ?? []),
      workspace: workspace ?? undefined,
    };
  });
  return Configuration.empty(facts).withCells(made);
}

function lifecycleOf(form: CellForm["lifecycles"][number]): Lifecycle {
  return form.kind === "Send" ? { ...form, payloads: Queue.from(form.payloads) } : form;
}

function childrenOf(
  { first, next }: { readonly first: number; readonly next: number },
  taken: readonly { readonly edge: Parent; readonly seat: number }[],
): Children {
  const seats = taken.reduce(
    (vector, { edge, seat }) => vector.set(seat, edge),
    SparseVector.empty<Parent>(),
  );
  return { seats, count: taken.length, first, next };
}
