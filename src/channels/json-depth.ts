/** How deep a text of JSON is nested, told before it is parsed: whoever walks what is too deep runs out of stack. Pure. */

/**
 * Whether brackets stand in each other deeper than this; those in texts do not count. One pass, whatever the text holds: it need not be JSON.
 * @param levels deepest nesting that is allowed.
 */
export function isDeeperThan(levels: number, text: string): boolean {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) at += character === "\\" ? 1 : 0;
    else if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth -= 1;
    if (depth > levels) return true;
  }
  return false;
}
