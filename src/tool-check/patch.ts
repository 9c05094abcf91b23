/** Patches in the form of Codex's `apply_patch`: the files that they name. */
import { pathUse, type Use } from "./uses.ts";

const HEADER = /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.*)$/;

/** The files of a patch, relative to `bases`; a patch that names none cannot be judged. */
export function usesOfPatch(text: string, bases: readonly string[]): readonly Use[] {
  const names = text.split(/\r?\n/).flatMap((line) => HEADER.exec(line.trimStart())?.[1]?.trim() ?? []);
  if (names.length === 0)
    return [
      {
        kind: "unclear",
        sentence:
          "the patch names no file: begin each with *** Add File:, *** Update File: or *** Delete File:",
      },
    ];
  return names.map((name) => pathUse(name, "write", bases));
}
