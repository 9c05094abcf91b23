/** A disk of a few megabytes for tests that fill it: a tmpfs, where this machine lets them mount one. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { execa, execaSync } from "execa";
import { directory } from "./fixture.ts";

/** Why no small disk can be made here; undefined when one can. */
export const noDisk: string | undefined = whyNot();

function whyNot(): string | undefined {
  // unshare leaves nothing mounted behind.
  const tried = execaSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { reject: false });
  return tried.exitCode === 0
    ? undefined
    : `mounting is not permitted here: ${tried.stderr || tried.message}`;
}

/** Mounts `size` (as mount(8) takes it) at `path`, which is made; the result unmounts it. */
export async function mountDisk(path: string, size: string): Promise<() => Promise<void>> {
  mkdirSync(path, { recursive: true });
  await execa("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path]);
  return async () => void (await execa("umount", ["--lazy", path]));
}

/** Fills a mounted disk to its last byte; the result makes room again. */
export async function fillDisk(path: string): Promise<() => void> {
  const filler = join(path, "filler");
  await execa("sh", ["-c", `cat /dev/zero >${filler}`], { reject: false });
  return () => rmSync(filler, { force: true });
}

/** Where to mount: a directory that goes when the test ends. */
export const mountPoint = (): string => join(directory(), "disk");
