/** Text files that a job names, read without trusting them: bounded, regular, UTF-8. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** Reads a regular file of UTF-8 text; `problem` continues the file's name. Never blocks on a pipe or a device. */
export function readText(
  file: string,
  limit: number,
): { readonly text: string } | { readonly problem: string } {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return { problem: whyUnreadable(error) };
  }
  try {
    const stat = fstatSync(descriptor);
    if (stat.isDirectory()) return { problem: "is a folder, not a file" };
    if (!stat.isFile()) return { problem: "is not a regular file" };
    if (stat.size > limit) return { problem: `is larger than ${limit / 1024} KiB` };
    return decode(readFileSync(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

function decode(bytes: Uint8Array): { readonly text: string } | { readonly problem: string } {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { problem: "is not UTF-8 text" }; // The only failure of a fatal decoder.
  }
}

function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  if (code === "ENOENT" || code === "ENOTDIR") return "does not exist";
  return code === "EACCES" ? "may not be read by you" : `cannot be read (${code})`;
}
