/**
 * A transport that knows which requests have no answer yet, so that a server can end without leaving one behind.
 *
 * W1. A request that the client has cancelled needs no answer.
 */
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type MessageExtraInfo,
  type RequestId,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/server";
import { z } from "zod";

const cancelSchema = z.object({ requestId: z.union([z.string(), z.number()]) });

/** See the header. */
export class AnsweringTransport implements Transport {
  onmessage?: NonNullable<Transport["onmessage"]>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** Settles when the transport has closed. */
  readonly closed: Promise<void>;
  readonly #inner: Transport;
  readonly #open = new Set<RequestId>();
  #waiting: (() => void)[] = [];

  constructor(inner: Transport) {
    this.#inner = inner;
    this.closed = new Promise((resolve) => {
      Object.assign(inner, {
        onclose: () => {
          resolve();
          this.onclose?.();
        },
        onerror: (error: Error) => this.onerror?.(error),
        onmessage: (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
          this.#note(message);
          this.onmessage?.(message, extra);
        },
      });
    });
  }

  /** Settles when every request that has come is answered or cancelled. */
  async answered(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    await this.#inner.send(message, options);
    if ((isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) && message.id !== undefined)
      this.#settle(message.id);
  }

  #note(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) this.#open.add(message.id);
    if (!isJSONRPCNotification(message) || message.method !== "notifications/cancelled") return;
    const cancelled = cancelSchema.safeParse(message.params);
    if (cancelled.success) this.#settle(cancelled.data.requestId);
  }

  #settle(id: RequestId): void {
    this.#open.delete(id);
    if (this.#open.size > 0) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting = [];
  }
}
