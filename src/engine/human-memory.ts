/**
 * Where the memory of a human lives: `.cfa/humans/<name>.db` of the repository, which no workspace contains.
 *
 * H1. The file is made with the first record, not before: a job that nobody asks anything leaves none.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { JobDefinition } from "../job/definition.ts";
import type { Experience, HumanMemory } from "../persistence/human-memory.ts";
import { openHumanMemory } from "../persistence/sqlite/human-memory.ts";
import type { RememberedHuman } from "../runtime/escalation/remember.ts";

/** The file of the memory of a human. It need not exist. */
export function memoryFile(top: string, human: string): string {
  return join(top, ".cfa", "humans", `${human}.db`);
}

/** The memory of a human, opened when it is first needed (H1). */
export function memoryOf(top: string, human: string): HumanMemory {
  const file = memoryFile(top, human);
  let opened: HumanMemory | undefined;
  const open = (): HumanMemory => (opened ??= openHumanMemory(file));
  const existing = (): HumanMemory | undefined => opened ?? (existsSync(file) ? open() : undefined);
  return {
    note: async (experiences: readonly Experience[]) => open().note(experiences),
    recall: async (words, bounds) => (await existing()?.recall(words, bounds)) ?? [],
    list: async (words) => (await existing()?.list(words)) ?? [],
    find: async (id) => existing()?.find(id),
    correct: async (id, answer, by, at) =>
      (await existing()?.correct(id, answer, by, at)) ?? { refused: `nothing is remembered of ${human}` },
    close: async () => {
      await opened?.close();
      opened = undefined;
    },
  };
}

/** What a scheduler is told of the human of a job: nothing, where there is none. */
export function rememberedOf(
  top: string,
  { human, request }: Pick<JobDefinition, "human" | "request">,
): { readonly remembered?: RememberedHuman } {
  return human === "none" ? {} : { remembered: { memory: memoryOf(top, human), request } };
}

/** What `work` settles with, once the memory that it used is closed. */
export async function thenClose<T>(
  work: Promise<T>,
  { remembered }: { readonly remembered?: RememberedHuman },
): Promise<T> {
  try {
    return await work;
  } finally {
    await remembered?.memory.close();
  }
}
