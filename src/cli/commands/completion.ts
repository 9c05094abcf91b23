/**
 * `cfa completion bash|zsh|fish`: a script that completes commands and options, made from the program itself.
 *
 * C1. The script is static: completing starts cfa only for the ids of jobs.
 */
import { type Context, say } from "../context.ts";
import { EXIT } from "../exit-codes.ts";

/** A command as completion sees it. */
export type CompletedCommand = {
  readonly name: string;
  readonly summary: string;
  /** Its first argument is the id of a job. */
  readonly takesJob: boolean;
  readonly options: readonly {
    readonly flag: string;
    readonly summary: string;
    readonly takesValue: boolean;
  }[];
};

/** Shells that are known. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** Prints the script. */
export function completionCommand(
  { stdout }: Context,
  shell: (typeof SHELLS)[number],
  commands: readonly CompletedCommand[],
): number {
  const script = { bash, zsh, fish }[shell](commands);
  say(stdout, script);
  return EXIT.completed;
}

/** Prints one id a line: the first word of each line of `cfa status --all`. */
const JOBS = "cfa status --all 2>/dev/null | cut -d ' ' -f 1";

function bash(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(({ name, takesJob, options }) => {
    const flags = options.map(({ flag }) => flag).join(" ");
    return `    ${name}) words="${flags}${takesJob ? ` $(${JOBS})` : ""}" ;;`;
  });
  return [
    "# cfa completion for bash: source it, or put it into /etc/bash_completion.d/",
    "_cfa() {",
    '  local cur="${COMP_WORDS[COMP_CWORD]}" words=""',
    "  COMPREPLY=()",
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")}" -- "$cur"))`,
    "    return",
    "  fi",
    '  case "${COMP_WORDS[1]}" in',
    ...cases,
    "  esac",
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    "}",
    "complete -o default -F _cfa cfa",
  ].join("\n");
}

function zsh(commands: readonly CompletedCommand[]): string {
  const rows = commands.map(({ name, summary }) => `    '${name}:${escaped(summary)}'`);
  const cases = commands.map(({ name, takesJob, options }) => {
    const flags = options.map(
      ({ flag, summary, takesValue }) => `'${flag}[${escaped(summary)}]${takesValue ? ":value:_files" : ""}'`,
    );
    const first = takesJob ? "'1:job:_cfa_jobs'" : "'*:file:_files'";
    return `    ${name}) _arguments ${[...flags, first].join(" ")} ;;`;
  });
  return [
    "#compdef cfa",
    "# cfa completion for zsh: put it into a directory of $fpath as _cfa",
    "_cfa_jobs() {",
    `  local -a jobs=(\${(f)"$(${JOBS})"})`,
    "  compadd -a jobs",
    "}",
    "_cfa() {",
    "  local -a commands=(",
    ...rows,
    "  )",
    "  if (( CURRENT == 2 )); then",
    "    _describe command commands",
    "    return",
    "  fi",
    "  local command=$words[2]",
    "  shift words",
    "  (( CURRENT-- ))",
    "  case $command in",
    ...cases,
    "  esac",
    "}",
    "compdef _cfa cfa",
  ].join("\n");
}

function fish(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, summary, takesJob, options }) => [
    `complete -c cfa -n __fish_use_subcommand -f -a ${name} -d '${escaped(summary)}'`,
    ...options.map(
      ({ flag, summary, takesValue }) =>
        `complete -c cfa -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)} -d '${escaped(summary)}'${takesValue ? " -r" : ""}`,
    ),
    ...(takesJob ? [`complete -c cfa -n '__fish_seen_subcommand_from ${name}' -f -a "(${JOBS})"`] : []),
  ]);
  return ["# cfa completion for fish: put it into ~/.config/fish/completions/cfa.fish", ...lines].join("\n");
}

/** A summary inside single quotes and brackets. */
function escaped(text: string): string {
  return text.replaceAll(/['"[\]:`$\\]/g, " ");
}
