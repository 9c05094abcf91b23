/** The shell command of a client's PreToolUse hook. */

/**
 * A command that runs the tool check and blocks whatever becomes of it: any end but "pass" is exit code 2, because clients let a call pass
 * when a hook is missing, dies or ends with another code.
 * @param run program and arguments that run `cfa`.
 * @param grant absolute path of `grant.json`.
 */
export function hookCommand(run: readonly string[], grant: string): string {
  return `${[...run, "tool-check", "--grant", grant].map(quoted).join(" ")} || exit 2`;
}

/** A word for a POSIX shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
