/** How long the running turn of an agent may be silent (docs/job.md, `limits.stall`). */

/** What an agent, its role and its job say of it, milliseconds; null is nothing said. */
type Limits = { readonly stall: number | null };
type Agent = { readonly adapter: string; readonly role?: { readonly limits: Limits } | undefined };

/** For a file-based agent of which nothing is said: it tells of its progress in status.json, so long silence means something. */
const FILES_STALL_MILLIS = 5 * 60_000;

/** Longest silence of a turn of this agent, milliseconds; null is no limit. Its role goes before the job. */
export function stallLimitOf(agent: Agent | undefined, limits: Limits): number | null {
  return (
    agent?.role?.limits.stall ?? limits.stall ?? (agent?.adapter === "files" ? FILES_STALL_MILLIS : null)
  );
}
