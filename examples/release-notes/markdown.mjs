/** Text from commits as harmless Markdown on one line, and blocks of JSON inside Markdown. */

const LONGEST = 300;

/**
 * Escapes text from outside: what Markdown or HTML would read as markup shows as it is, control and direction
 * characters go, and a text that never ends is cut.
 */
export function escapeMarkdown(text) {
  const plain = text
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  const points = [...plain];
  const short = points.length > LONGEST ? `${points.slice(0, LONGEST).join("")}…` : plain;
  return short.replace(/[\\`*_[\]<>|~&$]/g, "\\$&") || "(no subject)";
}

/** A fenced block of JSON: people read the prose around it, the next state reads the block. */
export const jsonBlock = (value) => `\`\`\`json\n${JSON.stringify(value, null, 1)}\n\`\`\`\n`;

/** The last block of JSON in a document; undefined when there is none that can be read. */
export function readJsonBlock(document) {
  const last = [...document.matchAll(/^```json\n([\s\S]*?)^```$/gm)].at(-1);
  if (last === undefined) return undefined;
  try {
    return JSON.parse(last[1]);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
