/** Failures of file-based agents that are left to whoever gave them the work (docs/files.md, "When it fails"). */
import type { Configuration } from "../soup/configuration.ts";
import type { ThreadId } from "../soup/message.ts";
import type { Ledger } from "./ledger.ts";

/** Its last turn failed, and nothing is under way that would try again: its parent writes to it, or closes it. */
export function restsInFailure(
  thread: ThreadId,
  { configuration, ledger }: { readonly configuration: Configuration; readonly ledger: Ledger },
): boolean {
  const { last } = ledger.thread(thread);
  if (last?.work === undefined || last.result !== "failed") return false;
  const cell = configuration.cell(thread);
  return (
    cell !== undefined &&
    cell.terminates.length + cell.interrupts.length === 0 &&
    cell.lifecycles.length === 1 &&
    cell.lifecycles[0]?.kind === "Idle" &&
    cell.mailboxes.every(({ messages }) => messages.length === 0)
  );
}
