/**
 * What a hostile program tries from inside its boundary, each attack a row: none reads or changes anything that is not its own
 * (docs/boundary.md).
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { processIdentity, processState } from "../../../src/persistence/process-identity.ts";
import { processLimit } from "../../../src/runtime/process/process-limit.ts";
import { type Confined, confined, exists, UNTESTED } from "./confined.ts";

let place: Confined;
let server: Server;
beforeAll(async () => {
  if (UNTESTED !== undefined) return;
  place = await confined();
  writeFileSync(join(place.dir, ".cfa/canary"), "CANARY above the root\n");
  server = createServer((socket) => socket.end("CANARY on the host\n"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  if (UNTESTED !== undefined) return;
  server.close();
  place.remove();
});

const q = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`;
const canary = (): string => join(place.dir, ".cfa/canary");
/** Git's configuration and references of the repository, the sibling's tree: what no attack may change. */
const state = (): string =>
  [
    readFileSync(join(place.dir, ".git/config"), "utf8"),
    place.git("for-each-ref"),
    place.git("status", "--porcelain"),
    execFileSync("ls", ["-R", join(place.dir, ".git/hooks"), join(place.dir, ".cfa/jobs")], {
      encoding: "utf8",
    })
      .split("\n")
      .filter((line) => !/^(new|link|up|hard|made.txt|stream.*)$/.test(line))
      .join("\n"),
  ].join("\n");

/** A way to read: the script prints what it has found, and must find nothing. */
const READS: readonly (readonly [name: string, script: () => string])[] = [
  ["a file above the root, by its absolute path", () => `cat ${q(canary())}`],
  ["the same by ..", () => "cat ../../../../canary"],
  ["a file of a sibling's tree", () => `cat ${q(join(place.sibling, "secret.txt"))}`],
  ["a symbolic link made in the workspace", () => `ln -sf ${q(canary())} link; cat link`],
  ["a hard link", () => `ln ${q(canary())} hard; cat hard`],
  ["a symbolic link to a folder above", () => "ln -sfn ../../../.. up; cat up/canary"],
  ["the root of the first process", () => `cat /proc/1/root${q(canary())}`],
  [
    "the root of cfa itself",
    () => `cat /proc/${process.pid}/root${q(canary())} /proc/${process.pid}/environ`,
  ],
  [
    "working directories and open files of all processes",
    () =>
      `for p in /proc/[0-9]*; do cat $p/cwd/../../../../canary; ls -l $p/fd | grep -v 'pipe\\|own' | grep CANARY; done`,
  ],
  ["the log of the job", () => "cat ../../bus.db"],
  ["everything that a search finds", () => "grep -rsl CANARY / --include=canary"],
  ["the home of the user", () => "ls /root /home/*"],
  ["passwords of the system", () => "cat /etc/shadow"],
  ["private keys of the machine", () => "ls -d /etc/ssl/private /etc/pki/tls/private"],
  ["a disk", () => "cat /dev/vda /dev/sda | head -c 10; ls /dev | grep -E '^(vd|sd|nvme)'"],
  ["a device that it makes", () => "mknod disk b 254 0 && head -c 10 disk"],
  ["a mount of its own", () => "mount -t proc none /mnt; mount --bind / /mnt && ls /mnt"],
  [
    "a new user namespace",
    () => `unshare -Urm sh -c 'umount -l /; cat ${canary().replaceAll("'", `'"'"'`)}'`,
  ],
  [
    "git alternates",
    () =>
      `GIT_ALTERNATE_OBJECT_DIRECTORIES=${q(join(place.dir, ".git/objects"))} git show ${place.snapshot}:secret.txt`,
  ],
  ["a snapshot of a sibling, by its name", () => `git show ${place.snapshot}:secret.txt`],
  ["all objects that git can find", () => "git cat-file --batch-all-objects --batch | grep -a 'SECRET'"],
  ["references of other threads", () => "git for-each-ref | grep refs/cfa"],
  [
    "a service of the machine",
    () =>
      `node -e 'require("net").connect(${port()}, "127.0.0.1").on("data", (d) => console.log(String(d))).on("error", () => {})'`,
  ],
];
const port = (): number => {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
};

/** A way to write: afterwards the repository, its hooks and the sibling are as before. */
const WRITES: readonly (readonly [name: string, script: () => string, says: RegExp])[] = [
  ["a file above the root", () => `echo x >${q(join(place.dir, "planted"))}`, /^$/],
  [
    "a file in a sibling's tree",
    () => `mkdir -p ${q(place.sibling)}; echo x >${q(join(place.sibling, "planted"))}`,
    /^/,
  ],
  [
    "the configuration of the repository",
    () => "git config core.fsmonitor 'touch /tmp/owned' && echo done",
    /^$/,
  ],
  [
    "a hook",
    () => `echo 'touch /tmp/owned' >${q(join(place.dir, ".git/hooks/post-checkout"))} && echo done`,
    /^$/,
  ],
  [
    "configuration of the worktree",
    () => 'echo "[core]" >"$(git rev-parse --git-dir)/config.worktree" && echo done',
    /^$/,
  ],
  ["another commondir", () => 'echo /tmp >"$(git rev-parse --git-dir)/commondir" && echo done', /^$/],
  ["alternates", () => `echo /tmp >${q(join(place.dir, ".git/objects/info/alternates"))} && echo done`, /^$/],
  [
    "objects that are there",
    () =>
      `rm -rf ${q(join(place.dir, ".git/objects"))}/*; git add text.txt && echo done; echo x >new; git add new && echo done`,
    /^$/,
  ],
  ["references", () => "git update-ref refs/heads/main HEAD~0 && git branch other && echo done", /^$/],
  ["cfa itself", () => 'echo x >>"$(command -v node)" && echo done', /^$/],
  ["the kernel", () => 'f=/proc/sys/kernel/core_pattern; v=$(cat $f); echo "$v" >$f && echo done', /^$/],
];

describe.skipIf(UNTESTED !== undefined)(
  `inside the boundary${UNTESTED === undefined ? "" : ` (${UNTESTED})`}`,
  () => {
    test("a program can do its work: read and write its workspace, its outbox, /tmp; look at its history", async () => {
      const script = `cat text.txt; echo new >made.txt; echo x >${q(join(place.outbox, "x"))}; echo y >/tmp/y; cat /tmp/y
      git log --format=%s; git status --short; git diff --stat; printf '%s' "$HOME"`;
      const { stop, text } = await place.run(script);
      expect({ stop, text }).toEqual({ stop: "ended", text: "one\ntwo\nthree\ny\nbase\n?? made.txt" });
      expect(readFileSync(join(place.own, "made.txt"), "utf8")).toBe("new\n");
      expect([exists(join(place.outbox, "x")), exists("/tmp/y")]).toEqual([true, false]);
    });

    test("certificates can be read where the machine has them", async () => {
      const there = ["/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs"].filter(exists);
      expect((await place.run(`ls -d ${there.join(" ")} /usr`)).text).toBe([...there, "/usr"].join("\n"));
    });

    test.each(READS)("%s cannot be read", async (_name, script) => {
      const { text } = await place.run(`{ ${script()}; } 2>/dev/null; true`);
      expect(text).toBe("");
    });

    test.each(WRITES)("%s cannot be written", async (_name, script, says) => {
      const before = state();
      const { text } = await place.run(`{ ${script()}; } 2>/dev/null; true`);
      expect(text).toMatch(says);
      expect(state()).toBe(before);
      expect(
        [join(place.dir, "planted"), join(place.sibling, "planted"), "/tmp/owned"].filter(exists),
      ).toEqual([]);
    });

    test.each(["none", "loopback", "full"] as const)("network %s", async (network) => {
      const script = `require("net").connect(${port()}, "127.0.0.1").on("data", (d) => console.log("reached " + d)).on("error", () => console.log("refused"))`;
      const { text } = await place.run("", { run: ["node", "-e", script], network });
      expect(text.trim()).toBe(network === "full" ? "reached CANARY on the host" : "refused");
    });

    test("its own 127.0.0.1 is there without a network", async () => {
      const script = `const s = require("net").createServer((c) => c.end("own")).listen(0, "127.0.0.1", () =>
      require("net").connect(s.address().port, "127.0.0.1").on("data", (d) => { console.log(String(d)); s.close(); }))`;
      expect((await place.run("", { run: ["node", "-e", script] })).text).toBe("own");
    });

    test("what is exempted is seen, read-only unless it may be written", async () => {
      const mounts = [{ kind: "bind", from: canary(), at: canary(), write: false }] as const;
      const script = `cat ${q(canary())}; echo x >>${q(canary())} || echo refused`;
      expect((await place.run(script, { mounts })).text).toBe("CANARY above the root\nrefused");
      const open = [{ ...mounts[0], write: true }];
      expect((await place.run(`echo more >>${q(canary())}`, { mounts: open })).stop).toBe("ended");
      expect(readFileSync(canary(), "utf8")).toBe("CANARY above the root\nmore\n");
    });

    test("a process that ignores every signal dies with its turn", async () => {
      const script = "trap '' TERM INT HUP; while :; do sleep 1000; done";
      const { stop, failure } = await place.run(script, {}, { timeout: 300 });
      expect({ stop, failure }).toEqual({
        stop: "failed",
        failure: expect.stringContaining("ran longer than its time-out of 0.3 s and was stopped"),
      });
    });

    test("a double fork with a session of its own dies with its turn, and is named", async () => {
      const { stop, problem } = await place.run(
        "(setsid sh -c 'exec sleep 1000' &) ; (setsid sleep 1000 &); sleep 0.1",
      );
      expect({ stop, problem }).toEqual({
        stop: "ended",
        problem: "2 processes that it left behind were killed",
      });
      const left = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split("\n");
      expect(left.filter((line) => line === "sleep 1000")).toEqual([]);
    });

    test("a fork bomb meets its bound, and is named", async ({ skip }) => {
      const limit = await processLimit();
      if ("missing" in limit) skip(`${limit.missing}: not contained here, as cfa doctor says`);
      // It stops by itself after 200 processes, should the bound not hold.
      const script = "for i in $(seq 200); do sleep 20 & done 2>/dev/null; echo over";
      const { problem } = await place.run(script, { processes: 40 });
      expect(problem).toMatch(/reached the bound of 40 processes and threads/);
    });

    test("nothing of all this is alive", () => {
      const own = processIdentity(process.pid);
      expect(own === undefined ? "unknown" : processState(own)).toBe("running");
      const lines = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split("\n");
      expect(lines.filter((line) => line.includes(place.own))).toEqual([]);
    });
  },
);
