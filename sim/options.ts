/** The options of `npm run sim`. */
import { parseArgs } from "node:util";

/** See {@link USAGE}. */
export type Options = {
  readonly seed: number;
  /** The seed as it was given. */
  readonly word: string;
  readonly runs: number;
  /** Only this run of the seed. */
  readonly only: number | undefined;
  /** Every so many runs the log is in a SQLite file; 0 for never. */
  readonly sqliteEvery: number;
  readonly planted: boolean;
  /** One line for a finding, and nothing else. */
  readonly brief: boolean;
};

/** How it is called. */
export const USAGE = `npm run sim -- [--seed N | WORD] [--runs M | --run K] [--sqlite-every E] [--planted]

  --seed          a number, or a word such as a commit hash, of which one is made   (1)
  --runs          how many runs                                                      (200)
  --run           only this one of them
  --sqlite-every  every so many runs the log is in a SQLite file, 0 for never        (100)
  --planted       plants bugs, one at a time, and sees whether each is found within the runs`;

/** The options in the words of a command line; a sentence for what cannot be meant. */
export function optionsOf(words: readonly string[]): Options | { readonly misuse: string } {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        seed: { type: "string", default: "1" },
        runs: { type: "string", default: "200" },
        run: { type: "string" },
        "sqlite-every": { type: "string", default: "100" },
        planted: { type: "boolean", default: false },
        brief: { type: "boolean", default: false },
      },
    });
    const { seed, runs, run, planted, brief } = values;
    return {
      seed: seedOf(seed),
      word: seed,
      runs: count("--runs", runs, 1),
      only: run === undefined ? undefined : count("--run", run, 1),
      sqliteEvery: count("--sqlite-every", values["sqlite-every"], 0),
      planted,
      brief,
    };
  } catch (error) {
    return { misuse: error instanceof Error ? error.message : String(error) };
  }
}

function count(option: string, word: string, least: number): number {
  if (!/^\d{1,9}$/u.test(word) || Number(word) < least)
    throw new Error(`${option} takes a whole number from ${least}, not "${word}"`);
  return Number(word);
}

/** A number stands for itself; of any other word one is made (FNV-1a, 32 bits). */
function seedOf(word: string): number {
  if (/^\d{1,9}$/u.test(word)) return Number(word);
  let hash = 0x811c_9dc5;
  for (const letter of word) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x0100_0193);
  return hash >>> 0;
}
