/** Messages that an entry put into mailboxes, by thread and id. */
import { changeOf } from "../../persistence/change.ts";
import type { Step } from "../../persistence/verify.ts";
import { complete } from "../../rules/table.ts";
import type { ThreadId } from "../../soup/message.ts";
import type { Molecule } from "../../soup/molecule.ts";

/** The messages that stand in mailboxes after the step and did not before it; also the one that a rollback gives back. */
export function newMail({ entry, before, after }: Step): readonly { thread: ThreadId; id: string }[] {
  const change = changeOf(complete, entry, before, after);
  if (change === undefined) return [];
  const old = new Set(mailIn(change.consumed).map(keyOf));
  return mailIn(change.produced).filter((mail) => !old.has(keyOf(mail)));
}

type Mail = { readonly thread: ThreadId; readonly id: string };

function mailIn(molecules: readonly Molecule[]): Mail[] {
  return molecules.flatMap((molecule) =>
    molecule.kind === "Mailbox"
      ? [...molecule.messages].map(({ id }) => ({ thread: molecule.thread, id }))
      : [],
  );
}

function keyOf({ thread, id }: Mail): string {
  return `${thread} ${id}`;
}
