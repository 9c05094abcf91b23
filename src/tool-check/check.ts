/**
 * The tool check: whether an agent may make a tool call, decided before it is made (CfA §10; docs/tool-check.md).
 *
 * K1. It says allow only when the tool is the role's and everything that the call would use is within its bounds.
 * K2. What cannot be judged is refused. A refusal is one sentence: what, why, and what to do.
 * K3. It reads names and links of the file system and changes nothing. It is the second layer: what a program does by itself is
 *     the boundary's.
 */
import { matchFiles } from "./match-files.ts";
import { allowedCommands, allowsTool, type ToolGrant } from "./grant.ts";
import { isWithin, type Looked, resolvePath } from "./resolve-path.ts";
import type { ToolCall } from "./hook-input.ts";
import { type Environment, usesOfCall } from "./uses-of-call.ts";
import type { PathUse, Use } from "./uses.ts";

/** What the check decides. */
export type Verdict = { readonly allow: true } | { readonly allow: false; readonly sentence: string };

/** What holds for a call. */
export type CheckOptions = {
  readonly grant: ToolGrant;
  /** Absolute path of the turn's working directory. */
  readonly workspace: string;
  /** Environment of the client, for the variables in commands. */
  readonly env: Environment;
};

/** Parts of the system that any agent may read: programs and what they are linked with. */
export const SYSTEM_ROOTS: readonly string[] = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
];
/** Devices that hold nothing. */
const DEVICES = new Set(
  ["null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "tty"].map(
    (name) => `/dev/${name}`,
  ),
);

/** Decides on a call. Rejects only for faults of the machine, which count as a refusal. */
export async function checkTool(call: ToolCall, options: CheckOptions): Promise<Verdict> {
  const { grant, env } = options;
  if (!allowsTool(grant, call.tool))
    return refuse(`${call.tool} is not a tool of ${grant.agent}: ${toolsHint(grant)}`);
  const bounds = await boundsOf(options);
  if ("problem" in bounds) return refuse(bounds.problem);
  const commands = allowedCommands(grant, call.tool);
  const done = new Set<string>();
  for (const use of usesOfCall(call, env)) {
    const same = JSON.stringify(use);
    if (done.has(same)) continue;
    done.add(same);
    const flaw = await flawOf(use, bounds, grant, commands);
    if (flaw !== undefined) return refuse(`${call.tool}: ${flaw}`);
  }
  return { allow: true };
}

type Bounds = {
  readonly workspace: string;
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly looked: Looked;
};

/** The roots as they really are: a workspace may itself be reached through a link. */
async function boundsOf({ grant, workspace }: CheckOptions): Promise<Bounds | { readonly problem: string }> {
  const own = workspace.startsWith("/") ? await resolvePath(workspace) : { problem: "is no absolute path" };
  if ("problem" in own || !own.exists || own.path === "/")
    return { problem: `the workspace ${workspace} is not there: nothing can be checked against it` };
  const real = async (paths: readonly string[]) => {
    const found = await Promise.all(paths.map((path) => resolvePath(path)));
    return found.flatMap((one) => ("path" in one ? [one.path] : []));
  };
  const write = [own.path, ...(await real(grant.write))];
  return {
    workspace: own.path,
    write,
    looked: new Map(),
    read: [...write, ...(await real([...SYSTEM_ROOTS, ...grant.read]))],
  };
}

async function flawOf(
  use: Use,
  bounds: Bounds,
  grant: ToolGrant,
  commands: ReadonlySet<string> | null,
): Promise<string | undefined> {
  switch (use.kind) {
    case "unclear":
      return use.sentence;
    case "command":
      return commands === null || commands.has(use.name)
        ? undefined
        : `${use.name} is not among the programs that you may call: ${[...commands].join(", ")}`;
    case "network":
      return grant.network === "full"
        ? undefined
        : `${use.what} needs the network, which your role does not have (network: ${grant.network})`;
    case "url":
      return flawOfUrl(use.url, bounds, grant);
    case "path":
      return flawOfPath(use, bounds);
  }
}

async function flawOfPath(use: PathUse, bounds: Bounds): Promise<string | undefined> {
  const places = use.path.startsWith("/")
    ? [use.path]
    : use.bases.map((base) => (use.pattern ? escaped(base) : base) + "/" + use.path);
  for (const place of places) {
    const paths = use.pattern ? await matchFiles(place) : [place];
    if ("problem" in paths) return `${use.written} ${paths.problem}: name the files`;
    const fixed = use.pattern ? [fixedPart(place)] : [];
    for (const path of [...fixed, ...paths]) {
      const flaw = await flawOfPlace(path, use, bounds);
      if (flaw !== undefined) return flaw;
    }
  }
  return undefined;
}

async function flawOfPlace(path: string, use: PathUse, bounds: Bounds): Promise<string | undefined> {
  if (DEVICES.has(path)) return undefined;
  const found = await resolvePath(path, bounds.looked);
  const named = `${use.written}${path === use.written ? "" : ` (${path})`}`;
  if ("problem" in found) return `${named} ${found.problem}: name a file of your workspace`;
  const roots = use.access === "write" ? bounds.write : bounds.read;
  if (roots.some((root) => isWithin(found.path, root))) {
    const top = isWithin(found.path, bounds.workspace)
      ? found.path.slice(bounds.workspace.length + 1).split("/")[0]
      : undefined;
    return use.access === "write" && top === ".git" ? `${named} belongs to git: use git itself` : undefined;
  }
  const topLevel = found.path.lastIndexOf("/") === 0;
  if (use.doubtful && !found.exists && (topLevel || !found.folderExists)) return undefined;
  const leads = found.path === path ? "lies" : `leads to ${found.path},`;
  const can =
    use.access === "write" && bounds.read.some((root) => isWithin(found.path, root))
      ? "which may only be read"
      : "outside your workspace";
  return `${named} ${leads} ${can}: work within ${bounds.workspace}`;
}

async function flawOfUrl(url: string, bounds: Bounds, { network }: ToolGrant): Promise<string | undefined> {
  if (!URL.canParse(url)) return `${url} is no address: write it in full`;
  const { protocol, hostname, pathname } = new URL(url);
  if (protocol === "file:") {
    if (/%(?![0-9a-f]{2})/i.test(pathname) || hostname !== "") return `${url} is no file of this machine`;
    return flawOfPath(
      {
        kind: "path",
        written: url,
        path: decoded(pathname),
        bases: [],
        access: "read",
        pattern: false,
        doubtful: false,
      },
      bounds,
    );
  }
  if (protocol !== "http:" && protocol !== "https:")
    return `${url} is no address of the web: use http or https`;
  const loopback = hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
  if (network === "full" || (network === "loopback" && loopback)) return undefined;
  return `${url} needs the network, which your role does not have (network: ${network})`;
}

/** A path as a client reads it that decodes it; one that is not UTF-8 names nothing. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return "/";
  }
}

/** The components of a pattern before the first wildcard. */
function fixedPart(pattern: string): string {
  const components = pattern.split("/");
  const wild = components.findIndex((component) => /[*?[]/.test(component.replaceAll(/\\[^]/g, "")));
  return (
    components
      .slice(0, wild)
      .join("/")
      .replaceAll(/\\([^])/g, "$1") || "/"
  );
}

function escaped(base: string): string {
  return base.replaceAll(/[*?[\]\\]/g, "\\$&");
}

function toolsHint({ tools }: ToolGrant): string {
  return tools === null
    ? "list it in the tools of the role to allow it"
    : `use one of ${tools.join(", ") || "none"}`;
}

function refuse(sentence: string): Verdict {
  return { allow: false, sentence };
}
