/**
 * `cfa doctor [FILE]`: what the machine and the repository offer, by trying it, and what the job file exempts from its boundary.
 *
 * D1. Exit 0 when a job as `cfa init` writes it can run here, 1 when not. Nothing is left behind.
 */
import { access } from "node:fs/promises";
import { resolve } from "node:path";
import type { Finding } from "../../engine/doctor/finding.ts";
import { limited } from "../../engine/doctor/finding.ts";
import { examineMachine } from "../../engine/doctor/machine.ts";
import { examineRepository } from "../../engine/doctor/repository.ts";
import { loadJobFile } from "../../job/load.ts";
import { inspectRepository } from "../../runtime/workspaces/repository.ts";
import { type Context, say } from "../context.ts";
import { EXIT } from "../exit-codes.ts";

/** Options of `cfa doctor`. */
export type DoctorOptions = { readonly repo?: string | undefined; readonly json?: boolean | undefined };

/** Examines machine, repository and job file. */
export async function doctorCommand(
  context: Context,
  file: string | undefined,
  { repo, json = false }: DoctorOptions,
): Promise<number> {
  const findings = [
    ...(await examineMachine(context.env["PATH"] ?? "")),
    ...(await repositoryFindings(resolve(context.cwd, repo ?? "."))),
    ...(await exemptions(context, file, repo)),
  ];
  if (json) say(context.stdout, JSON.stringify(findings, null, 2));
  else for (const line of findings.flatMap(linesOf)) say(context.stdout, line);
  return findings.some(({ result }) => result === "missing") ? EXIT.failed : EXIT.completed;
}

async function repositoryFindings(directory: string): Promise<readonly Finding[]> {
  const found = await inspectRepository(directory);
  return "refused" in found ? [limited("repository", found.refused, null)] : examineRepository(found.top);
}

/** What the boundary of each agent lets in besides, and who runs without one. */
async function exemptions(
  context: Context,
  file: string | undefined,
  repo: string | undefined,
): Promise<readonly Finding[]> {
  const named = file ?? "job.yaml";
  const isThere = await access(resolve(context.cwd, named)).then(
    () => true,
    () => false,
  );
  if (file === undefined && !isThere) return [];
  const repository = repo === undefined ? {} : { repository: repo };
  const { definition } = loadJobFile(named, { cwd: context.cwd, ...repository });
  return Object.entries(definition.agents).flatMap(([name, agent]): Finding[] => {
    if (agent.adapter === "script") return [];
    if (agent.sandbox === "advisory")
      return [limited(`agent ${name}`, "sandbox is advisory: it can reach whatever you can", null)];
    return agent.exempt.map(({ tool, path, reason, write }) =>
      limited(`agent ${name}`, `exempt: ${tool} may ${write ? "write" : "read"} ${path} (${reason})`, null),
    );
  });
}

function linesOf({ what, result, detail, advice }: Finding): readonly string[] {
  const line = `${result.padEnd(8)} ${what.padEnd(12)} ${detail}`;
  return advice === null ? [line] : [line, `${" ".repeat(22)}→ ${advice}`];
}
