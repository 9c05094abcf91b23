/** A workspace among things that are none of its agent's business. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolGrant } from "../../src/tool-check/grant.ts";

/** Folders of a site, absolute. */
export type Site = {
  readonly top: string;
  readonly work: string;
  readonly role: string;
  readonly remove: () => void;
};

/** Makes one: `work` is the workspace, `role` may be read, `secret.txt` and `sibling` are outside. */
export function makeSite(): Site {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "cfa-tool-")));
  const work = join(top, "work");
  for (const folder of ["work/src/deep", "work/.hidden", "sibling", "role/scripts", "home", "workbench"])
    mkdirSync(join(top, folder), { recursive: true });
  const inside = ["a.txt", "b.txt", "src/x.ts", "src/deep/y.ts", "with space.txt", "[odd].txt", ".git"];
  const around = ["secret.txt", "sibling/s.txt", "role/SYSTEM.md", "home/key", "workbench/w.txt"];
  for (const file of inside.map((name) => `work/${name}`).concat(around))
    writeFileSync(join(top, file), `${file}\n`);
  const links = [
    ["out", "../secret.txt"],
    ["out-folder", ".."],
    ["absolute", join(top, "secret.txt")],
    ["chain", "out"],
    ["in", "src"],
    ["deep-in", "src/deep"],
    ["dangling", "../nothing-there"],
    ["circle", "circle"],
    ["proc", "/proc/self/cwd"],
    ["src/up", "../.."],
  ] as const;
  for (const [name, target] of links) symlinkSync(target, join(work, name));
  symlinkSync("work", join(top, "way-in"));
  return {
    top,
    work,
    role: join(top, "role"),
    remove: () => rmSync(top, { recursive: true, force: true }),
  };
}

/** The grant of an agent of the site that may use any known tool. */
export function grantOf(site: Site, more: Partial<ToolGrant> = {}): ToolGrant {
  return {
    version: 1,
    agent: "writer",
    tools: null,
    servers: [],
    scripts: [],
    read: [site.role],
    write: [],
    network: "none",
    ...more,
  };
}
