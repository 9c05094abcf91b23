/**
 * Reads one word of a shell command: quotes, escapes, variables, substitutions.
 *
 * R1. Reading is linear in the text, and substitutions nest at most {@link DEPTH_MAX} deep.
 */
import { type Part, type Script, Unreadable, type Word } from "./syntax.ts";

/** Deepest nesting of substitutions. */
export const DEPTH_MAX = 20;

/** A place in the text of a command, and how the script inside a substitution is read from there. */
export type Cursor = {
  readonly text: string;
  at: number;
  /** How many substitutions are open here. */
  readonly depth: number;
  /** Reads the script inside a substitution, up to its closing parenthesis, which it takes. */
  readonly nested: () => Script;
  /** Reads a whole text as a script. */
  readonly whole: (text: string) => Script;
};

const ENDS = /[ \t\n;&|()<>]/;
/** Blanks and control characters of which shells and locales make different things. */
const AMBIGUOUS = /[^\S \t\n]|\p{Cc}/u;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*/;

type Making = { readonly parts: Part[]; readonly scripts: Script[] };

/** Reads the word at the cursor, which is not blank. */
export function readWord(cursor: Cursor): Word {
  const from = cursor.at;
  const making: Making = { parts: [], scripts: [] };
  while (cursor.at < cursor.text.length) {
    const char = cursor.text.charAt(cursor.at);
    if ((char === "<" || char === ">") && cursor.text.charAt(cursor.at + 1) === "(") {
      cursor.at += 2;
      making.scripts.push(cursor.nested());
      making.parts.push({ kind: "text", text: "/dev/null", quoted: true }); // A pipe, whose name means nothing here.
      continue;
    }
    if (ENDS.test(char)) break;
    readPiece(cursor, making, char);
  }
  return { ...making, source: cursor.text.slice(from, cursor.at) };
}

/** Reads the whole text as it stands in double quotes or in a here-document: only variables and substitutions count. */
export function readBody(cursor: Cursor): Word {
  const making: Making = { parts: [], scripts: [] };
  readQuoted(cursor, making, "");
  return { ...making, source: cursor.text };
}

function readPiece(cursor: Cursor, making: Making, char: string): void {
  const { text } = cursor;
  if (char === "'") {
    const end = text.indexOf("'", cursor.at + 1);
    if (end < 0) throw new Unreadable("has a quote that is not closed");
    making.parts.push({ kind: "text", text: text.slice(cursor.at + 1, end), quoted: true });
    cursor.at = end + 1;
  } else if (char === '"') {
    cursor.at += 1;
    readQuoted(cursor, making, '"');
  } else if (char === "\\") {
    const next = text.charAt(cursor.at + 1);
    if (next !== "\n") making.parts.push({ kind: "text", text: next, quoted: true });
    cursor.at += 2;
  } else if (char === "$" || char === "`") {
    readExpansion(cursor, making, false);
  } else {
    const plain = /^[^ \t\n;&|()<>'"\\$`]+/.exec(text.slice(cursor.at, cursor.at + 4096))?.[0] ?? char;
    if (AMBIGUOUS.test(plain)) throw new Unreadable("has a blank that is no space, tab or line break");
    making.parts.push({ kind: "text", text: plain, quoted: false });
    cursor.at += plain.length;
  }
}

function readQuoted(cursor: Cursor, making: Making, end: '"' | ""): void {
  const { text } = cursor;
  let plain = "";
  const flush = () => {
    making.parts.push({ kind: "text", text: plain, quoted: true });
    plain = "";
  };
  for (;;) {
    const char = text.charAt(cursor.at);
    if (char === end) break;
    if (char === "") throw new Unreadable("has a quote that is not closed");
    if (char === "\\" && /["\\$`\n]/.test(text.charAt(cursor.at + 1))) {
      const next = text.charAt(cursor.at + 1);
      plain += next === "\n" ? "" : next;
      cursor.at += 2;
    } else if (char === "$" || char === "`") {
      flush();
      readExpansion(cursor, making, true);
    } else {
      plain += char;
      cursor.at += 1;
    }
  }
  flush();
  cursor.at += end.length;
}

/** What begins with `$` or a backtick. */
function readExpansion(cursor: Cursor, making: Making, quoted: boolean): void {
  const { text } = cursor;
  if (text.charAt(cursor.at) === "`") return readBackticks(cursor, making, quoted);
  const rest = text.slice(cursor.at + 1, cursor.at + 300);
  const literal = (value: string, length: number) => {
    making.parts.push({ kind: "text", text: value, quoted: true });
    cursor.at += 1 + length;
  };
  if (rest.startsWith("((")) return skipArithmetic(cursor, making);
  if (rest.startsWith("(")) {
    cursor.at += 2;
    making.scripts.push(cursor.nested());
    making.parts.push({ kind: "unknown", quoted });
  } else if (rest.startsWith("'") && !quoted) {
    readAnsi(cursor, making);
  } else if (rest.startsWith('"') && !quoted) {
    cursor.at += 1; // A text in the language of the user: what it says is what stands in the quotes.
  } else if (rest.startsWith("[")) {
    throw new Unreadable("calculates in an old form ($[…])");
  } else if (rest.startsWith("{")) {
    readBraced(cursor, making, quoted);
  } else if (/^[?#$!]/.test(rest)) {
    literal("0", 1); // A number, whatever it is.
  } else if (/^[@*0-9-]/.test(rest)) {
    making.parts.push({ kind: "unknown", quoted });
    cursor.at += 2;
  } else {
    const name = NAME.exec(rest)?.[0];
    if (name === undefined) return literal("$", 0);
    making.parts.push({ kind: "variable", name, quoted });
    cursor.at += 1 + name.length;
  }
}

function readBraced(cursor: Cursor, making: Making, quoted: boolean): void {
  const { text } = cursor;
  const simple = /^\$\{(#?)([A-Za-z_][A-Za-z0-9_]*)(?::?-([^${}`'"\\~]*))?\}/.exec(
    text.slice(cursor.at, cursor.at + 4096),
  );
  if (simple === null)
    throw new Unreadable(`changes a variable as it is read (${text.slice(cursor.at, cursor.at + 20)}…)`);
  const [all, length, name = "", fallback] = simple;
  if (length === "#") making.parts.push({ kind: "text", text: "0", quoted: true });
  else making.parts.push({ kind: "variable", name, quoted, ...(fallback === undefined ? {} : { fallback }) });
  cursor.at += all.length;
}

function readBackticks(cursor: Cursor, making: Making, quoted: boolean): void {
  const body = /^`((?:[^`\\]|\\[^])*)`/.exec(cursor.text.slice(cursor.at));
  if (body === null) throw new Unreadable("has a backtick that is not closed");
  const [all, inner = ""] = body;
  if (quoted && inner.includes('\\"')) throw new Unreadable("has quotes in backticks in quotes");
  making.scripts.push(cursor.whole(inner.replaceAll(/\\([`\\$])/g, "$1")));
  making.parts.push({ kind: "unknown", quoted });
  cursor.at += all.length;
}

/** `$((…))`: a number, unless it is a subshell in a substitution. */
function skipArithmetic(cursor: Cursor, making: Making): void {
  const end = endOfArithmetic(cursor.text, cursor.at + 3);
  if (end === undefined) throw new Unreadable("calculates with what another command says");
  making.parts.push({ kind: "number", names: namesOf(cursor.text.slice(cursor.at + 3, end)) });
  cursor.at = end + 2;
}

/** The variables of an arithmetic expression, whose values are calculated in their turn. */
export function namesOf(expression: string): readonly string[] {
  if (/[`'"[\\]|\$[^A-Za-z_]/.test(expression))
    throw new Unreadable("calculates with what another command says");
  return expression.match(/(?<![A-Za-z0-9_])[A-Za-z_][A-Za-z0-9_]*/g) ?? [];
}

/** Where the `))` stands that ends an arithmetic expression from `from` on. */
export function endOfArithmetic(text: string, from: number): number | undefined {
  let open = 0;
  for (let at = from; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === "(") open += 1;
    if (char !== ")") continue;
    if (open === 0) return text.charAt(at + 1) === ")" ? at : undefined;
    open -= 1;
  }
  return undefined;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  "'": "'",
  '"': '"',
};

/** `$'…'` */
function readAnsi(cursor: Cursor, making: Making): void {
  const body = /^\$'((?:[^'\\]|\\[^])*)'/.exec(cursor.text.slice(cursor.at));
  if (body === null) throw new Unreadable("has a quote that is not closed");
  const [all, inner = ""] = body;
  const text = inner.replaceAll(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([0-7]{1,3})|([^]))/g,
    (_all, hex?: string, unicode?: string, octal?: string, char?: string) => {
      if (char === undefined) {
        const code = Number.parseInt(hex ?? unicode ?? octal ?? "0", octal === undefined ? 16 : 8);
        // A shell takes an octal number for its last eight bits, ends a text at a zero, and makes one byte of anything but \u.
        if (code === 0 || (unicode === undefined && code > 0x7f))
          throw new Unreadable("has an escape of which shells make different things");
        return String.fromCodePoint(code);
      }
      const known = ESCAPES[char];
      if (known === undefined) throw new Unreadable(`has an escape that is not known here (\\${char})`);
      return known;
    },
  );
  making.parts.push({ kind: "text", text, quoted: true });
  cursor.at += all.length;
}
