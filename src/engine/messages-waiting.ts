/** The messages of a soup that somebody has still to read: in mailboxes, in broadcasts, with whoever runs, in interrupts. */
import type { Configuration } from "../soup/configuration.ts";
import type { Message } from "../soup/message.ts";

/** See the header; each once for each place in which it stands. */
export function* messagesWaiting(configuration: Configuration): Generator<Message, void, void> {
  for (const cell of configuration.cells()) {
    for (const { messages } of cell.mailboxes) yield* messages;
    for (const { message } of cell.interrupts) yield message;
    for (const one of cell.lifecycles) {
      if (one.kind === "Run") yield one.message;
      if (one.kind !== "Send") continue;
      for (const payload of one.payloads) if (payload.kind === "deliver") yield payload.message;
    }
  }
}
