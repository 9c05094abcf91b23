/**
 * The tools of the real clients, and what in their input names files: Claude Code and Codex (docs/tool-check.md).
 *
 * T1. A key of a tool's input is a path, a shell command, a patch, an address, or text that names nothing (`free`).
 * T2. A key that the table does not know is looked through like the input of an MCP tool.
 */

/** What a tool does to a file. */
export type Access = "read" | "write";

/** What the input of a tool holds. */
export type ToolShape = {
  /** Keys that hold a path, with what is done to it. */
  readonly paths?: Readonly<Record<string, Access>>;
  /** Keys that hold a pattern for file names, relative to the first of `paths` or the working directory. */
  readonly patterns?: readonly string[];
  /** Key with a shell command: a text, or a list of words. */
  readonly command?: string;
  /** Key with a patch in the form of `apply_patch`. */
  readonly patch?: string;
  /** Key with an address. */
  readonly url?: string;
  /** It reaches the network by itself. */
  readonly network?: true;
  /** Without a path it works on the working directory. */
  readonly here?: true;
  /** Keys whose text names no file. */
  readonly free?: readonly string[];
};

const SHELL_TEXT = ["description", "timeout", "justification", "login", "tty", "run_in_background"];

/** Shapes by the name of the tool. */
export const TOOLS: ReadonlyMap<string, ToolShape> = new Map<string, ToolShape>([
  // Claude Code
  ["Read", { paths: { file_path: "read" }, free: ["pages"] }],
  ["Write", { paths: { file_path: "write" }, free: ["content"] }],
  ["Edit", { paths: { file_path: "write" }, free: ["old_string", "new_string"] }],
  ["MultiEdit", { paths: { file_path: "write" }, free: ["edits"] }],
  ["NotebookRead", { paths: { notebook_path: "read" }, free: ["cell_id"] }],
  ["NotebookEdit", { paths: { notebook_path: "write" }, free: ["new_source", "cell_id"] }],
  ["Glob", { paths: { path: "read" }, patterns: ["pattern"], here: true }],
  ["Grep", { paths: { path: "read" }, patterns: ["glob"], here: true, free: ["pattern", "type"] }],
  ["LS", { paths: { path: "read" }, free: ["ignore"] }],
  ["Bash", { command: "command", free: SHELL_TEXT }],
  ["BashOutput", { free: ["bash_id", "filter"] }],
  ["KillShell", { free: ["shell_id"] }],
  ["KillBash", { free: ["shell_id"] }],
  ["TaskOutput", { free: ["task_id"] }],
  ["TaskStop", { free: ["task_id"] }],
  ["WebFetch", { url: "url", free: ["prompt"] }],
  ["WebSearch", { network: true, free: ["query", "allowed_domains", "blocked_domains"] }],
  ["Task", { free: ["description", "prompt", "subagent_type", "model"] }],
  ["Agent", { free: ["description", "prompt", "subagent_type", "model"] }],
  ["Skill", { free: ["skill", "command"] }],
  ["TodoWrite", { free: ["todos"] }],
  ["ExitPlanMode", { free: ["plan"] }],
  ["ToolSearch", { free: ["query"] }],
  ["ListMcpResourcesTool", { free: ["server"] }],
  // Codex: its hooks call the shell Bash; these are the names of its own protocol.
  ["shell", { command: "command", paths: { workdir: "read" }, here: true, free: SHELL_TEXT }],
  ["local_shell", { command: "command", paths: { workdir: "read" }, here: true, free: SHELL_TEXT }],
  ["shell_command", { command: "command", paths: { workdir: "read" }, here: true, free: SHELL_TEXT }],
  [
    "exec_command",
    { command: "cmd", paths: { workdir: "read", shell: "read" }, here: true, free: SHELL_TEXT },
  ],
  ["apply_patch", { patch: "input" }],
  ["view_image", { paths: { path: "read" } }],
  ["read_file", { paths: { file_path: "read" } }],
  ["list_dir", { paths: { dir_path: "read" } }],
  ["grep_files", { paths: { path: "read" }, patterns: ["include"], here: true, free: ["pattern"] }],
  ["update_plan", { free: ["plan", "explanation"] }],
  ["web_search", { network: true, free: ["query"] }],
]);
