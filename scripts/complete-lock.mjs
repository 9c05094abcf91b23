/**
 * Adds to package-lock.json the platform packages that an incomplete registry mirror has left out, so that `npm ci`
 * finds every optional dependency of its packages named. Run it after each `npm install` that changes the lock file.
 */
import { readFileSync, writeFileSync } from "node:fs";

const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
const known = (path, name) =>
  lock.packages[`node_modules/${name}`] ?? lock.packages[`${path}/node_modules/${name}`];
let added = 0;
for (const [path, { optionalDependencies = {} }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (known(path, name) !== undefined) continue;
    // `@scope/binding-linux-x64-musl`: system, processor and C library are the last parts of the name.
    const [system, processor, library] = name.split("/").at(-1).replace(/^binding-/u, "").split("-"); // prettier-ignore
    const libc = { musl: ["musl"], gnu: ["glibc"] }[library];
    const entry = { version, cpu: [processor], dev: true, license: "MIT", optional: true, os: [system] };
    lock.packages[`node_modules/${name}`] =
      libc === undefined || system !== "linux" ? entry : { ...entry, libc };
    added++;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} platform packages added`);
