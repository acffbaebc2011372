// An API server without a network, for what only asks: each request has the answer that the test says then.

import type { KubeApi } from "../../src/kube/index.ts";

type Request = Parameters<KubeApi["request"]>[0];

interface Scripted {
  readonly status: number;
  readonly body: unknown;
}

export class AnsweringApi implements KubeApi {
  readonly asked: Request[] = [];
  script: Scripted = { status: 500, body: null };

  get requests(): number {
    return this.asked.length;
  }

  request(request: Request): ReturnType<KubeApi["request"]> {
    this.asked.push(request);
    return Promise.resolve({ headers: new Map(), ...this.script });
  }

  stream(): never {
    throw new Error("nothing is watched");
  }

  close(): void {}

  /** Answers this from now on, with 200. */
  answer(...items: readonly object[]): void {
    this.script = { status: 200, body: { items } };
  }

  refuse(status: number): void {
    this.script = { status, body: { message: "no" } };
  }
}

/** Resolves when what was asked has been answered and handled. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}
