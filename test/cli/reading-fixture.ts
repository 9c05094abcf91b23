/** A finished job for the tests that read one back, made once a file: its repository, id and export. */
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { APPROVE, cfa, here, keptRepository, shellJob } from "./fixture.ts";

/** Where the job lies; `remove` when the tests are over. */
export type Finished = {
  readonly top: string;
  readonly job: string;
  readonly database: string;
  /** What `cfa log --jsonl` printed, and the file that holds it. */
  readonly lines: readonly string[];
  readonly file: string;
  readonly remove: () => void;
};

/** A lead that sends a worker off in EXECUTE, and closes it when it replies. */
const LEAD = `message=$(cat)
case "$CFA_STATE $message" in
  "EXECUTE [reply"*) cfa close "$(cat thread)"; rm thread ;;
  EXECUTE*) cfa send --to worker "write" >thread; exit ;;
esac
${APPROVE}`;

/** Runs the job. */
export async function finishedJob(): Promise<Finished> {
  const { top, remove } = await keptRepository();
  shellJob(top, { lead: LEAD, worker: "cat >b.txt; echo written" });
  const { code, err } = await cfa(top, "run", "--quiet");
  if (code !== 0) throw new Error(err);
  const [job = ""] = readdirSync(join(top, ".cfa", "jobs"));
  const { out } = await here(top, "log", "--jsonl");
  const file = join(top, "export.jsonl");
  writeFileSync(file, `${out}\n`);
  const database = join(top, ".cfa", "jobs", job, "bus.db");
  return {
    top,
    job,
    database,
    lines: out.split("\n"),
    file,
    remove: () => (remove(), rmSync(file, { force: true })),
  };
}
