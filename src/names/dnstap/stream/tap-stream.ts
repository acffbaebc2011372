// The receiving end of a bidirectional Frame Stream of dnstap, over bytes alone: READY is answered with ACCEPT, START begins the data,
// and STOP is answered with FINISH. Never throws, whatever the bytes are. A stream of any other order or content type ends with
// a fault. The frames and the end do not depend on how the bytes are cut into pieces.

import type { ControlFrame } from "./control-frame.ts";
import { controlFrame, readControlFrame } from "./control-frame.ts";
import type { Frame, FrameFault } from "./frame-splitter.ts";
import { FrameSplitter } from "./frame-splitter.ts";

/** dnstap.info. */
export const dnstapType = "protobuf:dnstap.Dnstap";

/** What a piece of the stream leads to. */
export interface Progress {
  /** Payloads of data frames: each is one message of dnstap. */
  readonly messages: readonly Buffer[];
  /** To be sent; null: nothing. */
  readonly reply: Buffer | null;
  /** After these messages and this reply. null: the stream continues. */
  readonly end: "finished" | FrameFault | null;
}

const accept = controlFrame({ type: "accept", contentTypes: [dnstapType] });
const finish = controlFrame({ type: "finish", contentTypes: [] });

export class TapStream {
  readonly #splitter = new FrameSplitter();
  #awaits: "ready" | "start" | "data" = "ready";
  #end: Progress["end"] = null;

  /** Whether START has come. */
  get hasStarted(): boolean {
    return this.#awaits === "data";
  }

  /** Whether the sender has begun something that it has not completed: the handshake or a frame. */
  get isWaiting(): boolean {
    return !this.hasStarted || this.#splitter.isWithinFrame;
  }

  /** What comes after the end leads to nothing. */
  push(piece: Buffer): Progress {
    const messages: Buffer[] = [];
    const replies: Buffer[] = [];
    if (this.#end !== null) return { messages, reply: null, end: this.#end };
    const { frames, fault } = this.#splitter.push(piece);
    for (const frame of frames) {
      this.#end = this.#take(frame, messages, replies);
      if (this.#end !== null) break;
    }
    this.#end ??= fault;
    return { messages, reply: replies.length === 0 ? null : Buffer.concat(replies), end: this.#end };
  }

  #take({ kind, payload }: Frame, messages: Buffer[], replies: Buffer[]): Progress["end"] {
    if (kind === "data") {
      if (!this.hasStarted) return "data before the start";
      messages.push(payload);
      return null;
    }
    const control = readControlFrame(payload);
    return control === null ? "control frame malformed" : this.#obey(control, replies);
  }

  #obey({ type, contentTypes }: ControlFrame, replies: Buffer[]): Progress["end"] {
    switch (type) {
      case "ready":
        if (this.#awaits !== "ready") return "control frame out of order";
        if (!contentTypes.includes(dnstapType)) return "other content type";
        replies.push(accept);
        this.#awaits = "start";
        return null;
      case "start":
        if (this.#awaits !== "start") return "control frame out of order";
        if (contentTypes.length !== 1 || contentTypes[0] !== dnstapType) return "other content type";
        this.#awaits = "data";
        return null;
      case "stop":
        if (!this.hasStarted) return "control frame out of order";
        replies.push(finish);
        return "finished";
      case "accept":
      case "finish":
        return "control frame out of order";
    }
  }
}
