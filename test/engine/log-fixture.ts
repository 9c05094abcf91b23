/** A real small job with its log in a database: three states, a child, a question to the human. Made once a file. */
import { join } from "node:path";
import { type LogRow, rowOf } from "../../src/persistence/chain.ts";
import type { Entry } from "../../src/persistence/entry.ts";
import type { LogFile } from "../../src/persistence/log-file.ts";
import { approve, inExecute, makeEngine, type Place, startJob, until } from "./fixture.ts";

/** What the tests of this folder read: the entries of the job, its rows, and where it lies. */
export type SmallJob = {
  readonly place: Place;
  readonly job: string;
  readonly database: string;
  readonly entries: readonly Entry[];
  readonly rows: readonly LogRow[];
};

/** Runs the job to its end. */
export async function smallJob(): Promise<SmallJob> {
  const lead = inExecute(
    async (turn) => void (await turn.send({ to: "worker", message: "do it" })),
    async (turn) => void (await turn.ask("which one?")),
    async (turn) => {
      for (const { thread } of turn.children) await turn.close(thread);
      await approve(turn);
    },
  );
  const engine = makeEngine({});
  const started = await startJob(
    {},
    {
      lead: async (turn) => {
        await lead(turn);
        return "said";
      },
      worker: () => "done",
    },
    { engine },
  );
  const { question } = await askedOf(started.run);
  await started.run.answer(question, "the first");
  await started.run.end;
  const entries: Entry[] = [];
  for await (const entry of started.run) entries.push(entry);
  const job = started.run.id;
  const database = join(started.place.top, ".cfa/jobs", job, "bus.db");
  return { place: started.place, job, database, entries, rows: entries.map(rowOf) };
}

async function askedOf(run: Parameters<typeof until>[0]): Promise<{ readonly question: string }> {
  const fire = await until(run, "fire", ({ rule }) => rule === "escalate");
  return { question: fire.at["e"] ?? "" };
}

/** Rows as a log file that has nothing beside them. */
export function fileOf(rows: () => Iterable<LogRow>): LogFile {
  return {
    kind: "export",
    rows: function* (after = 0) {
      for (const row of rows()) if (row.seq > after) yield row;
    },
    checkpoint: () => undefined,
    damage: () => undefined,
    close: () => undefined,
  };
}
