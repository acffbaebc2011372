// A real ovsdb-server for the tests of one file. Each test finds it without rows of policies, with a session of its own; what
// the test starts on it is stopped after the test.

import { afterAll, afterEach, beforeAll, beforeEach } from "@jest/globals";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import type { SocketSession } from "../../src/ovsdb/index.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import type { ControllerOptions, MemorySource, TestController } from "./controller.ts";
import { startController } from "./controller.ts";
import { clearRows, makeSwitch } from "./ports.ts";

export interface DatabaseOptions {
  /** Ports of the one switch that each test finds. */
  readonly ports?: readonly string[];
  readonly open: (remote: string) => SocketSession<Northbound>;
  /** Called with each new session, before it is opened. */
  readonly watch?: (session: SocketSession<Northbound>) => void;
}

interface Stoppable {
  stop(): Promise<void>;
}

export class Database {
  readonly #options: DatabaseOptions;
  readonly #running: Stoppable[] = [];
  #ovn: Ovn | null = null;
  #session: SocketSession<Northbound> | null = null;

  /** Starts the server before the first test of the group, and ends it after the last. */
  constructor(options: DatabaseOptions) {
    this.#options = options;
    beforeAll(async () => {
      this.#ovn = await startOvn({ northd: false });
    });
    afterAll(async () => {
      await this.ovn.stop();
    });
    beforeEach(async () => {
      await clearRows(this.ovn);
      if (options.ports !== undefined) await makeSwitch(this.ovn, options.ports);
      await this.#open();
    });
    afterEach(async () => {
      await this.#close();
    });
  }

  get ovn(): Ovn {
    if (this.#ovn === null) throw new Error("there is a server only while tests run");
    return this.#ovn;
  }

  get session(): SocketSession<Northbound> {
    if (this.#session === null) throw new Error("there is a session only while a test runs");
    return this.#session;
  }

  /** Stops what was started, and opens another session, as a program that starts does. */
  async restart(): Promise<void> {
    await this.#close();
    await this.#open();
  }

  /** Starts a controller on the session, which ends with it, and waits until it has nothing to do. */
  async settled(source: MemorySource, options: ControllerOptions): Promise<TestController> {
    const controller = this.started(startController(this.session, source, options));
    await controller.loop.idle();
    return controller;
  }

  /** It is stopped before the session is closed. */
  started<S extends Stoppable>(one: S): S {
    this.#running.push(one);
    return one;
  }

  async #open(): Promise<void> {
    const session = this.#options.open(this.ovn.nb);
    this.#session = session;
    this.#options.watch?.(session);
    await session.opened();
  }

  async #close(): Promise<void> {
    for (const one of this.#running.splice(0)) await one.stop();
    await this.#session?.close();
    this.#session = null;
  }
}
