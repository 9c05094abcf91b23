/**
 * Notation for reading (docs/replay.md): thread names without the job's id, bodies cut to one short line.
 *
 * N1. It is not parsed back; `--at`, `--soup` and `--jsonl` give the notation whole.
 */
import { shortThread } from "../../job/thread-names.ts";
import type { Change } from "../../persistence/change.ts";
import { printChange } from "../../persistence/notation.ts";
import type { Message, Payload, ThreadId } from "../../soup/message.ts";
import type { Molecule } from "../../soup/molecule.ts";
import { printMolecule } from "../../soup/print.ts";
import { Queue } from "../../soup/queue.ts";
import { clip, plain } from "./text.ts";

/** Most characters of a body. */
const SHORT = 40;

/** A change as one line. */
export function shortChange(change: Change): string {
  const { closed } = change;
  const ended = closed === undefined ? undefined : shortThread(closed);
  return printChange({ ...change, closed: ended }, (molecule) => shortMolecule(molecule));
}

/** A molecule with short names and bodies. */
export function shortMolecule(molecule: Molecule): string {
  const name = (thread: ThreadId) => shortThread(thread);
  switch (molecule.kind) {
    case "Idle":
    case "Terminate":
      return printMolecule({ ...molecule, thread: name(molecule.thread) });
    case "Parent":
      return printMolecule({ ...molecule, child: name(molecule.child), thread: name(molecule.thread) });
    case "Run":
    case "Interrupt":
      return printMolecule({
        ...molecule,
        thread: name(molecule.thread),
        message: short(molecule.message),
      });
    case "Mailbox": {
      const messages = Queue.from([...molecule.messages].map((message) => short(message)));
      return printMolecule({ ...molecule, thread: name(molecule.thread), messages });
    }
    case "Send": {
      const payloads = Queue.from([...molecule.payloads].map((payload) => shortPayload(payload)));
      return printMolecule({ ...molecule, thread: name(molecule.thread), payloads });
    }
    case "AskQuestion":
    case "Proxy":
    case "AskHuman":
      return printMolecule({ ...molecule, thread: name(molecule.thread), text: short(molecule.text) });
  }
}

function shortPayload(payload: Payload): Payload {
  switch (payload.kind) {
    case "deliver":
      return { ...payload, thread: shortThread(payload.thread), message: short(payload.message) };
    case "terminate":
      return { ...payload, thread: shortThread(payload.thread) };
    case "ask":
      return { ...payload, text: short(payload.text) };
  }
}

function short(message: Message): Message {
  const about = message.re === undefined ? {} : { re: shortThread(message.re) };
  return { ...message, ...about, body: clip(plain(message.body), SHORT) };
}
