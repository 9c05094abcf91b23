/**
 * What an agent is told beside its message, in the first turn of a dispatch (docs/skills.md, "Prompts").
 *
 * I1. The order is skill, tools, status protocol; the status protocol is the last of the whole prompt (A2O §4.1).
 * I2. A continuation has none of it: the agent has read it.
 * I3. The text of the status protocol is fixed: nothing of a message or of the repository goes into it (A2O §4.2).
 */
import type { Skill } from "./skills.ts";

/** How an agent tells cfa that it needs a person (I3). */
export const STATUS_PROTOCOL = `If you find that you cannot go on without help from a person, or if your work is done and a person should look at it
before anything else happens, say so by running:

    mkdir -p .sortie && echo "blocked" > .sortie/status

Write "blocked" when you cannot go on, "needs-human-review" when the work is done and awaits review. Do not write this
file while work goes on normally.`;

/** What the instructions depend on. */
export type Instructed = {
  /** The skill whose text is told; undefined where cfa ships none. */
  readonly skill: Skill | undefined;
  readonly lead: boolean;
  readonly outcomes: readonly string[];
  readonly roster: readonly string[];
  /** Tools of the role beside cfa's own. */
  readonly tools: readonly { readonly name: string; readonly description: string }[];
};

/** The instructions of a first turn (I1). */
export function instructionsOf(instructed: Instructed): string {
  const { skill } = instructed;
  const parts = [toolsText(instructed), STATUS_PROTOCOL];
  return (skill === undefined ? parts : [skill.text, ...parts]).join("\n\n");
}

function toolsText({ lead, outcomes, roster, tools }: Instructed): string {
  const lines = [
    "You talk back to cfa with the tools of the MCP server cfa, or with the same verbs on the command line. Calls take effect when your turn has ended; replies and answers are your next message.",
    ...(roster.length === 0
      ? []
      : [
          `- send (cfa send --to AGENT MESSAGE): opens a conversation with an agent of your team: ${roster.join(", ")}`,
          "- close_conversation (cfa close ID): ends one that you opened, and merges its work",
        ]),
    ...(lead
      ? []
      : ["- send to parent (cfa send --to parent MESSAGE): a reply; without one your final text is it"]),
    "- ask_question (cfa ask QUESTION): asks the human",
    "- list_team, job_status: whom you may send to, where you stand",
    ...(lead
      ? [`- outcome (cfa outcome NAME --reason TEXT): ends the state, NAME one of ${outcomes.join(", ")}`]
      : []),
    ...tools.map(({ name, description }) => `- ${name}: ${description}`),
  ];
  return lines.join("\n");
}
