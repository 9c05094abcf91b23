/**
 * The two ways to tell the human of a question outside of cfa: a program that gets it as JSON on standard input, or an
 * address that it is posted to.
 *
 * N1. Neither waits longer than {@link NOTIFICATION_MILLIS}.
 * N2. The log names the program, or the address without user, password and query: they may hold secrets. So do the reasons of failures.
 * N3. A user and a password in an address are sent as HTTP Basic authentication (RFC 7617).
 * N4. A redirect is not followed: most of them drop the question on the way (RFC 9110 §15.4), and it would go where nobody has named.
 */
import { unescape } from "node:querystring";
import { runProgram } from "../runtime/process/run-program.ts";
import { processIsolation } from "../runtime/process/isolation.ts";
import type { Notification, Notifier } from "../runtime/notifications.ts";
import type { NotifyTarget } from "../job/definition.ts";

/** Longest that a notification may take, milliseconds (N1). */
const NOTIFICATION_MILLIS = 10_000;

/** Where notifications are given, and where what the program prints is kept. */
export type NotifierOptions = {
  readonly target: NotifyTarget;
  readonly stream: string;
  readonly cwd: string;
};

/** The notifier of a target. */
export function notifierOf({ target, stream, cwd }: NotifierOptions): Notifier {
  if ("url" in target) {
    return {
      to: publicPart(target.url),
      tell: (notification, signal) => post(target.url, notification, signal),
    };
  }
  const { run } = target;
  return {
    to: run[0] ?? "",
    tell: (notification, signal) => execute(run, { stream, cwd }, notification, signal),
  };
}

function publicPart(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}

async function post(
  address: string,
  notification: Notification,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { url, authorization } = target(address);
  try {
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: {
        ...authorization,
        "content-type": "application/json",
        "idempotency-key": `${notification.job}:${notification.question}:${notification.exchange}`,
      },
      body: JSON.stringify(notification),
      signal: AbortSignal.any([signal, AbortSignal.timeout(NOTIFICATION_MILLIS)]),
    });
    await response.body?.cancel();
    if (response.ok) return undefined;
    const { status } = response;
    const isRedirect = status >= 300 && status < 400;
    return `the address answered ${status}${isRedirect ? ": it has moved, name the new one" : ""}`;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { cause } = error;
    const why = cause instanceof Error && cause.message !== "" ? cause.message : error.message;
    return why.replaceAll(url, publicPart(url)).replaceAll(address, publicPart(address));
  }
}

/** An address as it is called, and what authenticates there (N3). */
function target(address: string): { readonly url: string; readonly authorization: Record<string, string> } {
  const url = new URL(address);
  const { username, password } = url;
  if (username === "" && password === "") return { url: url.href, authorization: {} };
  url.username = "";
  url.password = "";
  const words = Buffer.from(`${unescape(username)}:${unescape(password)}`).toString("base64");
  return { url: url.href, authorization: { authorization: `Basic ${words}` } };
}

async function execute(
  run: readonly string[],
  { stream, cwd }: Pick<NotifierOptions, "stream" | "cwd">,
  notification: Notification,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { end, complaint } = await runProgram(
    {
      run,
      cwd,
      env: environment(),
      input: `${JSON.stringify(notification)}\n`,
      stream,
      timeout: NOTIFICATION_MILLIS,
      stopSignals: [],
      grace: 0,
      signal,
      onStart: () => undefined,
      onLine: () => undefined,
    },
    await processIsolation(),
  );
  const said = complaint === "" ? "" : `: ${complaint}`;
  switch (end.kind) {
    case "exit":
      return end.status === 0 ? undefined : `it ended with exit status ${end.status}${said}`;
    case "unstarted":
      return end.why;
    case "timeout":
      return `it ran longer than ${NOTIFICATION_MILLIS / 1000} s and was stopped`;
    case "aborted":
      return "it was stopped";
  }
}

/** The user's own environment: the program is theirs, no agent. */
function environment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
