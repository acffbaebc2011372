// A source over the fake API server, with what it told, what it logged and how long it waited. Its clock runs two hundred
// times as fast. Refuses to end with an unhandled rejection or an error that should have ended the program.

import { isDeepStrictEqual } from "node:util";
import { expect } from "@jest/globals";
import type { KubeSourceOptions } from "../../src/kube/index.ts";
import { formatSourceProblem } from "../../src/informers/index.ts";
import { HttpApi, KubeSource } from "../../src/kube/index.ts";
import type { Clock } from "../../src/lib/clock.ts";
import type { Logger } from "../../src/lib/logger.ts";
import type { ObjectKey, WorldObject } from "../../src/model/object.ts";
import { eventually } from "./eventually.ts";
import { type ApiObject, FakeApiServer } from "./fake-api-server.ts";
import type { ProtobufForms } from "./protobuf/served.ts";

export const pods = "/api/v1/pods";
export const nodes = "/api/v1/nodes";
export const adminNetworkPolicies = "/apis/policy.networking.k8s.io/v1alpha1/adminnetworkpolicies";

export const policyKinds = ["AdminNetworkPolicy", "BaselineAdminNetworkPolicy"].map((kind) => ({
  group: "policy.networking.k8s.io",
  version: "v1alpha1",
  kind,
  resource: kind.replace(/y$/, "ies").toLowerCase(),
  namespaced: false,
}));

export function policy(
  name: string,
  priority: number,
  metadata: object = {},
  status: object = {},
): ApiObject {
  return { metadata: { name, uid: `uid-${name}`, generation: 1, ...metadata }, spec: { priority }, status };
}

type Timing = NonNullable<KubeSourceOptions["timing"]>;
type Kinds = Pick<KubeSourceOptions, "policies" | "references" | "missingIsEmpty" | "existing">;

const speed = 200;
/** Unless a test asks for probes, none is sent: they would count among the requests. */
const withoutProbes = 1_000_000_000;

export class FastWorld {
  readonly server: FakeApiServer;
  readonly source: KubeSource;
  readonly api: HttpApi;
  /** What the source told: keys, `synced` and problems. */
  readonly log: string[] = [];
  /** The fast clock's time. */
  nowMs(): number {
    return performance.now() * speed;
  }

  /** Waits that were begun, in milliseconds of the fast clock. */
  readonly waits: number[] = [];
  readonly #lines: { readonly text: string; readonly resource: unknown }[] = [];
  readonly #faults: unknown[] = [];
  readonly #unhandled = (reason: unknown) => this.#faults.push(reason);
  #told = 0;

  /** What a reader who only reads what it is told about knows. */
  readonly mirror = new Map<ObjectKey, WorldObject>();

  static async open(
    timing: Partial<Timing> = {},
    kinds: Kinds = { policies: policyKinds },
    protobuf: ProtobufForms | null = null,
  ): Promise<FastWorld> {
    const world = new FastWorld(timing, kinds, protobuf);
    const server = await world.server.start();
    world.#server = server;
    return world;
  }

  #server: URL | null = null;
  #started = false;

  private constructor(timing: Partial<Timing>, kinds: Kinds, protobuf: ProtobufForms | null) {
    this.server = new FakeApiServer(null, protobuf);
    process.on("unhandledRejection", this.#unhandled);
    const clock: Clock = {
      now: () => performance.now() * speed,
      after: (ms, task) => {
        this.waits.push(ms);
        const timer = setTimeout(task, ms / speed);
        return {
          cancel: () => {
            clearTimeout(timer);
          },
        };
      },
    };
    const access = async () => {
      if (this.#server === null) throw new Error("the server is not started");
      return { server: this.#server, options: {} };
    };
    this.api = new HttpApi({
      credentials: { access, renew() {}, close() {} },
      clock,
      // Of this machine rather than of the fast clock: 0.5 s.
      timeouts: {
        credentialsMs: 500 * speed,
        connectMs: 500 * speed,
        answerMs: 500 * speed,
        idleMs: 500 * speed,
      },
    });
    const line = (level: string) => (message: string, fields?: Readonly<Record<string, unknown>>) => {
      this.#lines.push({ text: `${level} ${message}`, resource: fields?.["resource"] });
    };
    const logger: Logger = { debug() {}, info: line("info"), warn: line("warn"), error: line("error") };
    this.source = new KubeSource({
      api: this.api,
      ...kinds,
      clock,
      random: Math.random,
      logger,
      fatal: (error) => this.#faults.push(error),
      timing: { probeMs: withoutProbes, ...timing },
    });
  }

  start(): void {
    this.source.start({
      changed: (key) => {
        this.log.push(key);
        this.#reflect(key);
      },
      synced: () => this.log.push("synced"),
      problem: (problem) => this.log.push(formatSourceProblem(problem)),
    });
    this.#started = true;
  }

  async synced(): Promise<void> {
    if (!this.#started) this.start();
    await eventually(() => {
      expect(this.log).toContain("synced");
    });
    expect(this.log.filter((line) => line === "synced")).toHaveLength(1);
    this.#told = this.log.length;
  }

  /** Waits for exactly this, since `synced` or the last time. */
  async told(lines: readonly string[]): Promise<void> {
    await eventually(() => {
      expect(this.log.slice(this.#told)).toEqual(lines);
    });
    this.#told = this.log.length;
  }

  /** A call for an object that does not differ is a defect. */
  #reflect(key: ObjectKey): void {
    const [before, now] = [this.mirror.get(key) ?? null, this.source.read(key)];
    if (isDeepStrictEqual(before, now)) this.#faults.push(`${key} was told but does not differ`);
    if (now === null) this.mirror.delete(key);
    else this.mirror.set(key, now);
  }

  /** Log lines about a resource, above debug. */
  logged(resource: string): readonly string[] {
    return this.#lines.filter((line) => line.resource === resource).map(({ text }) => text);
  }

  async close(): Promise<void> {
    await this.source.stop();
    this.api.close();
    await this.server.stop();
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", this.#unhandled);
    expect(this.#faults).toEqual([]);
  }
}
