/**
 * instructions.md: the message of a turn as the task of a file-based agent, with every section of the protocol (docs/files.md). Pure.
 *
 * I1. What the message says under a heading of the protocol is kept word for word. Where it says nothing, the section is filled.
 * I2. Context, inputs, constraints and output expectations always hold what cfa knows, below the words of the message.
 */
import {
  ERROR_REPORT_FILE,
  INBOX_FOLDER,
  OPTIONAL_FILES,
  OUTBOX_FOLDER,
  PARTIAL_FOLDER,
  SKILL_FILE,
  STATUS_FILE,
  SUMMARY_FILE,
  WORKSPACE_FOLDER,
} from "./layout.ts";
import { type Section, type Sectioned, SECTIONS, sectioned } from "./sections.ts";

/** Something that the agent is given, as its instructions name it. */
export type Input = {
  /** Path in the home, or absolute where it was not copied. */
  readonly path: string;
  /** What it is: a phrase without a full stop. */
  readonly about: string;
};

/** What the instructions are made of. */
export type Instructed = {
  /** The message's own words. */
  readonly body: string;
  /** What stands above them: who sends it. */
  readonly from: string;
  /** What stands below them: what else there is to know. */
  readonly remarks: string;
  readonly agent: string;
  readonly job: string;
  readonly state: string;
  readonly thread: string;
  readonly turn: number;
  /** Name of the skill that SKILL.md holds; null where there is none. */
  readonly skill: string | null;
  /** Absolute path of the git worktree. */
  readonly worktree: string;
  readonly inputs: readonly Input[];
  /** Files that the outbox must hold beside the summary, as paths in the outbox. */
  readonly required: readonly string[];
  /** Where files of the outbox go in the worktree. */
  readonly collect: Readonly<Record<string, string>>;
  /** Longest time of the turn, milliseconds. */
  readonly timeout: number;
};

const TASK_CHARS = 80;

/** The text of instructions.md. */
export function instructionsText(given: Instructed): string {
  const message = sectioned(given.body);
  const filled = fill(given, message);
  const parts = SECTIONS.map((name) => `## ${name}\n\n${filled[name]}`);
  return `# Task: ${taskOf(message)}\n\n${parts.join("\n\n")}\n`;
}

function fill(given: Instructed, message: Sectioned): Readonly<Record<Section, string>> {
  const own = (name: Section): string => message.sections.get(name) ?? "";
  const hasObjective = own("Objective") !== "";
  const preamble = message.preamble;
  return {
    Objective: own("Objective") || preamble || taskOf(message),
    Context: paragraphs(given.from, hasObjective ? preamble : "", own("Context"), contextOf(given)),
    "Inputs Provided": paragraphs(own("Inputs Provided"), inputsOf(given)),
    Requirements: own("Requirements") || requirementsOf(given),
    "Success Criteria": own("Success Criteria") || criteriaOf(given),
    Constraints: paragraphs(own("Constraints"), constraintsOf(given)),
    "Output Expectations": paragraphs(own("Output Expectations"), expectationsOf(given)),
  };
}

/** The name of the task: its heading, else the first line of what is wanted. */
function taskOf({ task, preamble, sections }: Sectioned): string {
  const words = task ?? (sections.get("Objective") || preamble || [...sections.values()].join("\n"));
  const line = words.split("\n").find((one) => one.trim() !== "") ?? "(no words)";
  const name = line.trim().replace(/^#+\s*/, "");
  return name.length > TASK_CHARS ? `${name.slice(0, TASK_CHARS - 1).trimEnd()}…` : name;
}

function contextOf({ agent, job, state, thread, turn, worktree, remarks }: Instructed): string {
  const who = `You are \`${agent}\` in the job \`${job}\`, state ${state}: turn ${turn} of the conversation \`${thread}\`.`;
  const where = `The git worktree of the conversation is \`${worktree}\` (\`$CFA_WORKTREE\`).`;
  return paragraphs(remarks, `${who} ${where}`);
}

function inputsOf({ inputs }: Instructed): string {
  if (inputs.length === 0) return "Nothing beside these instructions.";
  return inputs.map(({ path, about }) => `- \`${path}\` - ${about}`).join("\n");
}

function requirementsOf({ skill }: Instructed): string {
  const asked = "Do what the objective asks for, and nothing beyond it.";
  const way = skill === null ? [] : [`Work by ${SKILL_FILE} (${skill}).`];
  return numbered([asked, ...way, "Say in the summary what you assumed."]);
}

function criteriaOf({ required }: Instructed): string {
  const files = required.map((path) => `\`${OUTBOX_FOLDER}/${path}\` holds what the objective asks for`);
  const main = files.length === 0 ? [`\`${OUTBOX_FOLDER}/\` holds what the objective asks for`] : files;
  return [...main, `\`${OUTBOX_FOLDER}/${SUMMARY_FILE}\` says briefly what was done`]
    .map((one) => `- [ ] ${one}`)
    .join("\n");
}

function constraintsOf({ timeout }: Instructed): string {
  return [
    `- The turn lasts at most ${timeout / 1000} s.`,
    `- \`${SKILL_FILE}\` and \`${INBOX_FOLDER}/\` are read-only; \`${WORKSPACE_FOLDER}/\` is yours, and nothing is collected from it.`,
    `- \`${STATUS_FILE}\`: set "state" to "running" with "started" when you begin, to "completed" or "failed" (and "started" still there) when you are done; keep "progress" up to date meanwhile.`,
  ].join("\n");
}

function expectationsOf({ required, collect }: Instructed): string {
  const deliverables = required.map((path) => {
    const to = collect[path];
    const goes = to === undefined ? "" : `; it is copied to \`${to}\` of the worktree`;
    return `- Place \`${OUTBOX_FOLDER}/${path}\`: required${goes}`;
  });
  const main =
    deliverables.length === 0 ? [`- Place the main deliverable in \`${OUTBOX_FOLDER}/\``] : deliverables;
  return [
    ...main,
    `- Include a summary in \`${OUTBOX_FOLDER}/${SUMMARY_FILE}\`: it is your reply`,
    `- Optional: ${OPTIONAL_FILES.map((name) => `\`${OUTBOX_FOLDER}/${name}\``).join(", ")}`,
    `- If you fail: "error" in \`${STATUS_FILE}\` with "type", "message", "details" and "recoverable", a report in \`${OUTBOX_FOLDER}/${ERROR_REPORT_FILE}\`, and what you have in \`${OUTBOX_FOLDER}/${PARTIAL_FOLDER}/\``,
  ].join("\n");
}

function numbered(lines: readonly string[]): string {
  return lines.map((line, index) => `${index + 1}. ${line}`).join("\n");
}

function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== "").join("\n\n");
}
