/**
 * The tools that agents have of their own (docs/mcp.md, "Tools of a role"): names that are free, schemas that can be read, programs
 * that exist.
 *
 * X1. A schema is checked by what will check the arguments; one that it cannot read is a mistake, not a surprise in a turn.
 */
import path from "node:path";
import { z } from "zod";
import { OWN_TOOLS } from "../runtime/agents/tool-names.ts";
import type { Problem } from "./mistakes.ts";
import { quote } from "./problems.ts";
import { type ProgramPlaces, resolveProgram } from "./program.ts";
import { readText } from "./text-file.ts";

/** What was looked up for a tool. */
export type FoundTool = {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly run: readonly [string, ...string[]];
};

/** A tool as the lenient view of the file has it; the empty word stands for a mistake that is told elsewhere. */
export type ToolView = { readonly name: string; readonly schema: string; readonly run: readonly string[] };

/** Largest schema file, bytes. */
const SCHEMA_BYTES_MAX = 64 * 1024;
const objectSchema = z.looseObject({ type: z.literal("object") });

/** Checks the tools of one agent; `found` are those without a mistake, in order. */
export function checkTools(
  agent: string,
  tools: readonly ToolView[],
  places: ProgramPlaces,
): { readonly problems: readonly Problem[]; readonly found: readonly FoundTool[] } {
  const problems: Problem[] = [];
  const found = tools.flatMap((tool, index): readonly FoundTool[] => {
    const at = ["agents", agent, "tools", index] as const;
    const taken = nameTaken(tool.name, tools.slice(0, index));
    if (taken !== undefined) problems.push({ path: [...at, "name"], sentence: taken });
    const schema = tool.schema === "" ? undefined : readSchema(path.resolve(places.directory, tool.schema));
    if (schema !== undefined && "problem" in schema) {
      problems.push({ path: [...at, "schema"], sentence: `the schema ${tool.schema} ${schema.problem}` });
    }
    const program = tool.run.length === 0 ? undefined : resolveProgram(tool.run, places);
    if (program !== undefined && "sentence" in program) {
      const { index: word, sentence, hint } = program;
      problems.push({ path: [...at, "run", word], sentence: `tool ${quote(tool.name)}: ${sentence}`, hint });
    }
    if (schema === undefined || "problem" in schema || program === undefined || !("run" in program))
      return [];
    return [{ schema: schema.schema, run: program.run }];
  });
  return { problems, found };
}

function nameTaken(name: string, before: readonly ToolView[]): string | undefined {
  if (OWN_TOOLS.some((own) => own === name)) return `no tool can be called ${name}: cfa has one of that name`;
  if (name !== "" && before.some((other) => other.name === name)) return `two tools are called ${name}`;
  return undefined;
}

function readSchema(
  file: string,
): { readonly schema: Readonly<Record<string, unknown>> } | { readonly problem: string } {
  const read = readText(file, SCHEMA_BYTES_MAX);
  if ("problem" in read) return read;
  try {
    const parsed = objectSchema.safeParse(JSON.parse(read.text));
    if (!parsed.success) return { problem: 'is no JSON Schema of an object: it must have "type": "object"' };
    z.fromJSONSchema(parsed.data);
    return { schema: parsed.data };
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: "is not JSON" };
    return { problem: `cannot be used: ${error instanceof Error ? error.message : String(error)}` };
  }
}
