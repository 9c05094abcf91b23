/** What Node's timers can count, milliseconds. */
const TIMER_MILLIS_MAX = 2 ** 31 - 1;

/** Waiting for a reason to stop something from outside; `cancel` ends the waiting and must be called. */
export type StopRequest = { readonly reason: Promise<"timeout" | "aborted">; readonly cancel: () => void };

/** A stop request that comes with the signal or after `timeout` milliseconds from now, whichever is first. */
export function stopRequest(timeout: number, signal: AbortSignal): StopRequest {
  const over = new AbortController();
  const reason = new Promise<"timeout" | "aborted">((resolve) => {
    const timer = setTimeout(() => resolve("timeout"), Math.min(timeout, TIMER_MILLIS_MAX));
    over.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    signal.addEventListener("abort", () => resolve("aborted"), { once: true, signal: over.signal });
    if (signal.aborted) resolve("aborted");
  });
  return { reason, cancel: () => over.abort() };
}
