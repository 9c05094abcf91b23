/**
 * A file system in memory, as much of it as the runtime uses in outboxes and trees: regular files and directories, no links.
 *
 * M1. Every operation is one step: it is done when it returns, or fails with the code that the system would give.
 */

type Node = { readonly kind: "directory" } | { readonly kind: "file"; readonly data: Buffer };

/** What `lstat` tells. */
export type MemoryStats = { isFile(): boolean; isDirectory(): boolean; readonly size: number };

class FileError extends Error {
  readonly code: string;

  constructor(code: string, path: string) {
    super(`${code}: ${path}`);
    this.code = code;
  }
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));

/** See the header. Paths are absolute and in normal form. */
export class MemoryFiles {
  readonly #nodes = new Map<string, Node>();

  makeDirectory(path: string, recursive: boolean): void {
    const present = this.#nodes.get(path);
    if (present !== undefined && !(recursive && present.kind === "directory"))
      throw new FileError("EEXIST", path);
    if (present !== undefined) return;
    if (recursive && path.lastIndexOf("/") > 0) this.makeDirectory(parentOf(path), true);
    if (!recursive) this.#requireDirectory(parentOf(path));
    this.#nodes.set(path, { kind: "directory" });
  }

  write(path: string, data: string | Buffer, exclusive: boolean): void {
    this.#requireDirectory(parentOf(path));
    if (exclusive && this.#nodes.has(path)) throw new FileError("EEXIST", path);
    if (this.#nodes.get(path)?.kind === "directory") throw new FileError("EISDIR", path);
    this.#nodes.set(path, { kind: "file", data: Buffer.from(data) });
  }

  append(path: string, data: string): void {
    const node = this.#nodes.get(path);
    const before = node?.kind === "file" ? node.data : Buffer.alloc(0);
    this.write(path, Buffer.concat([before, Buffer.from(data)]), false);
  }

  /** The bytes of a file. */
  read(path: string): Buffer {
    const node = this.#require(path);
    if (node.kind === "directory") throw new FileError("EISDIR", path);
    return node.data;
  }

  link(from: string, to: string): void {
    this.write(to, this.read(from), true);
  }

  unlink(path: string): void {
    if (this.#require(path).kind === "directory") throw new FileError("EISDIR", path);
    this.#nodes.delete(path);
  }

  rename(from: string, to: string): void {
    const node = this.#require(from);
    this.#requireDirectory(parentOf(to));
    if (node.kind === "directory" && this.#nodes.has(to)) throw new FileError("ENOTEMPTY", to);
    for (const [path, one] of this.#nodes) {
      if (path !== from && !path.startsWith(`${from}/`)) continue;
      this.#nodes.delete(path);
      this.#nodes.set(`${to}${path.slice(from.length)}`, one);
    }
  }

  list(path: string): string[] {
    if (this.#require(path).kind === "file") throw new FileError("ENOTDIR", path);
    return [...this.#nodes.keys()]
      .filter((one) => parentOf(one) === path)
      .map((one) => one.slice(path.length + 1))
      .sort();
  }

  stat(path: string): MemoryStats {
    const node = this.#require(path);
    return {
      isFile: () => node.kind === "file",
      isDirectory: () => node.kind === "directory",
      size: node.kind === "file" ? node.data.length : 0,
    };
  }

  /** Removes a file, or a directory with all in it; nothing there is no error. */
  remove(path: string): void {
    for (const one of this.#nodes.keys())
      if (one === path || one.startsWith(`${path}/`)) this.#nodes.delete(one);
  }

  #require(path: string): Node {
    const node = this.#nodes.get(path);
    if (node !== undefined) return node;
    throw new FileError(this.#nodes.get(parentOf(path))?.kind === "file" ? "ENOTDIR" : "ENOENT", path);
  }

  #requireDirectory(path: string): void {
    if (path !== "" && this.#require(path).kind === "file") throw new FileError("ENOTDIR", path);
  }
}
