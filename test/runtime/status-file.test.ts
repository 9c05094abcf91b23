/** The status file as bytes, as whatever may stand in its place, and its removal (docs/status-file.md; A2O §2, §3). */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { clearStatus, readStatus, tokenIn } from "../../src/runtime/status-file.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "cfa-status-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const leave = (bytes: string | Uint8Array): void => {
  mkdirSync(join(root, ".sortie"), { recursive: true });
  writeFileSync(join(root, ".sortie/status"), bytes);
};

const BLOCKED = { token: "blocked" };
const REVIEW = { token: "needs-human-review" };
const says = (word: string) => ({ problem: expect.stringContaining(`says ${JSON.stringify(word)}`) });
const ignored = (why: string) => ({ problem: expect.stringMatching(new RegExp(`is ignored: .*${why}`)) });

describe("what the bytes say", () => {
  const bytes = (...parts: readonly (string | number)[]) =>
    Buffer.concat(parts.map((part) => (typeof part === "number" ? Buffer.of(part) : Buffer.from(part))));
  const rows: readonly (readonly [
    section: string,
    what: string,
    bytes: string | Uint8Array,
    says: unknown,
  ])[] = [
    ["§2.3.1", "blocked", "blocked\n", BLOCKED],
    ["§2.3.2", "needs-human-review", "needs-human-review\n", REVIEW],
    ["§2.2", "no newline at the end", "blocked", BLOCKED],
    ["§2.2", "CRLF", "blocked\r\n", BLOCKED],
    ["§2.2", "spaces before", "   blocked\n", BLOCKED],
    ["§2.2", "spaces behind", "blocked   \n", BLOCKED],
    ["§2.2", "tabs", "\tblocked\t\n", BLOCKED],
    ["§2.2", "carriage returns before", "\r\rblocked\n", BLOCKED],
    ["§2.2", "further lines", "blocked\nreason: no key\n", BLOCKED],
    ["§6.4", "a later version's lines", "blocked\nreason: x\ncontext: y, z\n", BLOCKED],
    ["§2.2", "another token on the second line", "blocked\nneeds-human-review\n", BLOCKED],
    ["§2.2", "binary on the second line", bytes("blocked\n", 0, 255, 254), BLOCKED],
    ["§2.2", "a token on the second line only", "\nblocked\n", says("")],
    ["§2.2", "spaces on the first, a token on the second line", "  \nblocked\n", says("")],
    ["§2.2", "upper case", "BLOCKED\n", says("BLOCKED")],
    ["§2.2", "a capital", "Blocked\n", says("Blocked")],
    ["§2.5", "an unknown word", "done\n", says("done")],
    ["§2.5", "a token of a later version", "no-change-needed\n", says("no-change-needed")],
    ["§2.5", "a longer word", "blocked!\n", says("blocked!")],
    ["§2.5", "a part of a word", "block\n", says("block")],
    ["§2.5", "two words", "blocked now\n", says("blocked now")],
    ["§2.5", "quoted", '"blocked"\n', says('"blocked"')],
    ["§2.5", "JSON", '{"status":"blocked"}\n', says('{"status":"blocked"}')],
    ["§2.5", "underscores", "needs_human_review\n", says("needs_human_review")],
    ["§3.3", "empty", "", says("")],
    ["§3.3", "empty after trimming", " \t\r\n", says("")],
    ["§3.3", "only newlines", "\n\n\n", says("")],
    ["§3.3", "a NUL behind", bytes("blocked", 0, "\n"), says("blocked\0")],
    ["§3.3", "a NUL before", bytes(0, "blocked\n"), says("\0blocked")],
    [
      "§3.3",
      "NULs between, as in UTF-16",
      Buffer.from("blocked\n", "utf16le"),
      says("b\0l\0o\0c\0k\0e\0d\0"),
    ],
    ["§3.3", "a byte order mark", "\uFEFFblocked\n", says("\uFEFFblocked")],
    ["§3.3", "no UTF-8", bytes(0xff, 0xfe, "\n"), says("\uFFFD\uFFFD")],
    ["§3.3", "a byte of no UTF-8 behind", bytes("blocked", 0xc3, "\n"), says("blocked\uFFFD")],
    ["§2.2", "no-break space is no ASCII whitespace", "\u00A0blocked\n", says("\u00A0blocked")],
    ["§2.2", "form feed and vertical tab are not trimmed", "\f\vblocked\n", says("\f\vblocked")],
    ["§2.2", "a letter of another script that looks the same", "bl\u043Ecked\n", says("bl\u043Ecked")],
    ["§7.3", "a first line of a megabyte", "x".repeat(1_000_000), says("x".repeat(80))],
    ["§7.3", "a token, then a megabyte", `blocked\n${"x".repeat(1_000_000)}`, BLOCKED],
    [
      "§7.3",
      "spaces up to 64 KiB between two letters",
      `x${" ".repeat(65_000)}x\n`,
      says(`x${" ".repeat(79)}`),
    ],
    ["§7.3", "a token behind 64 KiB of spaces", `${" ".repeat(65_536)}blocked\n`, says("")],
  ];
  test.each(rows)("%s %s", async (_section, _what, content, expected) => {
    leave(content);
    expect(await readStatus(root)).toEqual(expected);
  });

  test("§2.3.4 the last word wins", async () => {
    leave("blocked\n");
    leave("needs-human-review\n");
    expect(await readStatus(root)).toEqual(REVIEW);
    leave("");
    expect(await readStatus(root)).toEqual(says(""));
  });

  test("the token is what stands on the first line, recognised or not", () => {
    expect(tokenIn(Buffer.from("\t some word \r\nblocked"))).toBe("some word");
  });
});

describe("what stands in its place", () => {
  const rows: readonly (readonly [section: string, what: string, make: () => void, says: unknown])[] = [
    ["§2.4", "nothing", () => mkdirSync(join(root, ".sortie")), undefined],
    ["§3.3", "no directory .sortie", () => {}, undefined],
    [
      "§3.3",
      ".sortie is a file",
      () => writeFileSync(join(root, ".sortie"), "blocked\n"),
      ignored("no directory"),
    ],
    ["§7.2", "the file is a link", () => linkStatus("elsewhere"), ignored("link")],
    ["§7.2", "the file is a link to nothing", () => linkStatus("nowhere"), ignored("link")],
    ["§7.2", "the file is a link to itself", () => linkStatus("status"), ignored("link")],
    ["§7.2", "the file is a link to a file beside it", () => linkStatus("other"), ignored("link")],
    ["§7.2", "the file is a link to a device", () => linkStatus("/dev/zero"), ignored("link")],
    ["§7.2", ".sortie is a link", () => linkDirectory("elsewhere-dir"), ignored("link")],
    [
      "§7.2",
      ".sortie is a link to nothing",
      () => symlinkSync("nowhere", join(root, ".sortie")),
      ignored("link"),
    ],
    [
      "§7.2",
      ".sortie is a link to itself",
      () => symlinkSync(".sortie", join(root, ".sortie")),
      ignored("link"),
    ],
    ["§7.2", ".sortie is a link to the workspace itself", () => linkToTop(), ignored("link")],
    [
      "§7.2",
      "both are links",
      () => {
        linkDirectory("elsewhere-dir");
        rmSync(join(root, "elsewhere-dir/status"));
        symlinkSync("/etc/hostname", join(root, "elsewhere-dir/status"));
      },
      ignored("link"),
    ],
    ["§2.2", "a second name of a regular file", () => linkHard(), BLOCKED],
    ["§2.6", "a socket", () => socket(), ignored("ENXIO|no regular")],
    [
      "§2.6",
      ".sortie is a pipe",
      () => execFileSync("mkfifo", [join(root, ".sortie")]),
      ignored("no directory"),
    ],
    [
      "§2.6",
      "a directory",
      () => mkdirSync(join(root, ".sortie/status"), { recursive: true }),
      ignored("no regular"),
    ],
    ["§2.6", "a pipe that nobody writes to", () => special("p"), ignored("no regular")],
    ["§2.6", "a device", () => special("c", "1", "5"), ignored("no regular")],
  ];
  test.each(rows)("%s %s", async (_section, _what, make, expected) => {
    make();
    expect(await readStatus(root)).toEqual(expected);
  });

  test.each([
    ["the file", "755", "600"],
    [".sortie", "700", "644"],
  ])("§2.6 what this user may not read: %s", (_what, directory, file) => {
    leave("blocked\n");
    execFileSync("chmod", ["755", root]);
    execFileSync("chmod", [directory, join(root, ".sortie")]);
    execFileSync("chmod", [file, join(root, ".sortie/status")]);
    const module = new URL("../../dist/runtime/status-file.js", import.meta.url).href;
    const script = `const { readStatus } = await import(${JSON.stringify(module)});
      process.setuid(65534);
      console.log(JSON.stringify(await readStatus(${JSON.stringify(root)})));`;
    const out = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    expect(JSON.parse(out)).toEqual(ignored("EACCES"));
  });

  test("a file that is replaced while it is read is seen whole, before or after", async () => {
    leave("blocked\n");
    const reads = Array.from({ length: 50 }, async (_, n) => {
      const file = join(root, `.sortie/next-${n}`);
      writeFileSync(file, n % 2 === 0 ? "needs-human-review\n" : "blocked\n");
      const read = readStatus(root);
      execFileSync("mv", [file, join(root, ".sortie/status")]);
      return read;
    });
    for (const status of await Promise.all(reads)) expect([BLOCKED, REVIEW]).toContainEqual(status);
  });
});

test("a file that is replaced by a link while it is read is seen whole, or as a link; the link is never followed", async () => {
  leave("blocked\n");
  writeFileSync(join(root, "secret"), "needs-human-review\n");
  const seen = new Set<string>();
  for (let n = 0; n < 40; n++) {
    const read = readStatus(root);
    if (n % 2 === 0) {
      symlinkSync("../secret", join(root, ".sortie/next"));
      renameSync(join(root, ".sortie/next"), join(root, ".sortie/status"));
    } else {
      writeFileSync(join(root, ".sortie/next"), "blocked\n");
      renameSync(join(root, ".sortie/next"), join(root, ".sortie/status"));
    }
    seen.add(JSON.stringify(await read));
  }
  for (const status of seen) expect(status).toMatch(/^\{"token":"blocked"\}$|is a link|changed/);
});

describe("§3.3 row by row: every failure mode degrades to normal behaviour", () => {
  const NORMAL = undefined;
  const warned = (why: string) => ({ problem: expect.stringMatching(why) });
  test.each<[condition: string, make: () => void, behaviour: unknown]>([
    ["File does not exist: normal", () => mkdirSync(join(root, ".sortie")), NORMAL],
    ["File exists, recognized value: the signal is honoured", () => leave("blocked\n"), BLOCKED],
    ["File exists, unrecognized value: ignored, with a warning", () => leave("later\n"), warned("ignored")],
    ["File exists, empty after trimming: ignored, with a warning", () => leave(" \t\n"), warned("ignored")],
    [
      "File unreadable: a warning, and as if it were absent",
      () => mkdirSync(join(root, ".sortie/status"), { recursive: true }),
      warned("is ignored"),
    ],
    [
      "File contains binary data: the first line is no word",
      () => leave(Buffer.of(0, 1, 255, 10)),
      warned("ignored"),
    ],
    [".sortie/ does not exist: normal", () => {}, NORMAL],
  ])("%s", async (_condition, make, behaviour) => {
    make();
    expect(await readStatus(root)).toEqual(behaviour);
  });
});

describe("removal before a turn (A2O §3.4)", () => {
  test("removes the file and leaves the directory with all else", async () => {
    leave("blocked\n");
    writeFileSync(join(root, ".sortie/mcp.json"), "{}");
    expect(await clearStatus(root)).toBeUndefined();
    expect(readdirSync(join(root, ".sortie"))).toEqual(["mcp.json"]);
  });

  test.each<[string, () => void]>([
    ["there is none", () => mkdirSync(join(root, ".sortie"))],
    ["there is no directory", () => {}],
    ["the directory is a file", () => writeFileSync(join(root, ".sortie"), "x")],
  ])("does nothing where %s", async (_what, make) => {
    make();
    expect(await clearStatus(root)).toBeUndefined();
  });

  test.each<[string, () => void, RegExp]>([
    ["the file is a link", () => linkStatus("elsewhere"), /it is a link/],
    ["the directory is a link", () => linkDirectory("elsewhere-dir"), /\.sortie is a link/],
  ])("follows nothing, removes nothing and says so where %s", async (_what, make, why) => {
    make();
    expect(await clearStatus(root)).toMatch(why);
    expect(existsSync(join(root, "elsewhere-dir/status")) || existsSync(join(root, "elsewhere"))).toBe(true);
  });

  test.each<[string, () => void, string]>([
    ["the file is a link to nothing", () => linkStatus("nowhere"), ".sortie/status"],
    ["the file is a link to itself", () => linkStatus("status"), ".sortie/status"],
    ["the directory is a link to nothing", () => symlinkSync("nowhere", join(root, ".sortie")), ".sortie"],
    ["the directory is a link to itself", () => symlinkSync(".sortie", join(root, ".sortie")), ".sortie"],
  ])("leaves the link where %s, and says so", async (_what, make, link) => {
    make();
    expect(await clearStatus(root)).toMatch(/is a link/);
    expect(lstatSync(join(root, link)).isSymbolicLink()).toBe(true);
  });

  test("a directory that this user may not write: it says so, and nothing fails", () => {
    leave("blocked\n");
    execFileSync("chmod", ["755", root, join(root, ".sortie")]);
    const module = new URL("../../dist/runtime/status-file.js", import.meta.url).href;
    const script = `const { clearStatus } = await import(${JSON.stringify(module)});
      process.setuid(65534);
      console.log(await clearStatus(${JSON.stringify(root)}));`;
    const out = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    expect(out).toMatch(/was not removed: EACCES/);
  });

  test("says so where a directory stands in its place", async () => {
    mkdirSync(join(root, ".sortie/status"), { recursive: true });
    expect(await clearStatus(root)).toMatch(/was not removed/);
  });

  test("removes a pipe without waiting for it", async () => {
    special("p");
    expect(await clearStatus(root)).toBeUndefined();
    expect(lstatSync(join(root, ".sortie")).isDirectory() && readdirSync(join(root, ".sortie"))).toEqual([]);
  });
});

function linkToTop(): void {
  writeFileSync(join(root, "status"), "blocked\n");
  symlinkSync(".", join(root, ".sortie"));
}

function linkHard(): void {
  mkdirSync(join(root, ".sortie"));
  writeFileSync(join(root, "elsewhere"), "blocked\n");
  linkSync(join(root, "elsewhere"), join(root, ".sortie/status"));
}

function socket(): void {
  mkdirSync(join(root, ".sortie"));
  const script =
    "require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))";
  try {
    execFileSync(process.execPath, ["-e", script, join(root, ".sortie/status")], { stdio: "ignore" });
  } catch {
    // The server is killed so that it leaves its socket.
  }
}

function linkStatus(to: string): void {
  mkdirSync(join(root, ".sortie"));
  writeFileSync(join(root, "elsewhere"), "blocked\n");
  writeFileSync(join(root, ".sortie/other"), "blocked\n");
  symlinkSync(to === "elsewhere" ? join(root, to) : to, join(root, ".sortie/status"));
}

function linkDirectory(to: string): void {
  mkdirSync(join(root, to));
  writeFileSync(join(root, to, "status"), "blocked\n");
  symlinkSync(join(root, to), join(root, ".sortie"));
}

function special(type: string, ...numbers: readonly string[]): void {
  mkdirSync(join(root, ".sortie"));
  execFileSync("mknod", [join(root, ".sortie/status"), type, ...numbers]);
}
