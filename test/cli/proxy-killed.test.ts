/** A proxy that is a program, and cfa killed under it (docs/escalation.md, "A turn of the proxy"). */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { APPROVE, cfa, entriesOf, here, processesOf, repository, shellJob, start } from "./fixture.ts";

const POLLING = { timeout: 60_000 };

test("SIGKILL of cfa while the proxy works: resumed, the question is answered once, by a turn of another number", async () => {
  const top = await repository();
  const begun = join(top, ".git", "begun");
  const lead = `case "$(cat)" in *"answer to your question"*) ${APPROVE} ;; *) cfa ask "which?" ;; esac`;
  const proxy = `if [ ! -e ${begun} ]; then touch ${begun}; exec sleep 600; fi; cfa respond "red"`;
  shellJob(top, { lead, proxy }, "start: EXECUTE\ngiven: { intent: a.txt, plan: a.txt }");
  const run = start(top, "run", "--quiet");
  await expect.poll(() => existsSync(begun), POLLING).toBe(true);
  const [job = ""] = (await here(top, "status", "--all")).out.split("  ");
  await expect.poll(async () => (await here(top, "log", "--jsonl")).out, POLLING).toContain('"kind":"start"');
  run.kill("SIGKILL");
  await run.end();

  expect(await cfa(top, "resume", "--quiet")).toMatchObject({ code: 0 });
  expect(processesOf(job)).toEqual([]);
  const entries = entriesOf((await here(top, "log", "--jsonl")).out);
  const answers = entries.flatMap(({ kind, body }) =>
    kind === "fire" && body.rule === "respond" ? [body.choice?.a?.body] : [],
  );
  expect(answers).toEqual(["red"]);
  const turns = entries.flatMap(({ kind, body }) =>
    kind === "turn" && body.agent === "proxy" ? [[body.turn, body.result]] : [],
  );
  expect(turns).toEqual([[2, "ok"]]);
  expect((await here(top, "verify")).code).toBe(0);
});
