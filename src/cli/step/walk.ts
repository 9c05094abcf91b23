/**
 * `cfa step` on a terminal: the screen, keys, and the line in which words are typed.
 *
 * K1. The terminal is restored however it ends: quit, signal, error.
 * K2. One write a picture; it is drawn again when the terminal changes its size.
 */
import type { Context, Key } from "../context.ts";
import { Misuse } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { colorsFor, NO_COLORS } from "../view/colors.ts";
import { clip } from "../view/text.ts";
import { COMMAND_HELP, parseCommand } from "./parse-command.ts";
import { screenLines } from "./screen-lines.ts";
import { perform, type Session } from "./session.ts";

const ENTER = "\u001b[?1049h\u001b[?25l";
const LEAVE = "\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H";
const ERASE_LINE = "\u001b[K";
const ERASE_BELOW = "\u001b[J";
const KEYS_LINE = "n next  p previous  g go  b break  c continue  / search  ? help  q quit";

/** What the user sees: a session, and perhaps words being typed or the help. */
export type Walk = {
  readonly session: Session;
  /** Words being typed; undefined when keys are commands. */
  readonly typed: string | undefined;
  readonly help: boolean;
};

/** What a key leads to: the next picture, or the end. */
export type Pressed = Walk | "quit" | "interrupt";

/** What a key does. Pure. */
export function press(walk: Walk, key: Key): Pressed {
  if (key.ctrl && key.name === "c") return "interrupt";
  if (walk.typed !== undefined) return type(walk, walk.typed, key);
  const { session } = walk;
  const done = (text: string): Walk => ({
    session: perform(session, parseCommand(text)),
    typed: undefined,
    help: false,
  });
  switch (key.name) {
    case "right":
    case "down":
    case "space":
      return done("n");
    case "left":
    case "up":
      return done("p");
    case "home":
      return done("g 0");
    case "end":
      return done("g end");
    case "escape":
      return { ...walk, help: false };
    default:
      break;
  }
  switch (key.text) {
    case "q":
      return "quit";
    case "?":
      return { ...walk, help: !walk.help };
    case "n":
    case "p":
    case "c":
    case "C":
      return done(key.text);
    case "g":
    case "b":
    case "d":
      return { session, typed: `${key.text} `, help: false };
    case "/":
      return { session, typed: "/", help: false };
    default:
      return walk;
  }
}

function type({ session }: Walk, typed: string, key: Key): Walk {
  const go = (text: string | undefined): Walk => ({ session, typed: text, help: false });
  if (key.name === "escape") return go(undefined);
  if (key.name === "backspace") return go(typed.length <= 1 ? undefined : typed.replace(/.$/u, ""));
  if (key.name === "return" || key.name === "enter") {
    try {
      return { session: perform(session, parseCommand(typed)), typed: undefined, help: false };
    } catch (error) {
      if (!(error instanceof Misuse)) throw error;
      return { session: { ...session, said: error.message }, typed: undefined, help: false };
    }
  }
  return key.ctrl || key.text.length === 0 || key.text < " " ? go(typed) : go(typed + key.text);
}

/** The lines of a picture, the last one for keys or input. */
export function pictureLines(walk: Walk, width: number, rows: number, colors = NO_COLORS): readonly string[] {
  const last = walk.typed === undefined ? KEYS_LINE : `${walk.typed}█`;
  const lines = walk.help ? helpLines() : screenLines(walk.session, { width, rows: rows - 1, colors });
  return [...lines.slice(0, rows - 1), clip(last, width)];
}

/** The help of keys and commands. */
export function helpLines(): readonly string[] {
  const width = Math.max(...COMMAND_HELP.map(([keys]) => keys.length));
  return COMMAND_HELP.map(([keys, what]) => `  ${keys.padEnd(width)}  ${what}`);
}

/** Walks until the user quits. Returns the exit code. */
export async function walkOnTerminal(context: Context, session: Session): Promise<number> {
  const { stdout, stdin } = context;
  const { keys } = stdin;
  if (keys === undefined) throw new Misuse("cfa step needs a terminal");
  const colors = colorsFor(context, stdout);
  let walk: Walk = { session, typed: undefined, help: false };
  const draw = (): void => {
    const [width, rows] = [Math.max(1, stdout.columns()), Math.max(4, stdout.rows())];
    const lines = pictureLines(walk, width, rows, colors);
    stdout.write(`${HOME}${lines.map((line) => `${line}${ERASE_LINE}`).join("\r\n")}${ERASE_BELOW}`);
  };
  stdout.write(ENTER);
  const ends: (() => void)[] = [];
  try {
    return await new Promise<number>((resolve, reject) => {
      ends.push(
        keys((key) => {
          try {
            const pressed = press(walk, key);
            if (pressed === "quit") return resolve(EXIT.completed);
            if (pressed === "interrupt") return resolve(EXIT.interrupted);
            walk = pressed;
            draw();
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        }),
        context.onSignal("SIGINT", () => resolve(EXIT.interrupted)),
        context.onSignal("SIGTERM", () => resolve(EXIT.terminated)),
        context.onSignal("SIGHUP", () => resolve(EXIT.terminated)),
        context.onSignal("SIGWINCH", draw),
      );
      draw();
    });
  } finally {
    for (const end of ends) end();
    stdout.write(LEAVE);
  }
}
