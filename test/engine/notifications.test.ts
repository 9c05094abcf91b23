/** Questions that somebody is told of, and that answer themselves in time (docs/human.md). */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Script } from "../../src/runtime/agents/script-turn.ts";
import {
  adapters,
  approve,
  bodies,
  EXECUTE,
  finish,
  firings,
  inExecute,
  makeEngine,
  makePlace,
  notes,
  read,
  runJob,
  shell,
  startJob,
  until,
  write,
} from "./fixture.ts";

/** Asks once, and approves on whatever comes then. */
const asks: Script = inExecute(async (turn) => void (await turn.ask("which colour?")), approve);

describe.concurrent("a notification", () => {
  test("carries the question as JSON to a program, once, before the run ends as waiting; a resumed run tells nothing twice", async () => {
    const place = makePlace();
    const engine = makeEngine({});
    const told = join(place.files, "told");
    const keys = { ...EXECUTE, notify: { run: ["sh", "-c", `cat >>${told}`] } };
    const first = await startJob(keys, { lead: asks }, { place, engine, waitForHuman: false });
    expect(await first.run.end).toEqual({ kind: "waiting", questions: ["q1.1.1"] });
    const again = await engine.resume(place.top, first.run.id, {
      agents: adapters({ lead: asks }),
      waitForHuman: false,
    });
    expect((await again.end).kind).toBe("waiting");
    const notifications = read(place.files, "told").trim().split("\n");
    expect(notifications.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        job: first.run.id,
        question: "q1.1.1",
        conversation: "escalation:q1.1.1",
        exchange: 1,
        agent: "lead",
        thread: `state:${first.run.id}:EXECUTE:1`,
        text: "which colour?",
        policy: "when_unsure",
        since: expect.stringMatching(/^20/u),
        default: null,
      },
    ]);
    const { entries } = await finish({ place, engine, run: again });
    expect(bodies(entries, "notify")).toEqual([{ question: "q1.1.1", to: "sh", problem: null }]);
  });

  test("posts to an address; the log names it without its secrets", async () => {
    const got: unknown[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        const { "idempotency-key": key, authorization } = request.headers;
        got.push([key, authorization, JSON.parse(body)]);
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo; // oxlint-disable-line typescript/no-unsafe-type-assertion -- it listens on a port
    const url = `http://user:s%3Acret@127.0.0.1:${port}/hook?token=secret`;
    const started = await startJob({ ...EXECUTE, notify: { url } }, { lead: asks }, { waitForHuman: false });
    const { end, entries, run } = await finish(started);
    server.close();
    expect(end.kind).toBe("waiting");
    expect(got).toEqual([
      [`${run.id}:q1.1.1:1`, `Basic ${btoa("user:s:cret")}`, expect.objectContaining({ question: "q1.1.1" })],
    ]);
    expect(bodies(entries, "notify")).toEqual([
      { question: "q1.1.1", to: `http://127.0.0.1:${port}/hook`, problem: null },
    ]);
  });

  test.each([
    [{ run: ["sh", "-c", "echo no such thing >&2; exit 3"] }, "it ended with exit status 3: no such thing"],
    [{ url: "http://user:secret@127.0.0.1:9/hook?tok=1" }, expect.not.stringMatching(/secret|tok=/u)],
    [{ url: "http://127.0.0.1:1/" }, expect.stringMatching(/ECONNREFUSED|bad port/u)],
  ])("that fails (%j) is in the log with its reason, and the job goes on", async (notify, problem) => {
    const started = await startJob({ ...EXECUTE, notify }, { lead: asks });
    const failed = await until(started.run, "notify");
    expect(failed).toMatchObject({ question: "q1.1.1", problem });
    await started.run.answer("q1.1.1", "blue");
    const { end } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
  });

  test("to an address that has moved has failed: on the way to the new one the question would be lost", async () => {
    const got: string[] = [];
    const server = createServer((request, response) => {
      got.push(request.url ?? "");
      response.writeHead(request.url === "/old" ? 302 : 200, { location: "/new" }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo; // oxlint-disable-line typescript/no-unsafe-type-assertion -- it listens on a port
    const notify = { url: `http://127.0.0.1:${port}/old` };
    const started = await startJob({ ...EXECUTE, notify }, { lead: asks }, { waitForHuman: false });
    const { entries } = await finish(started);
    server.close();
    expect(got).toEqual(["/old"]);
    expect(bodies(entries, "notify").map(({ problem }) => problem)).toEqual([
      "the address answered 302: it has moved, name the new one",
    ]);
  });

  test("is given again when the proxy asks again, with the number of the exchange", async () => {
    const place = makePlace();
    const told = join(place.files, "told");
    const keys = {
      ...EXECUTE,
      agents: { lead: shell("cat"), proxy: shell("cat") },
      notify: { run: ["sh", "-c", `cat >>${told}`] },
    };
    const proxy: Script = async (turn) =>
      turn.turn === 3 ? turn.respond("dark") : turn.turn === 1 ? "which?" : "how dark?";
    const started = await startJob(keys, { lead: asks, proxy }, { place });
    await until(started.run, "notify");
    await started.run.answer("q1.1.1", "blue");
    let given = 0;
    await until(started.run, "notify", () => ++given === 2);
    await started.run.answer("q1.1.1", "very");
    const { end, entries } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    const lines = read(place.files, "told").trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ question: "q1.1.1", exchange: 1, text: "which?" }),
      expect.objectContaining({ question: "q1.1.1", exchange: 2, text: "how dark?" }),
    ]);
    expect(bodies(entries, "notify")).toHaveLength(2);
  });

  test("of the caller is given where the job says nothing", async () => {
    const place = makePlace();
    const started = await startJob(
      EXECUTE,
      { lead: asks },
      { place, waitForHuman: false, notify: { run: ["sh", "-c", `cat >${join(place.files, "told")}`] } },
    );
    await finish(started);
    expect(read(place.files, "told")).toContain("which colour?");
  });
});

describe.concurrent("a default answer", () => {
  const otherwise = { answer: "blue", millis: 30 };

  test("counts from its time on, as a recorded act, even where nobody is waited for", async () => {
    const heard: string[] = [];
    const { end, entries } = await runJob(
      EXECUTE,
      {
        lead: inExecute(
          async (turn) => void (await turn.ask("which colour?", otherwise)),
          (turn) => {
            heard.push(turn.message.body);
            return approve(turn);
          },
        ),
      },
      { waitForHuman: false },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(heard).toEqual(["blue"]);
    expect(bodies(entries, "act")).toEqual([
      expect.objectContaining({
        id: "default:q1.1.1",
        verb: "answer",
        by: "default",
        text: "blue",
        result: "answered",
      }),
    ]);
    expect(firings(entries).filter((rule) => ["escalate", "human-reply", "respond"].includes(rule))).toEqual([
      "escalate",
      "human-reply",
      "respond",
    ]);
  });

  test("does not count when somebody was quicker", async () => {
    const started = await startJob(EXECUTE, {
      lead: inExecute(
        async (turn) => void (await turn.ask("which colour?", { answer: "blue", millis: 600_000 })),
        approve,
      ),
    });
    await until(started.run, "fire", ({ rule }) => rule === "escalate");
    await started.run.answer("q1.1.1", "red");
    const { entries, job } = await finish(started);
    expect(bodies(entries, "act").map(({ text }) => text)).toEqual(["red"]);
    expect(job.ledger.questions.get("q1.1.1")).toMatchObject({ answer: "red" });
  });

  test("is refused under always, and ignored where a program writes it past cfa", async () => {
    const { entries } = await runJob(
      { ...EXECUTE, states: { EXECUTE: { escalation: "always" } } },
      {
        lead: inExecute(async (turn) => {
          await turn.ask("which colour?", otherwise).catch(() => undefined);
          const call = { verb: "ask", question: "q1.1.1", text: "which?", default: otherwise };
          write(turn.workspace, "../../../turns/1/1/0001.json", JSON.stringify(call));
          return undefined;
        }, approve),
      },
      { waitForHuman: false },
    );
    expect(notes(entries).join("\n")).toContain(
      "every question is answered by the human (escalation: always)",
    );
    expect(bodies(entries, "turn").at(-1)?.defaults).toBeUndefined();
  });
});
