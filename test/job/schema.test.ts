import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type JobDefinition, jobDefinitionSchema } from "../../src/job/definition.ts";
import { jobFileSchema } from "../../src/job/file-schema.ts";
import { LIVE_STATES } from "../../src/job/machine.ts";
import { type SchemaNode, jobSchema, jobSchemaText, keysAt } from "../../src/job/schema.ts";

/** Every key of the schema as docs/job.md writes it, with its default; the states share one set of rows. */
function keysOf(node: SchemaNode | boolean | undefined, prefix: string): Map<string, unknown> {
  if (typeof node !== "object") return new Map();
  const properties = [...(node.oneOf ?? [node])].flatMap((form) =>
    typeof form === "object" ? Object.entries(form.properties ?? {}) : [],
  );
  const isState = (key: string): boolean =>
    prefix === "states." && LIVE_STATES.some((state) => state === key);
  return new Map<string, unknown>([
    ...properties.flatMap(([key, property]) => {
      const path = prefix + key;
      const own = typeof property === "object" ? property.default : undefined;
      const below = keysOf(property, isState(key) ? "states.*." : `${path}.`);
      return [[path, own] as const, ...below];
    }),
    ...keysOf(Array.isArray(node.items) ? undefined : node.items, `${prefix.slice(0, -1)}[].`),
    ...keysOf(node.additionalProperties, `${prefix}*.`),
  ]);
}

/** Rows of the tables of docs/job.md whose first cell is a key. */
function documented(): Map<string, string> {
  const text = readFileSync(new URL("../../docs/job.md", import.meta.url), "utf8");
  const rows = text.matchAll(/^\| `([\w.*[\]]+)` *\| .*? \| (.*?) *\|/gm);
  return new Map([...rows].map(([, key = "", fallback = ""]) => [key, fallback] as const));
}

describe("job.schema.json", () => {
  it("is what the loader's schema says (written anew by: vitest run test/job/schema.test.ts -u)", async () => {
    await expect(jobSchemaText()).toMatchFileSnapshot("../../job.schema.json");
  });

  it("requires a request and agents, and nothing else", () => {
    expect(jobSchema().required).toEqual(["request", "agents"]);
  });

  it("describes every key", () => {
    const bare: string[] = [];
    const visit = (node: SchemaNode, path: string): void => {
      for (const [key, property] of Object.entries(node.properties ?? {})) {
        if (typeof property !== "object") continue;
        if (property.description === undefined) bare.push(`${path}${key}`);
        visit(property, `${path}${key}.`);
      }
    };
    visit(jobSchema(), "");
    expect(bare).toEqual([]);
  });
});

describe("docs/job.md", () => {
  const keys = keysOf(jobSchema(), "");

  it("documents every key, and no key that there is not", () => {
    expect([...documented().keys()].sort()).toEqual([...keys.keys()].sort());
  });

  it("gives the default of every key that has a plain one", () => {
    const rows = documented();
    const plain = [...keys].filter(
      ([key, value]) => typeof value !== "object" && value !== undefined && key !== "states.*.skill",
    );
    expect(plain.map(([key]) => [key, rows.get(key)])).toEqual(
      plain.map(([key, value]) => [key, `\`${String(value)}\``]),
    );
  });
});

describe("the definition", () => {
  it("has the keys of the file", () => {
    expect(Object.keys(jobDefinitionSchema.shape).sort()).toEqual(Object.keys(jobFileSchema.shape).sort());
    for (const section of [
      "artifacts",
      "given",
      "limits",
      "budget",
    ] as const satisfies readonly (keyof JobDefinition)[]) {
      expect(Object.keys(jobDefinitionSchema.shape[section].shape)).toEqual([
        ...keysAt([section], new Map()),
      ]);
    }
  });
});

describe("the keys at a place", () => {
  it.each([
    [["budget"], {}, ["usd", "tokens", "turns", "wall"]],
    [["states", "PLAN"], {}, ["agent", "skill", "escalation", "state_timeout"]],
    [
      ["agents", "x"],
      {},
      [
        "adapter",
        "run",
        "role",
        "roster",
        "skill",
        "fallback",
        "sandbox",
        "network",
        "env",
        "prompt",
        "tools",
      ],
    ],
    [["agents", "x"], { adapter: "script" }, ["adapter", "steps", "role", "roster", "skill", "fallback"]],
    [["agents"], {}, []],
    [["nowhere"], {}, []],
  ])("%j holding %j are %j", (path, mapping, keys) => {
    expect(keysAt(path, new Map(Object.entries(mapping)))).toEqual(keys);
  });
});
