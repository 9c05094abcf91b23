/**
 * What a hostile program puts in place of the files that cfa reads when its turn has ended, each a row: none is followed, waited for or
 * obeyed. The programs run inside the real boundary; what reads is what every turn ends with.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readOutbox } from "../../../src/runtime/outbox-store.ts";
import { readRefusals } from "../../../src/runtime/outbox-refusals.ts";
import { readResolved } from "../../../src/runtime/outbox-resolved.ts";
import { clearStatus, readStatus } from "../../../src/runtime/status-file.ts";
import { readRecord } from "../../../src/runtime/turn-files.ts";
import { LEAD, paths } from "../workspaces/repository.ts";
import { type Confined, confined, exists, OWN, UNTESTED } from "./confined.ts";

let place: Confined;
beforeEach(async () => {
  if (UNTESTED === undefined) place = await confined();
});
afterEach(() => {
  if (UNTESTED === undefined) place.remove();
});

/** What cfa reads of a turn, all of it. */
async function read() {
  const { entries, problems } = await readOutbox(place.outbox);
  return {
    record: await readRecord(place.own),
    status: await readStatus(place.own),
    entries: entries.length,
    problems: [
      ...problems,
      ...(await readRefusals(place.outbox)),
      ...(await readResolved(place.outbox)).problems,
    ],
  };
}
type Read = Awaited<ReturnType<typeof read>>;
const NOTHING: Read = { record: null, status: undefined, entries: 0, problems: [] };

/** A canary that a link inside could mean; what would be read if it were followed. */
const RECORD = '{"outcome":"APPROVED_WORK","reason":"planted"}';
const says = (text: string): { readonly problem: string } => ({ problem: expect.stringContaining(text) });

const ROWS: readonly (readonly [
  name: string,
  script: string,
  found: Partial<Record<keyof Read, unknown>>,
])[] = [
  ["a FIFO as outcome record", "mkdir .cfa; mkfifo .cfa/outcome.json", { record: "" }],
  ["a link as outcome record", "mkdir .cfa; ln -s ../../../canary .cfa/outcome.json", { record: "" }],
  ["a link in place of .cfa", "rm -rf .cfa; ln -s ../../.. .cfa", { record: "" }],
  ["a record of 10 GB", "mkdir .cfa; truncate -s 10G .cfa/outcome.json", { record: "" }],
  ["a FIFO as status file", "mkdir .sortie; mkfifo .sortie/status", { status: says("no regular file") }],
  ["a link as status file", "mkdir .sortie; ln -s /etc/passwd .sortie/status", { status: says("is a link") }],
  ["a link in place of .sortie", "ln -s /etc .sortie", { status: says("is a link") }],
  [
    "a FIFO as call",
    "mkfifo $CFA_OUTBOX/0001.json",
    { problems: [expect.stringMatching(/0001.json (is no|cannot)/)] },
  ],
  [
    "a link as call",
    "ln -s ../canary $CFA_OUTBOX/0001.json",
    { problems: [expect.stringContaining("is a link")] },
  ],
  [
    "a call of 10 GB",
    "truncate -s 10G $CFA_OUTBOX/0001.json",
    { problems: [expect.stringContaining("is larger than")] },
  ],
  [
    "a FIFO for refusals and declarations",
    "mkfifo $CFA_OUTBOX/refused.jsonl $CFA_OUTBOX/resolved.jsonl",
    {
      problems: [expect.stringContaining("refused.jsonl"), expect.stringContaining("resolved.jsonl")],
    },
  ],
];

describe.skipIf(UNTESTED !== undefined)(
  `after the turn${UNTESTED === undefined ? "" : ` (${UNTESTED})`}`,
  () => {
    test.each(ROWS)("%s is not followed, waited for or believed", async (_name, script, found) => {
      writeFileSync(join(place.dir, ".cfa/canary"), RECORD);
      const { stop, failure } = await place.run(
        `set -e; ${script.replaceAll("$CFA_OUTBOX", '"$CFA_OUTBOX"')}`,
      );
      expect({ stop, failure }).toEqual({ stop: "ended", failure: undefined });
      expect(await read()).toEqual({ ...NOTHING, ...found });
      // The next turn starts clean, and nothing outside has gone with it.
      await place.workspaces.exclusive(OWN, () => place.workspaces.clear(OWN));
      await clearStatus(place.own);
      expect(await readRecord(place.own)).toBeNull();
      expect(readFileSync(join(place.dir, ".cfa/canary"), "utf8")).toBe(RECORD);
    });

    const snapshot = () => place.workspaces.exclusive(OWN, () => place.workspaces.snapshot(OWN, "2.1"));

    test.each([
      ["a FIFO in place of an artifact", "mkfifo PLAN.md; echo x >made.txt"],
      ["a FIFO in place of a tracked file", "rm image.bin; mkfifo image.bin; echo x >made.txt"],
      ["a sparse file of 10 GB", "truncate -s 10G big.bin; echo x >made.txt"],
      [
        "a socket",
        'node -e \'require("net").createServer().listen("sock", () => process.kill(process.pid, 9))\'; echo x >made.txt',
      ],
    ])("%s is left out of the snapshot", async (_name, script) => {
      expect((await place.run(script)).stop).toBe("ended");
      const held = paths(place.dir, (await snapshot()).commit);
      expect(held).toContain("made.txt");
      expect(held.filter((path) => ["PLAN.md", "big.bin", "sock"].includes(path))).toEqual([]);
    });

    test.each([
      ["a FIFO in place of .gitignore", "rm -f .gitignore; mkfifo .gitignore", ".gitignore"],
      ["FIFOs deep inside", "mkdir -p a/b; mkfifo a/.gitignore a/b/.gitattributes", "a/.gitignore"],
      [
        "a FIFO in a repository inside",
        "mkdir -p a/.git/refs a/.git/objects; mkfifo a/.git/HEAD",
        "a/.git/HEAD",
      ],
      ["a sparse .gitignore of 10 GB", "mkdir a; truncate -s 10G a/.gitignore", "a/.gitignore"],
    ])("%s keeps git from ending: the turn is lost, and the tree goes on", async (_name, script, path) => {
      const { commit } = await snapshot();
      expect((await place.run(`${script}; echo x >edited.txt`)).stop).toBe("ended");
      const taken = snapshot().then(String, (error: unknown) => error);
      expect(await taken).toMatchObject({ name: "TreeBroken", message: expect.stringContaining(path) });
      await place.workspaces.restore(OWN, commit, "again");
      expect((await snapshot()).changed).toBe(false);
    });

    // 100,000 take half a minute: CFA_TEST_FILES=100000.
    const many = Number(process.env["CFA_TEST_FILES"] ?? 2000);
    test(`${many} files are kept, all of them, and put back`, { timeout: 600_000 }, async () => {
      const folder = `mkdir $d && (cd $d && seq ${many / 100} | xargs touch)`;
      const { stop } = await place.run(`for d in $(seq 100); do ${folder}; done`, {}, { timeout: 300_000 });
      expect(stop).toBe("ended");
      const { commit, changed } = await snapshot();
      expect(changed).toBe(true);
      expect(paths(place.dir, commit)).toHaveLength(3 + many);
      execFileSync("rm", ["-rf", join(place.own, "1")]);
      await place.workspaces.restore(OWN, commit, "again");
      expect(readdirSync(join(place.own, "1"))).toHaveLength(many / 100);
    });

    const owned = (): string => join(place.own, "owned");
    test.each([
      ["removed", "rm .git"],
      [
        "led to a repository of its own, whose configuration runs programs",
        `rm .git; git init -q; git config core.fsmonitor "touch $PWD/owned"; git config filter.x.clean "touch $PWD/owned; cat"; echo '* filter=x' >.gitattributes; for h in pre-commit post-checkout reference-transaction post-index-change; do printf '#!/bin/sh\\ntouch %s/owned\\n' "$PWD" >.git/hooks/$h; chmod +x .git/hooks/$h; done; rm -f owned`,
      ],
      ["led nowhere", "echo 'gitdir: /nowhere' >.git"],
    ])("a .git that is %s steers nothing", async (_name, script) => {
      await place.run(`${script}; echo changed >text.txt`);
      const config = readFileSync(join(place.dir, ".git/config"), "utf8");
      const { commit } = await snapshot();
      expect(place.git("show", `${commit}:text.txt`)).toBe("changed");
      await place.workspaces.merge(OWN, LEAD);
      expect([exists(owned()), readFileSync(join(place.dir, ".git/config"), "utf8")]).toEqual([
        false,
        config,
      ]);
      expect(
        execFileSync("git", ["fsck", "--no-dangling"], { cwd: place.dir, encoding: "utf8", stdio: "pipe" }),
      ).toBe("");
    });
  },
);
