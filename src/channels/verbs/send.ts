/**
 * `cfa send --to ROLE [--thread ID] [--file PATH…] [--optional] MESSAGE` and `cfa send --none`.
 *
 * `--to parent` reaches whoever opened the conversation; so does the name of the parent's role, unless the own roster has that role,
 * too: then it opens a new conversation. Prints the id of the conversation.
 */
import { makeCall } from "../../runtime/outbox-calls.ts";
import { filesInWorkspace } from "../files.ts";
import type { Environment } from "../turn.ts";
import { done, inTurn, misuse, refusal, type VerbResult } from "./turn.ts";

/** Options of `cfa send`, as they stand on the command line. */
export type SendOptions = {
  readonly to?: string | undefined;
  readonly thread?: string | undefined;
  /** Paths as the agent wrote them: relative to its current directory. */
  readonly file?: readonly string[] | undefined;
  readonly optional?: boolean | undefined;
  readonly none?: boolean | undefined;
  readonly message?: string | undefined;
};

/** Puts a message into the turn's outbox. `cwd` is the directory that file names are relative to. */
export function send(
  env: Environment,
  options: SendOptions,
  cwd: string = process.cwd(),
): Promise<VerbResult> {
  return inTurn(env, "send", async ({ outbox, facts }) => {
    const { to, thread, message, optional = false } = options;
    if (options.none === true) {
      const extra = to ?? thread ?? message ?? options.file?.[0];
      if (extra !== undefined || optional)
        return misuse("`cfa send --none` says that nothing is sent: it takes nothing else");
      const none = await makeCall(outbox, facts, { verb: "none" });
      return "refused" in none ? refusal(none.refused) : done();
    }
    if (to === undefined) return misuse("say whom: `cfa send --to ROLE MESSAGE`, or `cfa send --none`");
    if (message === undefined) return misuse(`say what: \`cfa send --to ${to} MESSAGE\``);
    const files = await filesInWorkspace(facts, cwd, options.file ?? [], "--file");
    if ("refused" in files) return refusal(files.refused);
    const admission = await makeCall(outbox, facts, { verb: "send", to, thread, message, files, optional });
    if ("refused" in admission) return refusal(admission.refused);
    return done(admission.entry.verb === "send" ? `${admission.entry.thread}\n` : "");
  });
}
