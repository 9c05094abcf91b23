/**
 * Mounts a file system in memory below {@link MOUNT}, for everybody in this process who uses `node:fs/promises`: the code of turns
 * and outboxes runs as it is, without a disk and without waiting for one.
 *
 * N1. Paths elsewhere go to the real functions, untouched.
 * N2. One file system is mounted at a time; each run mounts its own.
 */
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { invariant } from "../../src/soup/invariant.ts";
import type { MemoryFiles } from "./memory-files.ts";

/** The directory below which files are in memory. */
export const MOUNT = "/cfa-simulation";

let mounted: MemoryFiles | undefined;

/** Makes `files` the ones below {@link MOUNT} (N2). */
export function mount(files: MemoryFiles): void {
  if (mounted === undefined) replaceFunctions();
  mounted = files;
}

/** Where a call goes: the files in memory, or nothing for the real ones. */
function route(path: unknown): { readonly in: MemoryFiles; readonly path: string } | undefined {
  if (typeof path !== "string" || !path.startsWith(`${MOUNT}/`)) return undefined;
  invariant(mounted !== undefined, "no files are mounted");
  return { in: mounted, path };
}

type Options = { readonly recursive?: boolean; readonly flag?: string };
type Call = (files: MemoryFiles, path: string, ...rest: readonly unknown[]) => unknown;

const optionsOf = (value: unknown): Options => (typeof value === "object" && value !== null ? value : {});

/** What each function does in memory; its first argument is a path there. */
const CALLS: Readonly<Record<string, Call>> = {
  mkdir: (files, path, options) => files.makeDirectory(path, optionsOf(options).recursive === true),
  writeFile: (files, path, data, options) =>
    files.write(path, String(data), optionsOf(options).flag === "wx"),
  appendFile: (files, path, data) => files.append(path, String(data)),
  rename: (files, path, to) => files.rename(path, String(to)),
  link: (files, path, to) => files.link(path, String(to)),
  unlink: (files, path) => files.unlink(path),
  readdir: (files, path) => files.list(path),
  lstat: (files, path) => files.stat(path),
  open: (files, path) => handleOf(files, path),
};

/** A handle for reading. */
function handleOf(files: MemoryFiles, path: string) {
  const data = files.read(path);
  return {
    stat: async () => files.stat(path),
    read: async (buffer: Buffer) => ({ buffer, bytesRead: data.copy(buffer) }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function replaceFunctions(): void {
  const real: Readonly<Record<string, unknown>> = { ...fs };
  const replaced = Object.entries(CALLS).map(([name, call]) => {
    const before = real[name];
    invariant(typeof before === "function", `node:fs/promises has no ${name}`);
    const either = async (path: unknown, ...rest: readonly unknown[]): Promise<unknown> => {
      const place = route(path);
      return place === undefined
        ? Reflect.apply(before, fs, [path, ...rest])
        : call(place.in, place.path, ...rest);
    };
    return [name, either] as const;
  });
  Object.assign(fs, Object.fromEntries(replaced));
  syncBuiltinESMExports();
}
