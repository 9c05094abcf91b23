/**
 * Reads a shell command into steps. It knows lists, pipelines, subshells, redirections, here-documents, `if`, `while`, `until`, `for`
 * and `{ }`; whatever else there is in a shell (functions, `case`, arrays, coprocesses) is {@link Unreadable}.
 */
import { type Cursor, DEPTH_MAX, endOfArithmetic, namesOf, readBody, readWord } from "./read-word.ts";
import { plainText, type Redirect, type Script, type Step, Unreadable, type Word } from "./syntax.ts";

/** Words after which a command begins, and which do nothing themselves. */
const LEADING = new Set(["if", "then", "else", "elif", "while", "until", "do", "{", "time"]);
/** Words that end a compound command. */
const TRAILING = new Set(["fi", "done", "}"]);
const NOT_FOLLOWED = new Set(["case", "select", "function", "coproc", "esac"]);

/** A here-document whose body comes with the next line; it goes to the redirections of its command. */
type Pending = {
  readonly delimiter: string;
  readonly literal: boolean;
  readonly tabs: boolean;
  readonly into: Redirect[];
};

/** The command that is being read. */
type Current = { words: Word[]; redirects: Redirect[]; negated: boolean };

/** Reads a shell command. Throws {@link Unreadable} for what is not understood. */
export function readScript(text: string, depth = 0): Script {
  if (depth > DEPTH_MAX) throw new Unreadable(`nests more than ${DEPTH_MAX} substitutions`);
  const reader = new Reader(text, depth);
  return reader.read("");
}

class Reader {
  readonly #cursor: Cursor;
  readonly #steps: Step[] = [];
  #current: Current = { words: [], redirects: [], negated: false };
  #pending: Pending[] = [];
  /** Names of `{`, `if` and the like must not be taken for commands, but only where a command begins. */
  #begins = true;

  constructor(text: string, depth: number) {
    this.#cursor = {
      text,
      at: 0,
      depth,
      nested: () => {
        const inner = new Reader(text, depth + 1);
        if (depth >= DEPTH_MAX) throw new Unreadable(`nests more than ${DEPTH_MAX} substitutions`);
        inner.#cursor.at = this.#cursor.at;
        const script = inner.read(")");
        this.#cursor.at = inner.#cursor.at;
        return script;
      },
      whole: (inner) => readScript(inner, depth + 1),
    };
  }

  /** Reads up to `end`, which it takes; "" is the end of the text. */
  read(end: ")" | ""): Script {
    let subshells = 0;
    const { text } = this.#cursor;
    for (;;) {
      const char = text.charAt(this.#cursor.at);
      if (char === "") break;
      if (char === ")" && subshells === 0 && end === ")") break;
      if (char === "(") {
        this.#enter();
        if (text.charAt(this.#cursor.at - 1) === "(") subshells += 1;
      } else if (char === ")") {
        this.#leave(subshells);
        subshells -= 1;
      } else this.#readNext(char);
    }
    if (subshells > 0 || (end === ")" && text.charAt(this.#cursor.at) !== ")"))
      throw new Unreadable("has a parenthesis that is not closed");
    if (this.#pending.length > 0) throw new Unreadable("has a here-document without its end");
    this.#finish();
    this.#cursor.at += end.length;
    return this.#steps;
  }

  #readNext(char: string): void {
    const { text } = this.#cursor;
    const rest = text.slice(this.#cursor.at, this.#cursor.at + 3);
    if (/[ \t]/.test(char) || rest.startsWith("\\\n")) this.#cursor.at += char === "\\" ? 2 : 1;
    else if (char === "\n") this.#newline();
    else if (char === "#") this.#cursor.at = endOfLine(text, this.#cursor.at);
    else if (/^(?:&>|[<>])/.test(rest) && !/^[<>]\(/.test(rest)) this.#redirect();
    else if (/[;&|]/.test(char)) this.#separator(rest);
    else this.#word();
  }

  #enter(): void {
    if (this.#current.words.length > 0 || !this.#begins) throw new Unreadable("defines a function or a list");
    if (this.#cursor.text.startsWith("((", this.#cursor.at)) {
      const end = endOfArithmetic(this.#cursor.text, this.#cursor.at + 2);
      if (end === undefined) throw new Unreadable("calculates with what another command says");
      const names = namesOf(this.#cursor.text.slice(this.#cursor.at + 2, end));
      this.#push({ kind: "number", names });
      this.#cursor.at = end + 2;
      this.#begins = false;
      return;
    }
    this.#push({ kind: "enter" });
    this.#cursor.at += 1;
  }

  #leave(subshells: number): void {
    if (subshells === 0) throw new Unreadable("has a parenthesis that was not opened");
    this.#finish();
    this.#push({ kind: "leave" });
    this.#begins = false;
    this.#cursor.at += 1;
  }

  #separator(rest: string): void {
    const operator = ["&&", "||", "|&", ";;"].find((each) => rest.startsWith(each)) ?? rest.charAt(0);
    if (operator === ";;") throw new Unreadable("uses case, which is not followed");
    this.#cursor.at += operator.length;
    this.#finish();
    const kind = operator === "|&" ? "|" : operator === "&" ? ";" : operator;
    if (kind === "&&" || kind === "||" || kind === "|" || kind === ";")
      this.#push({ kind: "join", operator: kind });
    this.#begins = true;
  }

  #newline(): void {
    this.#cursor.at += 1;
    this.#finish();
    for (const pending of this.#pending) this.#body(pending);
    this.#pending = [];
    // A line that ends in && goes on in the next one.
    if (this.#steps.at(-1)?.kind !== "join") this.#push({ kind: "join", operator: ";" });
    this.#begins = true;
  }

  #word(): void {
    const word = readWord(this.#cursor);
    const plain = word.parts.every((part) => part.kind === "text" && !part.quoted) ? word.source : "";
    // The number of a redirection.
    if (/^\d+$/.test(plain) && /[<>]/.test(this.#cursor.text.charAt(this.#cursor.at))) return;
    if (!this.#begins) {
      this.#current.words.push(word);
      return;
    }
    if (NOT_FOLLOWED.has(plain)) throw new Unreadable(`uses ${plain}, which is not followed`);
    if (plain === "for" || plain === "while" || plain === "until") this.#push({ kind: "loop" });
    if (plain === "!") this.#current.negated = true;
    if (plain === "!" || LEADING.has(plain)) return;
    if (plain === "for") return this.#for();
    if (plain === "[[") return this.#test(word);
    this.#begins = false;
    if (!TRAILING.has(plain)) this.#current.words.push(word);
  }

  /** `for NAME in WORDS`, up to the separator behind it. */
  #for(): void {
    const head = /^[ \t]+([A-Za-z_][A-Za-z0-9_]*)[ \t\n]+in(?=[ \t])/.exec(
      this.#cursor.text.slice(this.#cursor.at, this.#cursor.at + 200),
    );
    if (head === null) throw new Unreadable("has a for without a list of words");
    this.#cursor.at += head[0].length;
    const words: Word[] = [];
    for (;;) {
      const char = this.#cursor.text.charAt(this.#cursor.at);
      if (/[ \t]/.test(char)) this.#cursor.at += 1;
      else if (char === "" || /[;\n&|()<>]/.test(char)) break;
      else words.push(readWord(this.#cursor));
    }
    this.#push({ kind: "for", name: head[1] ?? "", words });
    this.#begins = false;
  }

  /** `[[ … ]]`: its words, whatever operators stand between them. */
  #test(first: Word): void {
    this.#current.words.push(first);
    this.#begins = false;
    for (;;) {
      const char = this.#cursor.text.charAt(this.#cursor.at);
      if (char === "") throw new Unreadable("has a [[ without its ]]");
      if (/[ \t\n&|()<>;]/.test(char)) {
        this.#cursor.at += 1;
        continue;
      }
      const word = readWord(this.#cursor);
      this.#current.words.push(word);
      if (word.source === "]]") return;
    }
  }

  #redirect(): void {
    const { text } = this.#cursor;
    const found = /^(?:<<<|<<-?|&>>|&>|>>|>\||<>|<&|>&|<|>)/.exec(
      text.slice(this.#cursor.at, this.#cursor.at + 3),
    );
    const operator = found?.[0] ?? "";
    this.#begins = false;
    this.#cursor.at += operator.length;
    while (/[ \t]/.test(text.charAt(this.#cursor.at))) this.#cursor.at += 1;
    if (/^(?:$|[ \t\n;&|()]|[<>](?!\())/.test(text.slice(this.#cursor.at, this.#cursor.at + 2)))
      throw new Unreadable("has a redirection to nowhere");
    const target = readWord(this.#cursor);
    if (operator === "<<" || operator === "<<-") {
      const delimiter = plainText(target);
      if (delimiter === undefined) throw new Unreadable("has a here-document whose end is not known");
      const literal = target.parts.some((part) => part.kind !== "number" && part.quoted);
      this.#pending.push({ delimiter, literal, tabs: operator === "<<-", into: this.#current.redirects });
      return;
    }
    const numbered = (operator === "<&" || operator === ">&") && /^(?:\d+-?|-)$/.test(target.source);
    if (numbered) return;
    const kind = operator === "<<<" ? "text" : operator === "<" || operator === "<&" ? "read" : "write";
    this.#current.redirects.push({ kind, target });
  }

  #body({ delimiter, literal, tabs, into }: Pending): void {
    const lines: string[] = [];
    for (;;) {
      if (this.#cursor.at >= this.#cursor.text.length)
        throw new Unreadable("has a here-document without its end");
      const end = endOfLine(this.#cursor.text, this.#cursor.at);
      const line = this.#cursor.text.slice(this.#cursor.at, end);
      this.#cursor.at = Math.min(end + 1, this.#cursor.text.length);
      if ((tabs ? line.replace(/^\t+/, "") : line) === delimiter) break;
      lines.push(line);
    }
    const text = lines.join("\n");
    const target = literal
      ? { parts: [{ kind: "text" as const, text, quoted: true }], source: "<<", scripts: [] }
      : readBody(new Reader(text, this.#cursor.depth).#cursor);
    into.push({ kind: "text", target });
  }

  #finish(): void {
    const { words, redirects, negated } = this.#current;
    if (words.length > 0 || redirects.length > 0) this.#push({ kind: "simple", words, redirects, negated });
    this.#current = { words: [], redirects: [], negated: false };
  }

  #push(step: Step): void {
    this.#steps.push(step);
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}
