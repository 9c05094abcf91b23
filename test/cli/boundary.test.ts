/** What a person meets of the boundary: with bubblewrap, and with bubblewrap hidden from PATH. */
import { chmodSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { APPROVE, cfa, cfaWith, directory, entriesOf, repository, type Said, shellJob } from "./fixture.ts";

/** A PATH on which everything is found that is found on ours, but bubblewrap. */
function pathWithout(hidden: string): string {
  const folder = directory();
  for (const from of (process.env["PATH"] ?? "").split(delimiter)) {
    for (const name of namesIn(from)) {
      if (name === hidden) continue;
      try {
        symlinkSync(join(from, name), join(folder, name));
      } catch {
        // An earlier folder of PATH has one of that name.
      }
    }
  }
  return folder;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(realpathSync(folder));
  } catch {
    return []; // A folder of PATH that is not there.
  }
}

describe("where there is no bubblewrap", () => {
  const run = async (top: string, ...words: string[]): Promise<Said> =>
    cfaWith({ cwd: top, env: { PATH: pathWithout("bwrap") } }, ...words);

  test("a job that needs a boundary is refused with exit 2 and what to do; nothing is written", async () => {
    const top = await repository();
    shellJob(top, { lead: APPROVE }, "", "required");
    const said = await run(top, "run");
    expect(said).toEqual({
      code: 2,
      out: "",
      err:
        "cfa: lead must run inside a boundary, and this machine offers none: bubblewrap is not installed. Install it " +
        '(apt-get install bubblewrap), ask cfa doctor what is missing, or write "sandbox: advisory" to run without one.',
    });
    expect(readdirSync(top)).not.toContain(".cfa");
  });

  test("cfa validate warns of it, and the file stays valid", async () => {
    const top = await repository();
    shellJob(top, { lead: APPROVE }, "", "required");
    expect(await run(top, "validate")).toMatchObject({
      code: 0,
      err: expect.stringContaining("warning: lead must run inside a boundary, and this machine offers none"),
    });
    const files = "request: Do it.\nagents: { lead: { adapter: files, run: [sh, -c, 'true'] } }\n";
    writeFileSync(join(top, "job.yaml"), files);
    expect(await run(top, "validate")).toMatchObject({
      code: 0,
      err: expect.stringContaining("warning: lead must run inside a boundary, and this machine offers none"),
    });
    shellJob(top, { lead: APPROVE }, "", "preferred");
    const preferred = await run(top, "validate");
    expect(preferred).toMatchObject({ code: 0, err: expect.not.stringContaining("boundary") });
  });

  test.each([
    ["advisory", "no boundary around lead: sandbox is advisory; programs can reach whatever you can"],
    [
      "preferred",
      "no boundary around lead: bubblewrap is not installed (apt-get install bubblewrap); programs can reach whatever you can",
    ],
  ])("%s runs, and says so in progress, log and status", async (level, sentence) => {
    const top = await repository();
    shellJob(top, { lead: APPROVE }, "", level);
    const said = await run(top, "run");
    expect(said).toMatchObject({ code: 0, err: expect.stringContaining(`warn: ${sentence}`) });
    const entries = entriesOf((await cfa(top, "log", "--jsonl")).out);
    const notes = entries.flatMap((entry) => (entry.kind === "note" ? [entry.body] : []));
    expect(notes).toContainEqual({ level: "warn", thread: null, text: sentence });
    const starts = entries.flatMap((entry) => (entry.kind === "start" ? [entry.body.boundary] : []));
    expect(new Set(starts)).toEqual(new Set(["advisory"]));
    expect((await cfa(top, "status")).out).toContain("boundary   advisory: lead");
  });

  test("doctor says what is missing and how it is installed, and exits with 1", async () => {
    const said = await run(await repository(), "doctor");
    expect(said).toMatchObject({ code: 1, err: "" });
    expect(said.out).toMatch(
      /^missing {2}boundary +bubblewrap is not installed: .*\n +→ apt-get install bubblewrap$/m,
    );
  });
});

describe("where there is bubblewrap", () => {
  test("doctor has read canaries, and names what a job exempts", async () => {
    const top = await repository();
    shellJob(top, { lead: APPROVE }, "", "{ exempt: [{ tool: sh, path: a.txt, reason: it is read }] }");
    const text = await cfa(top, "doctor");
    expect(text).toMatchObject({ code: 0, err: "" });
    expect(text.out).toMatch(
      /^ok +boundary +bubblewrap: canaries above the root .* could not be read from inside$/m,
    );
    expect(text.out).toContain(`exempt: sh may read ${join(top, "a.txt")} (it is read)`);
    const found = JSON.parse((await cfa(top, "doctor", "--json")).out) as { what: string; result: string }[];
    expect(found.map(({ what }) => what)).toEqual(
      expect.arrayContaining([
        "node",
        "git",
        "boundary",
        "processes",
        "fork bombs",
        "tested",
        "sqlite",
        "disk",
        "siblings",
      ]),
    );
    expect(readdirSync(top).filter((name) => name.startsWith(".cfa"))).toEqual([]);
  });

  test("an exemption is let in and stands in the log; what is not exempt is not there", async () => {
    const top = await repository();
    const script = `cat ${top}/a.txt; test -e ${top}/job.yaml && exit 9\n${APPROVE}`;
    shellJob(top, { lead: script }, "", "{ exempt: [{ tool: sh, path: a.txt, reason: it is read }] }");
    const said = await cfa(top, "run");
    expect(said).toMatchObject({
      code: 0,
      err: expect.stringContaining("the boundary of lead lets sh read"),
    });
  });

  test("what is contained or ignored of a hostile program is named in the log", async () => {
    const top = await repository();
    const script = `if [ "$CFA_STATE" = INTENT ]; then
truncate -s 10G big.bin; rm a.txt; mkfifo a.txt; git init -q nested; touch nested/file
mkdir .sortie; ln -s /etc/passwd .sortie/status; mkfifo "$CFA_OUTBOX/0007.json" "$CFA_OUTBOX/refused.jsonl"
(setsid sh -c 'trap "" TERM; exec sleep 1000' &); sleep 0.2
fi
if [ "$CFA_STATE" = PLAN ]; then rm -rf .cfa; ln -s /etc .cfa; cfa outcome APPROVED_PLAN --reason x || rm .cfa; fi
${APPROVE}`;
    shellJob(top, { lead: script }, "", "required");
    expect(await cfa(top, "run")).toMatchObject({ code: 0 });
    const entries = entriesOf((await cfa(top, "log", "--jsonl")).out);
    const said = entries.flatMap(({ kind, body }) =>
      kind === "note" && body.level === "warn" ? [body.text] : [],
    );
    for (const sentence of [
      /^"big\.bin" cannot be read, is longer than 1 GiB, or is no file, and is left out of every commit\.$/,
      /^"a\.txt" cannot be read, .* is no file, and is left out/,
      /^"nested\/" is a git repository of its own and is left out/,
      /^\.sortie\/status is ignored: .* is a link/,
      /^outbox file refused\.jsonl is no regular file: ignored$/,
      /^outbox file 0007\.json is no regular file: ignored$/,
      /^a process that it left behind was killed$/,
      /^cfa outcome was refused: .*\.cfa is no directory/,
    ])
      expect(said).toContainEqual(expect.stringMatching(sentence));
  });

  test("an exemption that lets in the workspaces of others fails the proof: the spark is refused, its sender hears why", async () => {
    const other = await repository();
    shellJob(other, { lead: APPROVE }, "", "{ exempt: [{ tool: sh, path: ., reason: all of it }] }");
    const said = await cfa(other, "run");
    expect(said.code).toBe(1);
    expect(said.err).toMatch(
      /no workspace for INTENT: the boundary of the workspace \S+ does not hold: \S+ outside it could be reached/,
    );
    expect(said.err).toContain(
      `${other} is let in (sandbox.exempt, or a file of the role's run) and holds the workspaces`,
    );
    expect(said.out).toContain("is FAILURE: the INTENT phase cannot start");
    const [id = ""] = readdirSync(join(other, ".cfa/jobs"));
    expect(readdirSync(join(other, ".cfa/jobs", id, "work"))).toEqual([]);
  });

  test("a program outside the system's folders runs, also behind a link", async () => {
    const other = await repository({ "a.txt": "a\n", "tool.sh": `#!/bin/sh\n${APPROVE}\n` });
    chmodSync(join(other, "tool.sh"), 0o755);
    mkdirSync(join(other, "bin"));
    symlinkSync("../tool.sh", join(other, "bin/tool"));
    writeFileSync(join(other, "job.yaml"), "request: Do it.\nagents: { lead: { run: [bin/tool] } }\n");
    expect(await cfa(other, "run")).toMatchObject({ code: 0 });
  });
});
