/** What the tool check knows of programs: which of their words are files, and what they do to them. */

const names = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Shells: what stands behind `-c` is a command. */
export const SHELLS = names("sh bash dash zsh ksh ash");

const CODE_PROGRAM = /^(?:python[0-9.]*|node|perl|ruby|php|deno|bun|lua)$/;

/** Programs that read code from their input when nothing else is named. */
export const CODE = { has: (name: string): boolean => CODE_PROGRAM.test(name) };

/** Programs that take what a here-document holds for code, or for words of a program. */
export const INTERPRETERS = {
  has: (name: string): boolean =>
    CODE.has(name) || /^(?:[gm]?awk|xargs|parallel|make|ed|ex|vim?|sqlite3|psql|bc|dc|gdb)$/.test(name),
};

/** Programs that give what stands behind their `-c` to a shell. */
export const RUNNERS = names("su runuser script flock");

/** Programs that run another one, whose name stands behind their options. */
export const WRAPPERS = names(
  "env nohup nice ionice timeout stdbuf setsid sudo doas xargs busybox chroot unshare nsenter watch time",
);

/** Their words name no files. Where they name one that exists outside, it is refused all the same. */
export const SPEAKERS = names(
  "echo printf true false : exit return break continue shift sleep wait seq kill date expr let set unset umask ulimit jobs alias test [ [[",
);

/** Their first word is a program or a pattern, unless an option brings it. */
export const PATTERNED = names("grep egrep fgrep rg ag sed awk gawk mawk perl jq yq tr");

/** Options behind which a word is text: code, a pattern, a commit message. */
export const TEXT_OPTIONS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["git", names("-m --message --grep -S -G --author --date --format --pretty")],
  ["gh", names("-b --body -t --title")],
  ["grep", names("-e --regexp")],
  ["egrep", names("-e --regexp")],
  ["rg", names("-e --regexp -r --replace")],
  ["sed", names("-e --expression")],
  ["perl", names("-e -E")],
  ["python", names("-c")],
  ["python3", names("-c")],
  ["node", names("-e --eval -p --print")],
  ["ruby", names("-e")],
  ["php", names("-r")],
]);

/** They change whatever they name. */
export const WRITERS = names(
  "rm rmdir mkdir touch tee dd chmod chown chgrp truncate unlink mv mkfifo mknod shred patch setfacl setfattr chattr mount umount ed ex vi vim nano gzip gunzip bzip2 bunzip2 xz unxz zstd split csplit mktemp sqlite3",
);

/** They change their last word, and read the others. */
export const COPIERS = names("cp install rsync scp ln link");

/** Builtins that make variables of their words. */
export const DECLARERS = names("export declare local readonly typeset");

/** Builtins that give variables a value which only the shell knows. */
export const INPUTS = names("read mapfile readarray getopts");

/** Builtins that change how a shell reads what follows, or run what they are told in a way that is not followed. */
export const BENDERS = names("alias unalias compgen complete compopt bind enable fc let");

/** Settings of `shopt` that change nothing that is not counted on (match-files.ts, M1). */
export const HARMLESS = names("-s -u -q -p nullglob failglob dotglob");
