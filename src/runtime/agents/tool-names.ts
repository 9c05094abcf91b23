/** Names of tools: those of cfa, and what a role may call its own. */

/** The tools of cfa itself (docs/mcp.md); no tool of a role may have such a name. */
export const OWN_TOOLS = [
  "send",
  "ask_question",
  "close_conversation",
  "list_team",
  "job_status",
  "outcome",
  "respond",
] as const;

/** One of {@link OWN_TOOLS}. */
export type OwnToolName = (typeof OWN_TOOLS)[number];

/** What model clients take for the name of a tool. */
export const TOOL_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,47}$/;
