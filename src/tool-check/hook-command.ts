/** The shell command of a client's PreToolUse hook. */

/**
 * A command that runs the tool check and blocks whatever becomes of it: any end but "pass" is exit code 2, because clients let a call pass
 * when a hook is missing, dies or ends with another code.
 * @param run program and arguments that run `cfa`.
 * @param policy absolute path of `policy.json`.
 */
export function hookCommand(run: readonly string[], policy: string): string {
  return `${[...run, "tool-check", "--policy", policy].map(quoted).join(" ")} || exit 2`;
}

/** A word for a POSIX shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
