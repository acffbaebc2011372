// Where jest runs the tests: as in its environment for Node, but the global object is an ordinary one. Jest's own is a Proxy
// behind an interceptor of V8, which each use of a name such as Map or JSON in a module passes: a test that computes takes up to twice as
// long with it.

import { constants, createContext } from "node:vm";
import { TestEnvironment } from "jest-environment-node";
import { processorSeconds, recordProcessorTime } from "./processor-time.ts";

type Globals = InstanceType<typeof TestEnvironment>["global"];

/** Names that the new context has of its own, and shares with the process all the same: its buffers are instances of these. */
const shared = { Buffer, ArrayBuffer, Uint8Array };

/** How much of its stack a thrown error keeps: as jest has it. */
const stackTraceLimit = 100;

/** Reads the process's global when it is used for the first time: Node loads some of them only then. */
function lazily(name: string | symbol, of: object): PropertyDescriptor {
  const settle = (value: unknown): void => {
    Object.defineProperty(of, name, { configurable: true, enumerable: true, writable: true, value });
  };
  return {
    configurable: true,
    enumerable: true,
    get() {
      const value: unknown = Reflect.get(globalThis, name);
      settle(value);
      return value;
    },
    set: settle,
  };
}

/** A global object without interceptors, with what jest has put into its own. */
function plainCopy(jests: Globals): Globals {
  const plain = createContext(constants.DONT_CONTEXTIFY) as Globals;
  for (const name of Reflect.ownKeys(jests)) {
    if (Object.hasOwn(plain, name)) continue;
    const descriptor = Reflect.getOwnPropertyDescriptor(jests, name);
    if (descriptor === undefined) continue;
    const isOfProcess = descriptor.get !== undefined && name in globalThis;
    Object.defineProperty(plain, name, isOfProcess ? lazily(name, plain) : descriptor);
  }
  Object.assign(plain, shared, { global: plain });
  plain.Error.stackTraceLimit = stackTraceLimit;
  return plain;
}

export default class PlainEnvironment extends TestEnvironment {
  readonly #path: string;
  readonly #since = processorSeconds();

  constructor(...given: ConstructorParameters<typeof TestEnvironment>) {
    super(...given);
    this.#path = given[1].testPath;
    const global = plainCopy(this.global);
    this.global = global;
    this.context = global;
    // Those that jest made belong to the other global object.
    this.moduleMocker = anotherOf(this.moduleMocker, global);
    this.fakeTimersModern = anotherOf(this.fakeTimersModern, { config: given[0].projectConfig, global });
    this.fakeTimers = null;
  }

  override async teardown(): Promise<void> {
    await super.teardown();
    recordProcessorTime(this.#path, this.#since);
  }
}

/** An object of the same class: jest's own class, whose package is not one of ours. */
function anotherOf<T extends object | null>(one: T, made: unknown): T {
  return one === null ? one : (Reflect.construct(one.constructor, [made]) as T);
}
