/**
 * One turn of an agent, as a program sees it: a message on standard input, `CFA_*` variables, and the command `cfa`.
 *
 * T1. What `cfa` is told happens when the turn has ended, in the order of the calls.
 * T2. A refusal (exit 2) is an answer, not an error: the sentence is handed to the caller.
 * T3. A turn ends with exit 0 and its final text, or with exit 1 and one sentence on standard error.
 */
import { execFile } from "node:child_process";
import { text } from "node:stream/consumers";

/** Something that ends the turn with exit 1; the message is one sentence for the person who reads it. */
export class Failure extends Error {}

/** Reads the turn from standard input and the environment. */
async function readTurn() {
  return {
    message: await text(process.stdin),
    state: process.env.CFA_STATE ?? "",
    entry: process.env.CFA_ENTRY ?? "draft",
    thread: process.env.CFA_THREAD ?? "",
    artifacts: {
      intent: "INTENT.md",
      plan: "PLAN.md",
      summary: "WORK_SUMMARY.md",
      ...JSON.parse(process.env.CFA_ARTIFACTS ?? "{}"),
    },
  };
}

/** Runs `work(turn)` and prints the text that it returns as the final text of the turn (T3). */
export async function runTurn(work) {
  try {
    console.log(await work(await readTurn()));
  } catch (error) {
    console.error(
      error instanceof Failure ? error.message : `This is a bug of the example: ${error.message}`,
    );
    process.exitCode = 1;
  }
}

/** Calls `cfa`; resolves with `{ printed }`, or `{ refused }` when it says no (T2). */
function cfa(...args) {
  return new Promise((resolve, reject) => {
    execFile("cfa", args, (error, stdout, stderr) => {
      if (error === null) resolve({ printed: stdout.trim() });
      else if (error.code === 2) resolve({ refused: stderr.trim() });
      else reject(new Failure(`cfa ${args[0]} did not work: ${stderr.trim() || error.message}`));
    });
  });
}

/** Opens a conversation with an agent of the roster; resolves with `{ printed: thread id }` or `{ refused }`. */
export const dispatch = (agent, message) => cfa("send", "--to", agent, message);

/** Goes on with an open conversation. */
export const remind = (agent, thread, message) => cfa("send", "--to", agent, "--thread", thread, message);

/** Closes a conversation: its work is merged into this tree after the turn. */
export const close = (thread) => cfa("close", thread);

/** Ends the state with an outcome; a refusal is a failure, for nothing else can end it. */
export async function outcome(name, reason) {
  const answer = await cfa("outcome", name, "--reason", reason);
  if (answer.refused !== undefined) throw new Failure(`The outcome ${name} was refused: ${answer.refused}`);
}
