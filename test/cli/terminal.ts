/** A real terminal (tmux) in which `cfa` runs, for the tests that press keys and read the screen. */
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach } from "vitest";
import { directory, MAIN } from "./fixture.ts";

/** How long `expect.poll` looks at a screen; a machine under load is slow. */
export const POLLING = { timeout: 90_000, interval: 100 };

let socket: string;
beforeEach(() => {
  socket = `cfa-${randomUUID()}`;
});
afterEach(async () => {
  await execa("tmux", ["-L", socket, "kill-server"], { reject: false });
});

/** Runs a tmux command on the server of this test. */
export async function tmux(...words: readonly string[]): Promise<string> {
  return (await execa("tmux", ["-L", socket, "-f", "/dev/null", ...words])).stdout;
}

/** Opens the terminal with a command in it. */
export async function openTerminal(cwd: string, command: string, width = 100, height = 24): Promise<void> {
  const size = ["-x", String(width), "-y", String(height)];
  await tmux("new-session", "-d", "-s", "main", ...size, "-c", cwd, command);
}

/** Runs `cfa` in a terminal that stays and says the exit code; `env` is put before the command. */
export async function cfaInTerminal(
  cwd: string,
  words: string,
  {
    env = "",
    width,
    height,
  }: { readonly env?: string; readonly width?: number; readonly height?: number } = {},
): Promise<void> {
  const script = join(directory(), "run.sh");
  const main = `${env} '${process.execPath}' '${MAIN}' ${words}`;
  writeFileSync(script, `trap : INT\n${main}; echo "exit code $?"; exec sleep 600\n`);
  await openTerminal(cwd, `sh ${script}`, width, height);
}

/** What the terminal shows, history included, without blank lines. */
export async function screen(): Promise<string[]> {
  return (await tmux("capture-pane", "-p", "-J", "-S", "-200", "-t", "main"))
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
}

/** What it shows as one text. */
export async function shown(): Promise<string> {
  return (await screen()).join("\n");
}

/** Presses keys, as tmux names them (`Enter`, `C-c`, `F5`); other words are typed. */
export async function press(...keys: readonly string[]): Promise<void> {
  await tmux("send-keys", "-t", "main", ...keys);
}

/** Pastes a text as a terminal does. */
export async function paste(text: string): Promise<void> {
  await tmux("set-buffer", "--", text);
  await tmux("paste-buffer", "-p", "-t", "main");
}
