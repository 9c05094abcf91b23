/** The drafts of the log that the benches of the log write and read. */
import { parseJob } from "../dist/job/load.js";
import { foldEntry } from "../dist/persistence/fold.js";
import { fire, firingOf } from "../dist/rules/fire.js";
import { firstStructural, redexOf } from "../dist/rules/redex.js";
import { complete } from "../dist/rules/table.js";
import { Configuration } from "../dist/soup/configuration.js";

const DEFINITION = parseJob(
  "request: talk\nagents:\n  lead: { run: [sh, -c, cat], roster: [writer] }\n  writer: { run: [sh, -c, cat] }",
  {
    file: "job.yaml",
    directory: "/",
  },
).definition;

/** `count` drafts whose fold is a job: a root sparks one thread, then both talk. */
export function* drafts(count) {
  const versions = { format: 1, threads: 1, states: 1 };
  const root = { agent: "lead", thread: "job:bench" };
  const child = { agent: "writer", thread: "dispatch:V1StGXR8_Z5jdHi6B-myT" };
  const open = {
    ...{ versions, job: "bench", engine: "bench", root, rosters: { lead: ["writer"] }, cap: 3 },
    ...{ base: null, branch: null, definition: DEFINITION },
  };
  const text = "The section is written; every commit of the range stands in it once. ".repeat(4);
  const message = (number, from) => ({ id: `m${number}`, from, kind: "task", body: `${number}: ${text}` });
  const made = [
    { kind: "open", body: open },
    { kind: "workspace", body: { thread: child.thread, parent: root.thread, commit: "c0", refused: null } },
    { kind: "post", body: { ...root, message: message(0, null), head: false, origin: "human" } },
  ];
  let configuration = Configuration.empty();
  for (const draft of made) configuration = foldEntry(complete, configuration, draft);
  yield* made;
  let number = made.length;
  for (let thread = root.thread; number < count;) {
    const structural = firstStructural(complete, configuration, thread);
    const [from, to] = thread === root.thread ? [root, child] : [child, root];
    const ps = [{ kind: "deliver", ...to, message: message(number, from) }];
    const redex = structural ?? redexOf(complete.byId.get("send-step"), configuration, thread);
    if (redex === undefined) {
      thread = to.thread;
      continue;
    }
    const choice = structural === undefined ? { ps } : undefined;
    yield { kind: "fire", body: firingOf(redex, choice) };
    number += 1;
    configuration = fire(configuration, redex, choice);
  }
}
