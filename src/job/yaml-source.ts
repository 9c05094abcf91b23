/**
 * A job file as YAML: its value, and the line and column of every key and value in it.
 *
 * Y1. What YAML itself forbids or warns about is a mistake: syntax, a key given twice, unknown tags, a second document.
 * Y2. A place that is absent is located at the nearest key around it.
 */
import {
  LineCounter,
  type Document,
  type Node,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  visit,
} from "yaml";
import type { Mistake, Problem } from "./mistakes.ts";

/** What YAML's own words would not tell a reader. */
const SENTENCES: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: "this key is given twice; keep one of them",
  NON_STRING_KEY: "a key must be a plain word",
};

/** A parsed job file. */
export type YamlSource = {
  readonly value: unknown;
  /** Gives problems their file, line and column, in the order of the file. */
  locate(problems: readonly Problem[]): readonly Mistake[];
};

/** Parses the text of a job file; mistakes of YAML itself come instead of a source. */
export function parseYaml(
  text: string,
  file: string,
): YamlSource | { readonly mistakes: readonly Mistake[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  const broken = [...document.errors, ...document.warnings].map(({ message, pos, code }) => ({
    offset: pos[0],
    sentence: SENTENCES[code] ?? `not valid YAML: ${lowerFirst(message)}`,
  }));
  const mistakes = [...broken, ...unusable(document)].map(({ offset, sentence }) => ({
    ...place(offset),
    sentence,
    hint: null,
  }));
  if (mistakes.length > 0) return { mistakes: inOrder(mistakes) };
  const value = toValue(document);
  if ("sentence" in value) return { mistakes: [{ ...place(0), sentence: value.sentence, hint: null }] };
  const locate = (problems: readonly Problem[]): readonly Mistake[] =>
    inOrder(
      problems.map((problem) => ({
        ...place(offsetOf(document, problem)),
        sentence: problem.sentence,
        hint: problem.hint ?? null,
      })),
    );
  return { value: value.value, locate };
}

/** What is YAML, but no plain tree of values: aliases to nothing or to what they lie in, and a key that no object can have. */
function unusable(document: Document): readonly { readonly offset: number; readonly sentence: string }[] {
  const found: { offset: number; sentence: string }[] = [];
  visit(document, {
    Alias(_key, alias, ancestors) {
      const target = alias.resolve(document);
      const offset = startOf(alias);
      if (target === undefined) {
        found.push({
          offset,
          sentence: `*${alias.source} repeats nothing: there is no &${alias.source} before it`,
        });
      } else if (ancestors.includes(target)) {
        found.push({ offset, sentence: `*${alias.source} repeats what it lies in, without an end` });
      }
    },
    Scalar(key, scalar) {
      if (key !== "key" || scalar.value !== "__proto__") return;
      found.push({ offset: startOf(scalar), sentence: 'unknown key "__proto__"' });
    },
  });
  return found;
}

/** The plain value; aliases that explode are told, not thrown. */
function toValue(document: Document): { readonly value: unknown } | { readonly sentence: string } {
  try {
    return { value: document.toJS() };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return { sentence: `not usable YAML: ${lowerFirst(error.message)}` };
  }
}

function offsetOf(document: Document, { path, atKey }: Problem): number {
  let node: Node | undefined = document.contents ?? undefined;
  let found: Entry = node === undefined ? {} : { value: node };
  for (const key of path) {
    const entry = entryAt(isAlias(node) ? node.resolve(document) : node, key);
    if (entry === undefined) return startOf(found.key ?? found.value);
    found = entry;
    node = entry.value;
  }
  return startOf(atKey === true ? (found.key ?? found.value) : (found.value ?? found.key));
}

function startOf(node: Node | undefined): number {
  return node?.range?.[0] ?? 0;
}

type Entry = { readonly key?: Node; readonly value?: Node };

/** The key and value nodes of an entry of a mapping or list. */
function entryAt(node: Node | undefined, key: PropertyKey): Entry | undefined {
  if (isSeq<Node>(node)) {
    const value = node.items[Number(key)];
    return value === undefined ? undefined : { value };
  }
  if (!isMap<Node, Node | null>(node)) return undefined;
  const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
  if (pair === undefined) return undefined;
  return pair.value === null ? { key: pair.key } : { key: pair.key, value: pair.value };
}

function inOrder(mistakes: readonly Mistake[]): readonly Mistake[] {
  const rank = ({ line, column }: Mistake): number => (line ?? 0) * 1e6 + (column ?? 0);
  return [...mistakes].sort((a, b) => rank(a) - rank(b));
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
