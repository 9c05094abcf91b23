/**
 * What a spark costs: a child's worktree with its work commit, artifacts and proven boundary, beside `git worktree add` and one start of
 * bubblewrap, in the same run. Run: npm run build && node bench/spark.mjs
 *
 * S1. Both on one repository, one after the other, interleaved; the tree is changed before each spark, as a turn would.
 * S2. Elapsed time, the median of all and the best: most of it is git's and bubblewrap's own.
 */
import { spawn } from "node:child_process";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

async function millis(work) {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function sparks(boundary) {
  git("init", "-q");
  for (let at = 0; at < Number(options.files); at++) writeFileSync(join(top, `file-${at}.txt`), `${at}\n`);
  git("add", ".");
  git("commit", "-qm", "base");
  await ensureStateDirectory(top);
  const workspaces = await gitWorkspaces({ repository: top, job: "bench", artifacts: ["PLAN.md"] });
  await workspaces.open(git("rev-parse", "HEAD").toString().trim(), []);
  const agent = commandAgent({ run: ["sh"], env: [], cfaBin: top, boundary });
  const figures = { tree: [], proof: [], bare: [] };
  for (let at = 0; at < Number(options.sparks); at++) {
    const thread = `dispatch:${at}`;
    writeFileSync(join(workspaces.path(LEAD), "file-0.txt"), `changed ${at}\n`);
    figures.tree.push(await millis(() => workspaces.branch(thread, LEAD)));
    const place = { workspace: workspaces.path(thread), history: () => workspaces.history(thread) };
    figures.proof.push(await millis(() => agent.prove(place)));
    figures.bare.push(
      await millis(async () => {
        await ran("git", ["worktree", "add", "-q", "--detach", join(top, ".cfa", `bare-${at}`), "HEAD"]);
        await ran("bwrap", START);
      }),
    );
  }
  return figures;
}

const offer = await tryBubblewrap(process.env.PATH);
try {
  if ("missing" in offer) console.log(`Sparks are not measured: ${offer.missing}`);
  else {
    const { tree, proof, bare } = await sparks(offer.boundary);
    const whole = tree.map((one, at) => one + proof[at]);
    const ratio = median(whole) / median(bare);
    console.log(
      `Node ${process.version}, ${cpus()[0]?.model ?? "unknown processor"}, ${options.files} files`,
    );
    for (const [name, of] of Object.entries({
      "tree of a spark": tree,
      "its proof": proof,
      "worktree add + bwrap": bare,
    }))
      console.log(
        `  ${name.padEnd(22)} median ${median(of).toFixed(1)} ms, best ${Math.min(...of).toFixed(1)} ms`,
      );
    const best = (Math.min(...whole) / Math.min(...bare)).toFixed(2);
    const verdict = ratio <= TARGET ? "met" : "missed";
    console.log(
      `A spark with proof: ${ratio.toFixed(2)} times (best ${best}); target at most ${TARGET}: ${verdict}`,
    );
  }
} finally {
  rmSync(top, { recursive: true, force: true });
}
