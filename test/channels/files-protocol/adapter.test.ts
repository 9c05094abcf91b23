/** The file-based protocol with real programs: what they find, how their turns end, and what a hostile one gets. */
import { lstatSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TurnEvent } from "../../../src/runtime/agents/port.ts";
import { type Clock, systemClock } from "../../../src/runtime/clock.ts";
import { makePlace } from "./agent.ts";

const HOME = "job/homes/dispatch%3A1.0.1";

describe("what the agent finds", () => {
  test("its home is its directory, the worktree a variable, instructions.md also its input", async () => {
    const { turn, home, worktree, read } = makePlace();
    const result = await turn(`{ pwd; echo "$CFA_WORKTREE"; ls; cat; } >outbox/seen; deliver`);
    expect(result).toMatchObject({ stop: "ended", text: "All is done." });
    expect(read(`${HOME}/outbox/seen`)?.split("\n").slice(0, 9)).toEqual([
      home,
      worktree,
      "SKILL.md",
      "inbox",
      "kept",
      "messages",
      "outbox",
      "status.json",
      "workspace",
    ]);
    expect(read(`${HOME}/outbox/seen`)).toContain(read(`${HOME}/inbox/instructions.md`));
  });

  test("status.json is pending before it starts", async () => {
    const { turn, read } = makePlace();
    await turn(`cp status.json outbox/before.json; deliver`);
    expect(JSON.parse(read(`${HOME}/outbox/before.json`) ?? "")).toEqual({
      state: "pending",
      started: null,
      completed: null,
      error: null,
      progress: null,
      metrics: {},
    });
  });

  test("files of the message and artifacts are copied read-only; large ones and taken names are named", async () => {
    const { turn, write, read, worktree } = makePlace();
    write("tree/data/in.csv", "1\n");
    write("tree/big.bin", "x".repeat(1001));
    write("tree/instructions.md", "mine\n");
    write("tree/PLAN.md", "the plan\n");
    await turn(`ls -l inbox/data/in.csv >outbox/mode; deliver`, {
      files: ["data/in.csv", "big.bin", "instructions.md", "gone.txt"],
    });
    expect(read(`${HOME}/inbox/data/in.csv`)).toBe("1\n");
    expect(read(`${HOME}/outbox/mode`)).toMatch(/^-r--r--r--/);
    expect(read(`${HOME}/inbox/PLAN.md`)).toBe("the plan\n");
    expect(read(`${HOME}/inbox/big.bin`)).toBeUndefined();
    expect(read(`${HOME}/inbox/instructions.md`)).toContain(`
- \`inbox/data/in.csv\` - sent with the message
- \`${join(worktree, "big.bin")}\` - sent with the message; 1001 bytes, not copied: read it there
- \`${join(worktree, "instructions.md")}\` - sent with the message; its name is taken in the inbox: read it there
- \`inbox/PLAN.md\` - the plan of the job
`);
  });

  test("a later turn has the same home: what was given stays, the outbox before is kept, status.json begins anew", async () => {
    const { turn, write, read } = makePlace();
    write("tree/in.csv", "1\n");
    await turn(`echo private >workspace/note; deliver`, { files: ["in.csv"] });
    await turn(`cat status.json workspace/note >outbox/seen; ls outbox >>outbox/seen; deliver`);
    expect(read(`${HOME}/kept/1/outbox/result.txt`)).toBe("done\n");
    expect(read(`${HOME}/kept/1/status.json`)).toContain("completed");
    expect(read(`${HOME}/outbox/seen`)).toMatch(/"pending"[^]*private\nseen\n$/);
    expect(read(`${HOME}/inbox/instructions.md`)).toContain(
      "- `inbox/in.csv` - given earlier in this conversation",
    );
  });

  test("SKILL.md is that of the role before that of cfa, before the system prompt", async () => {
    const { turn, write, read, worktree } = makePlace();
    const role = join(worktree, "../role");
    const skill = { name: "counting", file: join(worktree, "../shipped/SKILL.md") };
    const skillOf = async (options: object, facts: object) => {
      await turn("deliver", {}, options, facts);
      return read(`${HOME}/SKILL.md`);
    };
    expect(await skillOf({}, {})).toContain("No skill was given");
    write("role/SYSTEM.md", "system\n");
    expect(await skillOf({ roleDirectory: role }, { skill: { name: "x", file: null } })).toBe("system\n");
    write("shipped/SKILL.md", "shipped\n");
    expect(await skillOf({ roleDirectory: role }, { skill })).toBe("shipped\n");
    write("role/skills/counting/SKILL.md", "own\n");
    expect(await skillOf({ roleDirectory: role }, { skill })).toBe("own\n");
  });
});

describe("how a turn ends", () => {
  const COMPLETED = { state: "completed", recoverable: true };
  const RUNNING = { state: "running", recoverable: true };
  const cut = { outputs: ["data"], collect: { "report.md": "docs/report.md" } };

  test.each<[string, string, string | undefined, object, object]>([
    ["completed with a deliverable and a summary", "deliver", undefined, COMPLETED, {}],
    [
      "completed with what is required",
      "mkdir outbox/data; echo 1 >outbox/data/a; echo r >outbox/report.md; deliver",
      undefined,
      COMPLETED,
      cut,
    ],
    [
      "without the file and the folder that are required",
      "mkdir outbox/data; deliver",
      "it says completed, and these are missing: outbox/data; outbox/report.md",
      COMPLETED,
      cut,
    ],
    [
      "without a summary",
      "echo 1 >outbox/result; status completed",
      "it says completed, and these are missing: outbox/summary.md",
      COMPLETED,
      {},
    ],
    [
      "with nothing but remarks",
      "for f in summary.md changelog.md issues.md metadata.json; do echo x >outbox/$f; done; status completed",
      "it says completed, and these are missing: a deliverable: outbox/ holds nothing but remarks",
      COMPLETED,
      {},
    ],
    [
      "neither completed nor failed",
      `status running ', "progress": {"current_step": "half", "steps_completed": 1, "total_steps": 2}'`,
      "its program ended and neither completed nor failed: status.json says running (half 1/2)",
      RUNNING,
      {},
    ],
    [
      "never started",
      "echo hello",
      "its program ended and neither completed nor failed: status.json says pending",
      { state: "pending", recoverable: true },
      {},
    ],
    [
      "completed without having been running",
      `deliver; printf '{"state": "completed"}' >status.json`,
      'status.json says completed without having been running: "started" must say since when',
      { state: "pending", recoverable: true },
      {},
    ],
    [
      "an exit status beside completed",
      "deliver; exit 3",
      "sh ended with exit status 3; status.json says completed",
      COMPLETED,
      {},
    ],
    [
      "an exit status beside running",
      "status running; exit 3",
      "sh ended with exit status 3; status.json says running",
      RUNNING,
      {},
    ],
    [
      "failed, recoverably",
      `status failed ', "error": {"type": "Busy", "message": "later", "details": "in an hour", "recoverable": true}'`,
      "it has failed, recoverably: Busy: later - in an hour",
      { state: "failed", recoverable: true },
      {},
    ],
    [
      "failed for good, with a report and partial work",
      `mkdir outbox/partial; echo 1 >outbox/partial/a; echo '# Error Report' >outbox/error_report.md
       status failed ', "error": {"type": "ValidationError", "message": "no CSV"}'; exit 1`,
      `sh ended with exit status 1; it has failed, and says that trying again will not help: ValidationError: no CSV; its report is homes/dispatch%3A1.0.1/kept/1/outbox/error_report.md, partial work is in homes/dispatch%3A1.0.1/kept/1/outbox/partial/`,
      { state: "failed", recoverable: false },
      {},
    ],
    [
      "failed without a why",
      "status failed",
      "status.json says failed, and not why",
      { state: "failed", recoverable: false },
      {},
    ],
  ])("%s", async (_name, script, failure, work, options) => {
    const result = await makePlace().turn(script, {}, options);
    expect(result.failure).toBe(failure);
    expect(result).toMatchObject({ stop: failure === undefined ? "ended" : "failed", work });
  });

  test("what it prints is no reply, its report the text of a failed turn", async () => {
    const { turn } = makePlace();
    expect((await turn("echo printed; deliver")).text).toBe("All is done.");
    expect(
      (await turn("echo '# Error Report' >outbox/error_report.md; status failed; echo printed")).text,
    ).toBe("# Error Report");
  });

  test("a turn that waits for an answer is good in running, and not completed", async () => {
    const { turn, write } = makePlace();
    write("out/0001.json", JSON.stringify({ verb: "ask", question: "q2.1.1", text: "Which?" }));
    expect(await turn("status running")).toMatchObject({
      stop: "ended",
      text: "",
      work: { state: "running" },
    });
  });

  test("a summary is cut where it is long", async () => {
    const { turn } = makePlace();
    const { text } = await turn(`deliver; head -c 100000 /dev/zero | tr '\\0' x >outbox/summary.md`);
    expect(text).toMatch(/^x{32768}\n\[cut: outbox\/summary.md has 100000 bytes\]$/);
  });

  test("what is named is collected, with its mode; nothing else, and nothing when something is missing", async () => {
    const { turn, read, has, worktree } = makePlace();
    const collect = { "data/report.md": "docs/report.md", tools: "bin" };
    const script = `mkdir -p outbox/data outbox/tools/sub; echo r >outbox/data/report.md; echo x >outbox/tools/sub/run
      chmod +x outbox/tools/sub/run; echo private >workspace/x`;
    await turn(
      `${script}; echo 1 >outbox/summary.md; rm outbox/data/report.md; status completed`,
      {},
      { collect },
    );
    expect(has("tree/bin")).toBe(false);
    await turn(`${script}; deliver`, {}, { collect });
    expect(read("tree/docs/report.md")).toBe("r\n");
    expect(lstatSync(join(worktree, "bin/sub/run")).mode & 0o777).toBe(0o755);
    expect(has("tree/result.txt")).toBe(false);
    expect(read(`${HOME}/outbox/result.txt`)).toBe("done\n");
  });

  test("an aborted turn stays one", async () => {
    const { turn } = makePlace();
    const abort = new AbortController();
    const result = turn("status running; sleep 60", { signal: abort.signal }, {}, {}, ({ kind }) => {
      if (kind === "started") abort.abort();
    });
    expect(await result).toMatchObject({ stop: "aborted" });
  });
});

describe("escalation", () => {
  const escalates = { recoverable: false, unrecoverable: true };
  const fail = (recoverable: boolean) =>
    `echo report >outbox/error_report.md; status failed ', "error": {"type": "E", "message": "m", "recoverable": ${recoverable}}'`;

  test("a failure of which the policy says so asks the human, with the report", async () => {
    const result = await makePlace().turn(fail(false), {}, { escalates });
    expect(result).toMatchObject({ stop: "ended", text: "", work: { state: "failed", recoverable: false } });
    expect(result.ask).toMatch(
      /^worker on dispatch:1\.0\.1 cannot go on: it has failed[^]*What should it do\?\n\nreport$/,
    );
  });

  test.each<[string, boolean, object]>([
    ["the other kind of failure", true, {}],
    ["a state in which nobody is asked", false, { policy: "never" }],
  ])("%s does not", async (_name, recoverable, facts) => {
    const result = await makePlace().turn(fail(recoverable), {}, { escalates }, facts);
    expect(result.stop).toBe("failed");
    expect(result.ask).toBeUndefined();
  });
});

test("progress is reported as it changes, while the agent runs", async () => {
  const { turn, write } = makePlace();
  const seen: string[] = [];
  const hear = (event: TurnEvent) => {
    if (event.kind !== "progress") return;
    seen.push(event.text);
    write(`tree/heard-${seen.length}`, "");
  };
  const step = (name: string, n: number) =>
    `status running ', "progress": {"current_step": "${name}", "steps_completed": ${n}, "total_steps": 2}, "metrics": {"files": ${n}}'
     until [ -e "$CFA_WORKTREE/heard-${n + 1}" ]; do sleep 0.01; done`;
  await turn(`${step("reading", 0)}; ${step("writing", 1)}; deliver`, {}, { interval: 5 }, {}, hear);
  expect(seen.slice(0, 2)).toEqual(["reading 0/2, files 0", "writing 1/2, files 1"]);
});

describe("a hostile agent", () => {
  test("a new message is a sign of life, where status.json stays as it is", async () => {
    const seen: string[] = [];
    const script = `status running ', "progress": {"current_step": "reading"}'
      n=1; until [ -e workspace/go ]; do n=$((n + 1)); : >messages/note_$n; sleep 0.05; done; deliver`;
    const { home, turn } = makePlace();
    await turn(script, {}, { interval: 20 }, {}, (event) => {
      if (event.kind === "progress") seen.push(event.text);
      if (seen.length === 3) writeFileSync(join(home, "workspace/go"), "");
    });
    expect(seen.slice(0, 3)).toEqual(["reading", "reading", "reading"]);
  });

  test("a status that flips back after completed is found, whatever it says at the end", async () => {
    const { turn, write } = makePlace();
    let told = 0;
    const hear = (event: TurnEvent) => event.kind === "progress" && write(`tree/heard-${++told}`, "");
    const heard = (n: number) => `until [ -e "$CFA_WORKTREE/heard-${n}" ]; do sleep 0.01; done`;
    const script = `deliver; ${heard(1)}; status running; ${heard(2)}; deliver`;
    const result = await turn(script, {}, { interval: 5 }, {}, hear);
    expect(result.failure).toBe("status.json went from completed to running: completed is final");
  });

  test.each<[string, string, string]>([
    [
      "a link for status.json",
      "deliver; mv status.json s; ln -s s status.json",
      "status.json is a link, which is not followed",
    ],
    [
      "a pipe for status.json",
      "deliver; rm status.json; mkfifo status.json",
      "status.json is no regular file",
    ],
    [
      "a folder for status.json",
      "deliver; rm status.json; mkdir status.json",
      "status.json is no regular file",
    ],
    ["no status.json", "deliver; rm status.json", "status.json is gone"],
    [
      "megabytes of status.json",
      "deliver; head -c 3000000 /dev/zero >status.json",
      "status.json is larger than 65536 bytes",
    ],
    [
      "a link for a deliverable",
      "deliver; rm outbox/result.txt; ln -s /etc/passwd outbox/result.txt",
      "it says completed, and these are missing: outbox/result.txt (it is no regular file; links are not followed)",
    ],
    [
      "a link for the summary",
      "deliver; rm outbox/summary.md; ln -s /etc/passwd outbox/summary.md",
      "it says completed, and these are missing: outbox/summary.md (it is no regular file; links are not followed)",
    ],
    [
      "a link for the outbox",
      "deliver; mv outbox o; ln -s o outbox",
      "it says completed, and these are missing: outbox/result.txt; outbox/summary.md",
    ],
    [
      "a link for the folder into which something is collected",
      'deliver; ln -s /tmp "$CFA_WORKTREE/docs"',
      `"docs/result.txt" leads through "docs", which is a link: name the file itself.`,
    ],
    ["a huge status.json", "deliver; truncate -s 10G status.json", "status.json is larger than 65536 bytes"],
    [
      "something huge to collect",
      "deliver; truncate -s 10G outbox/result.txt",
      `"outbox/result.txt" is longer than 1 GiB: write a smaller file.`,
    ],
    [
      "a folder where something is collected",
      'deliver; mkdir -p "$CFA_WORKTREE/docs/result.txt"',
      `"docs/result.txt" is a directory: a file cannot take its place.`,
    ],
  ])("%s fails the turn", async (_name, script, failure) => {
    const { turn } = makePlace();
    const result = await turn(script, {}, { collect: { "result.txt": "docs/result.txt" } });
    expect(result).toMatchObject({ stop: "failed", failure });
    // The next turn finds its home in order.
    expect(await turn('rm -rf "$CFA_WORKTREE/docs"; deliver')).toMatchObject({ stop: "ended" });
  });

  test("links, pipes and sockets that nobody asked for are left out, with a remark", async () => {
    const result = await makePlace().turn("ln -s / outbox/root; mkfifo outbox/pipe; deliver");
    expect(result).toMatchObject({
      stop: "ended",
      problem:
        "outbox/pipe is no regular file and is left out; outbox/root is no regular file and is left out",
    });
  });

  test("links in the inbox lead cfa nowhere", async () => {
    const { turn, write, read } = makePlace();
    write("tree/in.csv", "1\n");
    write("outside", "untouched\n");
    await turn(
      `ln -s ../../../../outside inbox/in.csv; rm inbox/instructions.md; ln -s ../../../../outside inbox/instructions.md; deliver`,
    );
    await turn("deliver", { files: ["in.csv"] });
    expect(read("outside")).toBe("untouched\n");
    expect(read(`${HOME}/inbox/in.csv`)).toBe("1\n");
    await turn("rm -rf inbox SKILL.md; ln -s ../../.. inbox; mkdir SKILL.md; deliver");
    expect(await turn("deliver", { files: ["in.csv"] })).toMatchObject({ stop: "ended" });
    expect(read(`${HOME}/inbox/in.csv`)).toBe("1\n");
  });

  test("folders that it locks are opened again, in this turn and in the next", async () => {
    const { home, turn } = makePlace();
    const modes = () => ["outbox", "messages"].map((name) => lstatSync(join(home, name)).mode & 0o700);
    const locked = "deliver; chmod 000 outbox messages";
    expect(await turn(locked)).toMatchObject({ stop: "ended", text: "All is done." });
    expect(modes()).toEqual([0o700, 0o700]);
    expect(await turn("status failed; chmod 000 outbox messages")).toMatchObject({
      stop: "failed",
      failure: "status.json says failed, and not why",
    });
    expect(await turn("deliver")).toMatchObject({ stop: "ended" });
  });

  test("a turn that cannot be run leaves nobody looking at its files", async () => {
    const { home, turn } = makePlace();
    const open = new Set<() => void>();
    const timer: Clock["timer"] = (millis, wake) => {
      const over = () => void open.delete(over);
      open.add(over);
      const cancel = systemClock.timer(millis, () => (over(), wake()));
      return () => (over(), cancel());
    };
    const gone = turn("deliver", { outbox: join(home, "gone") }, { clock: { ...systemClock, timer } });
    await expect(gone).rejects.toThrow("ENOENT");
    expect(open.size).toBe(0);
  });

  test("a home that is torn down is made again", async () => {
    const { turn } = makePlace();
    expect(await turn('rm -rf "$PWD"/* ; rmdir "$PWD"')).toMatchObject({
      stop: "failed",
      failure: "status.json is gone",
    });
    expect(await turn("deliver")).toMatchObject({ stop: "ended" });
  });
});
