/**
 * Commands that a shell reads in another way than it seems. Each of them really reads a file outside in bash, and is refused; none of what
 * people write every day is.
 */
import { spawnSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkTool, type Verdict } from "../../src/tool-check/check.ts";
import { grantOf, makeSite, type Site } from "./site.ts";

const SECRET = "what-nobody-may-read";
let site: Site;
beforeAll(() => {
  site = makeSite();
  writeFileSync(join(site.top, "secret.txt"), `${SECRET}\n`);
  symlinkSync("../secret.txt", join(site.work, "-out"));
});
afterAll(() => site.remove());

const environment = () => ({ HOME: join(site.top, "home"), PATH: process.env["PATH"], _: "/usr/bin/node" });

const judged = (command: string): Promise<Verdict> =>
  checkTool(
    { tool: "Bash", input: { command }, cwd: site.work },
    { grant: grantOf(site), workspace: site.work, env: environment() },
  );

function read(command: string): boolean {
  const bash = spawnSync("bash", ["-c", command], { cwd: site.work, env: environment(), input: "" });
  return `${String(bash.stdout)}${String(bash.stderr)}`.includes(SECRET);
}

const has = (program: string): boolean => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
/** Programs that a machine may lack. */
const OPTIONAL = /\b(?:script|flock|make|tar|python3|ed(?= -s)|awk)\b/g;
const canRun = (command: string): boolean =>
  has("bash") && [...command.matchAll(OPTIONAL)].every(([name]) => has(name));
const fed = (shell: string, line = "cat ../secret.txt"): string => `${shell} <<'EOF'\n${line}\nEOF`;
/** A command whose parts do not look like a path. */
const HIDDEN = `'cat .""./secret.txt'`;
const INDEX = `'a[$(cat .""./secret.txt >&2)]'`;

const ESCAPES: Readonly<Record<string, readonly string[]>> = {
  "quotes, escapes, blanks": [
    'cat $"../secret.txt"',
    "cat $'..\\457secret.txt'",
    `echo "\`cat \\".\\"\\"./secret.txt\\"\`"`,
    "echo \r# ; cat ../secret.txt",
    "echo a\r# ; cat ../secret.txt",
    "cat a.txt \f../secret.txt ../secret.txt",
    "echo a\u00a0# ; cat ../secret.txt",
  ],
  "what a variable comes to": [
    "x=.; x+=./secret.txt; cat $x",
    "export x=.; export x+=./secret.txt; cat $x",
    "x=a.txt; printf -vx '%s%s' . ./secret.txt; cat $x",
    "x=a.txt; printf '-v' x '%s%s' . ./secret.txt; cat $x",
    "x=a.txt; printf $(echo -v) x '%s%s' . ./secret.txt; cat $x",
    "true .; cat $_./secret.txt",
    "REPLY=a.txt; read <<< ../secret.txt; cat $REPLY",
    "MAPFILE=a.txt; mapfile -t <<< ../secret.txt; cat $MAPFILE",
    "OPTARG=a.txt; getopts a: x -a../secret.txt; cat $OPTARG",
    "x=a.txt; n=x; read $n <<< ../secret.txt; cat $x",
    "x=a.txt; n=x; export $n=../secret.txt; cat $x",
    "x=a.txt; declare -n r=x; r=../secret.txt; cat $x",
    'x=a.txt; declare "x=../secret.txt"; cat $x',
    "x=a.txt; export x'=../secret.txt'; cat $x",
    "x=a.txt; command export x=../secret.txt; cat $x",
    "x=a.txt; builtin read x <<< ../secret.txt; cat $x",
    "declare -l x; x=OUT; cat $x",
    "x=a.txt; x[0]=../secret.txt; cat $x",
    "x='b ou'; cat a$x?",
    "read IFS <<< b; v=ab../secret.txt; cat $v",
    "for IFS in b; do v=ab../secret.txt; cat $v; done",
  ],
  loops: [
    "x=src; for i in 1 2; do x=$x/..; done; cat $x/secret.txt",
    "x=a.txt; for i in 1 2; do cat $x; x=../secret.txt; done",
    "x=.; for i in 1 2; do cat $x/secret.txt; x=$x.; done",
    'for d in s*; do cat "$d/up/secret.txt"; done',
    'for d in s*; do e="$d/up"; cat "$e/secret.txt"; done',
  ],
  "calculations that run a command": [
    `x=${INDEX}; echo $((x))`,
    `x=${INDEX}; ((x)); true`,
    `[[ ${INDEX} -eq 0 ]]`,
    `test -v ${INDEX}`,
    `let ${INDEX.replace("]'", "]=1'")}`,
  ],
  "how a shell is called": [
    `bash '-c' ${HIDDEN}`,
    `env -S ${HIDDEN}`,
    `script -qc ${HIDDEN} /dev/null`,
    `flock a.txt -c ${HIDDEN}`,
    `bash -"c" ${HIDDEN}`,
    `bash -c -- ${HIDDEN}`,
    `bash -c -e ${HIDDEN}`,
    `bash -co pipefail ${HIDDEN}`,
    `s=sh; $s -c ${HIDDEN}`,
    `s=sh; env $s -c ${HIDDEN}`,
    `o=-c; sh $o ${HIDDEN}`,
    `timeout -s KILL 5 bash -c ${HIDDEN}`,
    "bash -O nocaseglob -c 'cat OU[T]'",
  ],
  "where a shell reads its commands": [
    fed("bash -s"),
    fed("env bash"),
    fed("timeout -s KILL 5 bash"),
    fed("exec bash"),
    fed("{ bash; }"),
    fed(". /dev/stdin"),
    fed("bash /dev/stdin"),
    fed("cat").replace("EOF'", "EOF' | bash"),
    fed("cat").replace("EOF'", "EOF' | bash --norc"),
    fed("cat", "print(open('../secret.txt').read())").replace("EOF'", "EOF' | env python3 -u"),
    "bash <(printf 'cat .%s' ./secret.txt)",
    "source <(printf 'cat .%s' ./secret.txt)",
    "printf 'cat .%s' ./secret.txt | sh",
    "xargs cat <<< ../secret.txt",
    fed("make -f -", "all:\n\t@cat ../secret.txt"),
    fed("ed -s", "!cat ../secret.txt"),
  ],
  "builtins that run or bend": [
    `trap -- ${HIDDEN} EXIT`,
    `command eval ${HIDDEN}`,
    `builtin command eval ${HIDDEN}`,
    "builtin cd src && cat up/secret.txt",
    "printf '#!/bin/sh\\n' > cd; chmod +x cd; ./cd src && cat ../secret.txt",
    "pushd -n src && cat ../secret.txt",
    "cd src && cd '-' && cat ../secret.txt",
    "mapfile -C 'cat ../secret.txt #' -c 1 <<< x",
    `compgen -C ${HIDDEN}`,
    `compgen -W '$(cat .""./secret.txt >&2)'`,
    `PS4='$(cat .""./secret.txt >&2)'; set -x; true`,
    `alias c=${HIDDEN}; shopt -s expand_aliases\nc`,
    "shopt -s cdable_vars; v=$PWD/..; cd v && cat secret.txt",
    "shopt -s nocaseglob; cat OU[T]",
  ],
  "links by their names": [
    "cat -- -out",
    "dd if=out",
    "diff a.txt --to-file=out",
    "sort --files0-from=out",
    "env -S 'cat out'",
    "cat {n..p}ut",
    "cat [[:alpha:]]ut",
    "cat []o]ut",
    `python3 -c "print(open('out').read())"`,
    `node -e "console.log(require('fs').readFileSync('out-folder/secret.txt', 'utf8'))"`,
    `awk 'BEGIN{while((getline l < "out")>0)print l}'`,
    "sed 'r out' a.txt",
  ],
  "programs that work in another folder": [
    "env -C src cat up/secret.txt",
    "tar -C src -cf - up/secret.txt | tar -xOf -",
    "tar -cf - --directory=src up/secret.txt | tar -xOf -",
    "find src/deep -maxdepth 0 -execdir cat up/secret.txt \\;",
  ],
};

for (const [how, commands] of Object.entries(ESCAPES)) {
  describe(how, () => {
    test.each(commands)("%j is refused", async (command) => {
      expect(await judged(command)).toMatchObject({ allow: false });
      if (canRun(command)) expect(read(command)).toBe(true);
    });
  });
}

test.each([
  "npx vitest run test/foo.test.ts 2>&1 | tail -20",
  "git add -A && git commit -m 'fix: ../x and /etc/hosts'",
  "git log -S'foo' --format=%h -- src",
  fed("git commit -q -F -", "subject\n\nwith 'quotes' and $(x)"),
  fed("python3 -", "for m in re.finditer(r'[a-z]+', 'abc'):\n    print(m.group(0))"),
  "cat a.txt | python3 -c 'import sys; print(len(sys.stdin.read()))'",
  "python3 --version; bash --version | head -1; which bash; command -v bash",
  "node -e 'console.log([1,2].map((x) => `v${x}`).join())'",
  'for f in src/*.ts; do wc -l "$f"; done',
  "for i in {1..5}; do echo $i; done; touch f{01..12}.txt",
  "i=0; while [ $i -lt 3 ]; do i=$((i+1)); echo $i; done",
  'while IFS= read -r line; do echo "$line"; done < a.txt',
  'n=$(wc -l < a.txt); echo "$n"; [ "$n" -gt 3 ] && echo many',
  "x=1; x+=2; echo $x; echo $((2**3)) $((10/3))",
  'export PATH="$PWD/node_modules/.bin:$PATH" && tsc',
  "declare -r X=1; echo $X; printf -v y '%s' hi; echo $y",
  "find . -name '*.ts' -not -path './node_modules/*' | xargs wc -l",
  "make -C src -j4; tar -C src -cf x.tar .; bash f.sh arg; bash -lc 'npm test'",
  "set -euo pipefail; shopt -s nullglob; trap 'rm -f tmp.$$' EXIT; ls",
  "echo 'uses [`backticks`]' >> a.txt; grep -E '[$]x' a.txt",
])("%j is allowed", async (command) => {
  expect(await judged(command)).toEqual({ allow: true });
});

test.each([
  ["an address that is a path after all", { path: "x://../../secret.txt" }],
  ["a name in a key that nobody knows", { origin: "out" }],
  ["a folder with a blank", { origin: "with space/../../secret.txt" }],
])("an unknown tool may not be given %s", async (_name, input) => {
  const grant = grantOf(site, { tools: ["mcp__docs__*"] });
  const call = { tool: "mcp__docs__read", input, cwd: site.work };
  expect(await checkTool(call, { grant, workspace: site.work, env: environment() })).toMatchObject({
    allow: false,
  });
});

test.each([
  ["encoded letters", "file://WORK/%6fut"],
  ["encoded slashes", "file://WORK/src%2f..%2f..%2fsecret.txt"],
  ["another machine", "file://server/share"],
])("an address of a file may not hold %s", async (_name, url) => {
  const input = { url: url.replace("WORK", site.work), prompt: "" };
  const call = { tool: "WebFetch", input, cwd: site.work };
  expect(await checkTool(call, { grant: grantOf(site), workspace: site.work, env: {} })).toMatchObject({
    allow: false,
  });
});

test("every patch of a call is looked at, whatever key it stands under", async () => {
  const input = { input: "*** Update File: a.txt", command: "*** Add File: ../new.txt" };
  const call = { tool: "apply_patch", input, cwd: site.work };
  expect(await checkTool(call, { grant: grantOf(site), workspace: site.work, env: {} })).toMatchObject({
    allow: false,
  });
});

test.each([
  ["words", `cat ${"a.txt ".repeat(20_000)}`, "words"],
  ["directories", Array.from({ length: 40 }, (_, at) => `cd d${at}`).join("; "), "directories"],
  ["variables", Array.from({ length: 2000 }, (_, at) => `v${at}=x`).join("; "), "variables"],
  ["values", "for i in {1..99}; do cat $i-$i-$i; done", "values"],
])("more %s than anybody needs are refused before they cost time", async (_what, command, named) => {
  expect(await judged(command)).toMatchObject({ allow: false, sentence: expect.stringContaining(named) });
});

test("loops within substitutions do not multiply without end", async () => {
  const nested = `${"for i in a; do echo $(".repeat(15)}ls${"); done".repeat(15)}`;
  expect(await judged(nested)).toMatchObject({ allow: false, sentence: expect.stringContaining("loop") });
});
