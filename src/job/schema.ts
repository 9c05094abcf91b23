/** The JSON Schema of job.yaml, for editors and programs: made from the schema that the loader uses. */
import { z } from "zod";
import { jobFileSchema } from "./file-schema.ts";
import { roleFileSchema } from "./role/role-file-schema.ts";

/** A node of the schema. */
export type SchemaNode = z.core.JSONSchema.BaseSchema;

/** JSON Schema (2020-12) of what a job file may hold; shipped as `job.schema.json`. */
export function jobSchema(): SchemaNode {
  return z.toJSONSchema(jobFileSchema, { io: "input", override: ({ jsonSchema }) => dropBounds(jsonSchema) });
}

/** JSON Schema of what a role may hold. */
export function roleSchemaNode(): SchemaNode {
  return z.toJSONSchema(roleFileSchema, {
    io: "input",
    override: ({ jsonSchema }) => dropBounds(jsonSchema),
  });
}

/** Bytes of `job.schema.json`. */
export function jobSchemaText(): string {
  return `${JSON.stringify(jobSchema(), null, 2)}\n`;
}

/** Zod states the range of exact integers; that is no rule of ours. */
function dropBounds(node: SchemaNode): void {
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
  if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
}

/**
 * Keys that may stand in the mapping at a place of a file; empty where any name may stand.
 * @param path keys that lead to the mapping.
 * @param mapping what stands there: of several forms, only those that its words allow count (an agent's `adapter`).
 * @param root schema of the file: of job.yaml unless given.
 */
export function keysAt(
  path: readonly PropertyKey[],
  mapping: ReadonlyMap<string, unknown>,
  root: SchemaNode = jobSchema(),
): readonly string[] {
  const nodes = path.reduce<readonly SchemaNode[]>(
    (at, key) => at.flatMap((node) => below(node, key)),
    [root],
  );
  const forms = nodes.flatMap(alternatives).filter((node) => fits(node, mapping));
  return [...new Set(forms.flatMap((node) => Object.keys(node.properties ?? {})))];
}

function below(node: SchemaNode, key: PropertyKey): readonly SchemaNode[] {
  return alternatives(node).flatMap((form) => {
    const next =
      typeof key === "number" ? form.items : (form.properties?.[String(key)] ?? form.additionalProperties);
    return typeof next === "object" && !Array.isArray(next) ? [next] : [];
  });
}

function alternatives(node: SchemaNode): readonly SchemaNode[] {
  const forms = [...(node.oneOf ?? []), ...(node.anyOf ?? [])];
  return forms.length === 0 ? [node] : forms.filter((form) => typeof form === "object");
}

function fits(node: SchemaNode, mapping: ReadonlyMap<string, unknown>): boolean {
  return Object.entries(node.properties ?? {}).every(([key, property]) => {
    if (typeof property !== "object" || property.const === undefined) return true;
    const absent = !mapping.has(key) && !(node.required ?? []).includes(key);
    return absent || mapping.get(key) === property.const;
  });
}
