/**
 * What a spark costs: a child's worktree with its work commit, artifacts and proven boundary, beside `git worktree add` and one start of
 * bubblewrap, in the same run. Run: npm run build && node bench/spark.mjs
 *
 * S1. All on one repository, one after the other, interleaved. The parent's tree is changed before every other spark, as a turn would; the one
 *     after it finds nothing to commit, as each further child of a broadcast does.
 * S2. The start of bubblewrap that counts has a root of three mounts; beside it one with the root that programs get, of some fifty.
 * S3. Elapsed time, the median of all and the best, and the mean of processor time: most of it is git's and bubblewrap's own.
 */
import { spawn } from "node:child_process";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { commandAgent } from "../dist/runtime/agents/command.js";
import { tryBubblewrap } from "../dist/runtime/boundary/bubblewrap.js";
import { gitWorkspaces } from "../dist/runtime/workspaces/git-workspaces.js";
import { ensureStateDirectory } from "../dist/runtime/workspaces/repository.js";

const { values: options } = parseArgs({
  options: { files: { type: "string", default: "500" }, sparks: { type: "string", default: "20" } },
});
const TARGET = 1.5;
const LEAD = "job:bench";
const START = [
  "--unshare-all --unshare-user --cap-drop ALL --die-with-parent --ro-bind /usr /usr --proc /proc --dev /dev --tmpfs /tmp",
  "--symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 true",
].flatMap((words) => words.split(" "));

const top = mkdtempSync(join(tmpdir(), "cfa-bench-"));
const git = (...words) =>
  execFileSync("git", ["-c", "user.name=b", "-c", "user.email=b@localhost", ...words], { cwd: top });
const ran = (file, words) =>
  new Promise((resolve, reject) => {
    spawn(file, words, { cwd: top, stdio: "ignore" }).on("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`${file} ended with ${code}`)),
    );
  });

/** Elapsed milliseconds of a piece of work, and processor milliseconds of this process and of all that it started and that have ended. */
async function cost(work) {
  const [begin, used] = [performance.now(), processor()];
  await work();
  return { elapsed: performance.now() - begin, processor: processor() - used };
}

/** User and system time, children included, in steps of 10 ms (proc_pid_stat(5), fields 14 to 17). */
function processor() {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 10;
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

const sum = (of) => of.reduce((all, one) => all + one.processor, 0);

function shown(of) {
  const elapsed = of.map((one) => one.elapsed);
  const mean = sum(of) / of.length;
  return `median ${median(elapsed).toFixed(1)} ms, best ${Math.min(...elapsed).toFixed(1)} ms, processor ${mean.toFixed(1)} ms`;
}

/** How much more one cost than another. */
function times(of, bare) {
  const elapsed = (figures) => figures.map((one) => one.elapsed);
  const ratio = median(elapsed(of)) / median(elapsed(bare));
  const best = Math.min(...elapsed(of)) / Math.min(...elapsed(bare));
  const verdict = ratio <= TARGET ? "met" : "missed";
  return `${ratio.toFixed(2)} times (best ${best.toFixed(2)}, processor ${(sum(of) / sum(bare)).toFixed(2)}); target at most ${TARGET}: ${verdict}`;
}

async function sparks(boundary) {
  git("init", "-q");
  for (let at = 0; at < Number(options.files); at++) writeFileSync(join(top, `file-${at}.txt`), `${at}\n`);
  git("add", ".");
  git("commit", "-qm", "base");
  await ensureStateDirectory(top);
  const workspaces = await gitWorkspaces({ repository: top, job: "bench", artifacts: ["PLAN.md"] });
  await workspaces.open(git("rev-parse", "HEAD").toString().trim(), []);
  const agent = commandAgent({ run: ["sh"], env: [], cfaBin: top, boundary });
  const figures = { spark: [], further: [], bare: [], root: [] };
  const { wrapper } = await boundary.around({
    workspace: top,
    mounts: [{ kind: "bind", from: top, at: top, write: true }],
    network: "none",
  });
  const start = [...wrapper.slice(1, wrapper.indexOf("--") + 1), "true"];
  for (let at = 0; at < Number(options.sparks); at++) {
    writeFileSync(join(workspaces.path(LEAD), "file-0.txt"), `changed ${at}\n`);
    for (const which of ["spark", "further"]) {
      const thread = `dispatch:${which}-${at}`;
      const workspace = workspaces.path(thread);
      const prove = (mounts) => agent.prove({ workspace, history: async () => mounts });
      figures[which].push(await cost(() => workspaces.branch(thread, LEAD, prove)));
    }
    figures.bare.push(
      await cost(async () => {
        await ran("git", ["worktree", "add", "-q", "--detach", join(top, ".cfa", `bare-${at}`), "HEAD"]);
        await ran("bwrap", START);
      }),
    );
    figures.root.push(await cost(() => ran(wrapper[0], start)));
  }
  return figures;
}

const offer = await tryBubblewrap(process.env.PATH);
try {
  if ("missing" in offer) console.log(`Sparks are not measured: ${offer.missing}`);
  else {
    const { spark, further, bare, root } = await sparks(offer.boundary);
    console.log(
      `Node ${process.version}, ${cpus()[0]?.model ?? "unknown processor"}, ${options.files} files, ${options.sparks} sparks`,
    );
    const rows = {
      "spark with proof": spark,
      "a further child": further,
      "worktree add + bwrap": bare,
      "bwrap, cfa's own root": root,
    };
    for (const [name, of] of Object.entries(rows)) console.log(`  ${name.padEnd(22)} ${shown(of)}`);
    console.log(`A spark with proof: ${times(spark, bare)}`);
    console.log(`A further child of a broadcast: ${times(further, bare)}`);
  }
} finally {
  rmSync(top, { recursive: true, force: true });
}
