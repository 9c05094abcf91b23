/**
 * What every program sees of the system: programs, libraries, and the parts of /etc without which they do not start, look up
 * no name and trust no certificate.
 *
 * Y1. Everything here is read-only, and nothing here is anybody's data: no home, no /var, no /opt, no /run, no /root; of certificates
 *     never the folder of private keys beside them, which root inside could read.
 * Y2. A name that is a link on this machine (`/bin` → `usr/bin`) is the same link inside.
 * Y3. Of /proc only the turn's own processes are as they are. Whatever else there can be written or is a folder is made read-only: root
 *     without any capability still owns /proc/sys, and could have a program started by the kernel. What others may not read is hidden.
 */
import { lstat, readdir, readlink } from "node:fs/promises";
import { isErrno } from "../../soup/errno.ts";
import { type Mount, seen } from "./port.ts";

/** Folders that a system has at its root. */
const FOLDERS = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"];

const ETC = [
  "alternatives",
  "ca-certificates",
  "gai.conf",
  "group",
  "host.conf",
  "hosts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "locale.alias",
  "localtime",
  "mime.types",
  "nsswitch.conf",
  "passwd",
  "pki/ca-trust",
  "pki/tls/cert.pem",
  "pki/tls/certs",
  "pki/tls/openssl.cnf",
  "protocols",
  "resolv.conf",
  "services",
  "ssl/cert.pem",
  "ssl/certs",
  "ssl/openssl.cnf",
  "timezone",
];

/** The mounts of this machine (Y1). */
export async function systemMounts(): Promise<readonly Mount[]> {
  const found = await Promise.all([...FOLDERS, ...ETC.map((name) => `/etc/${name}`)].map(mountOf));
  return found.filter((mount) => mount !== undefined);
}

/** What has to cover the parts of /proc that are the machine's (Y3). */
export async function procMounts(): Promise<readonly Mount[]> {
  const paths = (await readdir("/proc")).filter((name) => !/^\d+$/.test(name)).map((name) => `/proc/${name}`);
  const found = await Promise.all(
    paths.map(async (path): Promise<Mount | undefined> => {
      const stat = await lstat(path);
      if (stat.isSymbolicLink()) return undefined;
      if (stat.isDirectory() || (stat.mode & 0o222) !== 0) return seen(path);
      const isSecret = (stat.mode & 0o004) === 0;
      return isSecret ? { kind: "bind", from: "/dev/null", at: path, write: false } : undefined;
    }),
  );
  return found.filter((mount) => mount !== undefined);
}

/** True for a path that is seen from inside without being listed. */
export function isOfSystem(path: string): boolean {
  return FOLDERS.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

async function mountOf(path: string): Promise<Mount | undefined> {
  try {
    const stat = await lstat(path);
    // A link in /etc may lead to /run, which is not there: its target is bound in its place.
    const isLink = stat.isSymbolicLink() && FOLDERS.includes(path);
    return isLink ? { kind: "link", to: await readlink(path), at: path } : seen(path);
  } catch (error) {
    if (isErrno(error, "ENOENT", "EACCES")) return undefined;
    throw error;
  }
}
