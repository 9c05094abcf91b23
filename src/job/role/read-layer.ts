/**
 * One writing of a role: the mapping in job.yaml, or the file or folder that it names. Several together make a role (read-roles.ts).
 *
 * L1. A layer knows where its keys stand, so that a mistake found later is told with its own file and line.
 */
import { statSync } from "node:fs";
import path from "node:path";
import type { Mistake, Problem } from "../mistakes.ts";
import { demand, describeIssues } from "../problems.ts";
import { roleSchemaNode } from "../schema.ts";
import { readText } from "../text-file.ts";
import { parseYaml } from "../yaml-source.ts";
import { type RoleFile, roleFileSchema } from "./role-file-schema.ts";
import { offeredBy } from "./role-files.ts";

/** See the header. */
export type Layer = {
  readonly keys: RoleFile;
  /** Folder that its paths are relative to. */
  readonly folder: string;
  /** Gives problems, whose paths begin at the role, their places: mistakes of a file, or problems of job.yaml. */
  readonly locate: (problems: readonly Problem[]) => Located;
};

/** Problems of job.yaml, and mistakes of other files. */
export type Located = { readonly problems: readonly Problem[]; readonly mistakes: readonly Mistake[] };

/** A layer, or why there is none. */
export type LayerRead = { readonly layer: Layer } | Located;

/** Largest role file and system prompt, bytes. */
const TEXT_BYTES_MAX = 64 * 1024;

/** The mapping under `role:` of an agent; `at` leads to it in job.yaml, whose folder is `folder`. */
export function inlineLayer(value: unknown, at: readonly PropertyKey[], folder: string): LayerRead {
  const within = (problems: readonly Problem[]): Located => ({
    problems: problems.map((problem) => ({ ...problem, path: [...at, ...problem.path] })),
    mistakes: [],
  });
  const parsed = roleFileSchema.safeParse(value, { error: demand });
  if (!parsed.success)
    return within(describeIssues(parsed.error.issues, value, { name: "role", root: roleSchemaNode() }));
  return { layer: { keys: parsed.data, folder, locate: within } };
}

/**
 * The role in a file, or in a folder with `role.yaml`, `SYSTEM.md`, `skills/` and `scripts/`.
 * @param target its absolute path; @param shown how job.yaml names it; @param at where.
 */
export function fileLayer(target: string, shown: string, at: readonly PropertyKey[]): LayerRead {
  const stat = statSync(target, { throwIfNoEntry: false });
  const absent = (sentence: string, hint: string): Located => ({
    problems: [{ path: at, sentence, hint }],
    mistakes: [],
  });
  if (stat === undefined)
    return absent(`there is no role ${shown}`, "write the path of its folder or file, relative to job.yaml");
  if (!stat.isDirectory()) return yamlLayer(target, shown, path.dirname(target), {});
  const prompt = readOptional(path.join(target, "SYSTEM.md"));
  if (prompt !== undefined && "problem" in prompt)
    return absent(`${shown}/SYSTEM.md ${prompt.problem}`, "it is the system prompt of the role");
  const given = { ...offeredBy(target), ...(prompt === undefined ? {} : { system: prompt.text }) };
  const file = path.join(target, "role.yaml");
  if (statSync(file, { throwIfNoEntry: false }) !== undefined)
    return yamlLayer(file, path.join(shown, "role.yaml"), target, given);
  if (prompt === undefined)
    return absent(`the folder ${shown} is no role`, "it needs a role.yaml or a SYSTEM.md");
  // There is no line to point at but the one that names the folder.
  const locate = (problems: readonly Problem[]): Located => ({
    problems: problems.map(({ sentence }) => ({ path: at, sentence: `${shown}: ${sentence}` })),
    mistakes: [],
  });
  return { layer: { keys: given, folder: target, locate } };
}

/** A role file; what it does not say is as `given` by its folder. */
function yamlLayer(file: string, shown: string, folder: string, given: RoleFile): LayerRead {
  const read = readText(file, TEXT_BYTES_MAX);
  const whole = (sentence: string): Located => ({
    problems: [],
    mistakes: [{ file: shown, line: null, column: null, sentence, hint: null }],
  });
  if ("problem" in read) return whole(`the role file ${read.problem}`);
  const source = parseYaml(read.text, shown);
  if ("mistakes" in source) return { problems: [], mistakes: source.mistakes };
  const locate = (problems: readonly Problem[]): Located => ({
    problems: [],
    mistakes: source.locate(problems),
  });
  const value = source.value ?? {};
  const parsed = roleFileSchema.safeParse(value, { error: demand });
  if (!parsed.success)
    return locate(
      describeIssues(parsed.error.issues, value, { name: "the role file", root: roleSchemaNode() }),
    );
  if (parsed.data.from !== undefined)
    return locate([
      {
        path: ["from"],
        atKey: true,
        sentence: "a role file cannot go on from another one",
        hint: "from stands in job.yaml only",
      },
    ]);
  return { layer: { keys: { ...given, ...parsed.data }, folder, locate } };
}

function readOptional(file: string): ReturnType<typeof readText> | undefined {
  return statSync(file, { throwIfNoEntry: false }) === undefined ? undefined : readText(file, TEXT_BYTES_MAX);
}
