// A private Northbound database of one server or three, with rows of others in it, one or two instances of the program, and a
// witness on each server. Edits objects, waits until the rows are those of a fresh start on them, and says what was wrong.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { policies, references } from "../../src/dialects.ts";
import { loadManifests } from "../../src/informers/index.ts";
import type { KubernetesObject } from "../../test/kube/api.ts";
import { steadyPort } from "../../test/kube/background.ts";
import type { Operation } from "../../src/ovsdb/index.ts";
import { Guard } from "../../tools/sandbox/guard.ts";
import { steps } from "../../e2e/steps.ts";
import { freshTables, openNorthbound } from "../../test/support/controller.ts";
import { Server, startCluster } from "../../test/ovsdb/real-server.ts";
import { Cluster } from "./cluster.ts";
import { foreignRows, plantForeign } from "./foreign.ts";
import { differences, type Images, imagesOf } from "./images.ts";
import { Instance } from "./instance.ts";
import { isOurs, Observer } from "./observer.ts";
import { until } from "./until.ts";
import { type Edited, names, objectsOf, otherNode, portsOf } from "./world.ts";

export interface ArenaOptions {
  readonly servers: 1 | 3;
  readonly instances: 1 | 2;
  /** The second instance has one more policy. */
  readonly differ: boolean;
  /** What edits concern: all that steps.ts has, or the policy that counts alone. */
  readonly edits: "all" | "counted";
  /** Where objects come from: a folder for each instance unless told. */
  readonly source?: "api";
  /** Flags of every instance. */
  readonly args?: readonly string[];
  /** The node for which the instances write; there is another one too. All nodes unless told. */
  readonly zone?: string;
  /** Each instance serves its metrics at one port for all its processes, for a Prometheus that reads them. */
  readonly steadyMetrics?: true;
  /** The main file of the program that the instances are at first; this tree's unless given. */
  readonly program?: string;
}

export class Arena {
  readonly options: ArenaOptions;
  readonly dir: string;
  readonly servers: readonly Server[];
  readonly instances: readonly Instance[];
  readonly observers: readonly Observer[];
  readonly cluster: Cluster | null;
  readonly #guards: readonly Guard[];
  #edited: Edited = { taken: new Set(), edition: 0 };
  #wanted: ReadonlyMap<boolean, Images> = new Map();
  #foreign = "";
  /** What an instance or a policy said of itself and was not so. */
  wrongStatus = 0;

  private constructor(
    options: ArenaOptions,
    dir: string,
    servers: readonly Server[],
    cluster: Cluster | null,
    metricsPorts: readonly number[],
  ) {
    this.cluster = cluster;
    this.options = options;
    this.dir = dir;
    this.servers = servers;
    const [first] = servers;
    this.#guards = [...new Set([dir, first?.folder ?? dir])].map((one) => new Guard(one));
    writeFileSync(join(dir, "northgate.yaml"), "log-level: info\n");
    this.instances = ["a", "b"].slice(0, options.instances).map((name, at) => {
      const kubeconfig = cluster?.kubeconfigs[at];
      const source =
        kubeconfig === undefined ? {} : { source: ["--source=kube", `--kubeconfig=${kubeconfig}`] };
      const args = [
        ...(options.args ?? []),
        ...(options.zone === undefined ? [] : [`--zone=${options.zone}`]),
      ];
      const withOwn = name === "b" && options.differ;
      return new Instance({
        ...{ name, dir, servers, withOwn, args, metricsPort: metricsPorts[at] ?? 0 },
        ...(options.program === undefined ? {} : { program: options.program }),
        ...source,
      });
    });
    const rules = {
      isSteady: (policy: string) =>
        options.edits === "all" ? policy === names.steady : policy !== names.counted && policy !== names.own,
      hasOwn: (pid: number) => this.instances.find(({ pids }) => pids.has(pid))?.withOwn ?? null,
    };
    this.observers = servers.map(({ remote }) => new Observer(remote, rules));
  }

  /** The first instance leads and has written everything; the second stands by. */
  static async open(options: ArenaOptions): Promise<Arena> {
    const dir = mkdtempSync("/tmp/ngf-");
    const servers = options.servers === 1 ? [new Server()] : await startCluster();
    const cluster = options.source === "api" ? await Cluster.start() : null;
    const isSteady = options.steadyMetrics === true;
    const metricsPorts = isSteady ? [await steadyPort(), await steadyPort()] : [];
    const arena = new Arena(options, dir, servers, cluster, metricsPorts);
    try {
      await arena.#prepare();
      return arena;
    } catch (error) {
      await arena.close();
      throw error;
    }
  }

  /** The witness that sees the database now; after a fault it may be one of several. */
  get observer(): Observer {
    const [first] = this.observers;
    const found = this.observers.find(({ ready }) => ready) ?? first;
    if (found === undefined) throw new Error("there is no server");
    return found;
  }

  /** The instance whose process holds the claim. */
  get leader(): Instance {
    const { holder } = this.observer;
    const found = this.instances.find(({ pid }) => pid !== null && pid === holder);
    if (found === undefined) throw new Error(`no instance is the holder, ${String(holder)}`);
    return found;
  }

  get standby(): Instance {
    const { leader } = this;
    const found = this.instances.find((one) => one !== leader);
    if (found === undefined) throw new Error("there is one instance");
    return found;
  }

  /** Changes objects of all instances; resolves when they are written. */
  async edit(): Promise<void> {
    const { taken, edition } = this.#edited;
    const next =
      this.options.edits === "counted"
        ? taken
        : new Set(steps.filter((step) => (Math.random() < 0.3 ? !taken.has(step) : taken.has(step))));
    this.#edited = { taken: next, edition: edition + 1 };
    for (const one of this.instances) one.write(this.#objects(one.withOwn));
    this.#wanted = new Map();
    await this.cluster?.become(this.#objects(false));
  }

  /** Resolves when the rows are a fresh start's of the claim's holder, with the milliseconds that it took. */
  async converged(limitMs = 60_000): Promise<number> {
    let difference = "";
    const check = (): boolean => {
      const { observer } = this;
      const holder = this.instances.find(({ pid }) => pid !== null && pid === observer.holder);
      if (!observer.ready || holder === undefined) {
        difference = "no instance holds the claim";
        return false;
      }
      const wrong = differences(this.#wantedBy(holder), observer.images);
      difference = wrong.map(({ key }) => key).join(", ");
      return wrong.length === 0;
    };
    return until("the rows are those of a fresh start", check, limitMs).catch((error: unknown) => {
      throw new Error(`${error instanceof Error ? error.message : ""}: ${difference.slice(0, 500)}`);
    });
  }

  /** Cuts the holder's connections; when it is back, it has written nothing. Returns the transactions that it wrote. */
  async reconnect(): Promise<void> {
    const { leader } = this;
    await leader.ready();
    const before = await leader.metrics();
    for (const proxy of leader.proxies) await proxy.cut();
    await leader.listen();
    const count = (name: string, scrape = before) => scrape.value(name) ?? 0;
    const [reconnects, transactions] = [
      "northgate_nb_reconnects_total",
      "northgate_nb_transactions_total",
    ] as const;
    let after = before;
    await until("the program is connected again", async () => {
      after = await leader.metrics();
      return count(reconnects, after) > count(reconnects) && (await leader.readiness()).startsWith("ok");
    });
    const wrote = count(transactions, after) - count(transactions);
    if (wrote !== 0)
      this.observer.wrongs.push(`a reconnect to an unchanged database wrote ${wrote} transactions`);
  }

  /** What must never be and was since the last call; rows of others are compared too. */
  async wrongs(): Promise<readonly string[]> {
    const found = this.observers.flatMap(({ wrongs }) => wrongs.splice(0));
    if ((await this.#foreignNow()) !== this.#foreign) found.push("rows of others are not what they were");
    return found;
  }

  judge(judges: boolean): void {
    for (const one of this.observers) one.judge(judges);
  }

  get lost(): number {
    return this.observers.reduce((most, { lost }) => Math.max(most, lost), 0);
  }

  get refused(): number {
    return this.instances.reduce((sum, { refused }) => sum + refused, 0);
  }

  async close(): Promise<void> {
    for (const one of this.instances) await one.close();
    for (const one of this.observers) await one.close();
    await this.cluster?.stop();
    for (const server of this.servers) server.kill();
    for (const guard of this.#guards) await guard.dismiss();
    for (const dir of [this.dir, ...this.servers.map(({ folder }) => folder)])
      rmSync(dir, { recursive: true, force: true });
  }

  async #prepare(): Promise<void> {
    for (const one of this.observers) await one.opened();
    const [first] = this.servers;
    if (first === undefined) throw new Error("there is no server");
    await addPorts(first.remote, portsOf(objectsOf(this.#edited, true)));
    await plantForeign(first.remote);
    this.#foreign = await this.#foreignNow();
    await this.edit();
    for (const one of this.instances) {
      await one.start();
      await this.converged();
      await one.ready();
    }
    const wanted = this.#wantedBy(this.leader);
    // The members of a cluster know of a commit at different times.
    await until("every witness has seen all rows", () =>
      this.observers.every(({ images }) => differences(wanted, images).length === 0),
    );
    this.judge(true);
  }

  #objects(withOwn: boolean): readonly KubernetesObject[] {
    const others = this.options.zone === undefined ? [] : [otherNode];
    return [...objectsOf(this.#edited, withOwn), ...others];
  }

  async #foreignNow(): Promise<string> {
    const server = this.servers[this.observers.indexOf(this.observer)];
    return foreignRows(server?.remote ?? "", isOurs);
  }

  /** As text; computed once for each state of the objects. */
  #wantedBy({ withOwn, folder }: Instance): Images {
    const known = this.#wanted.get(withOwn);
    if (known !== undefined) return known;
    const { objects } = loadManifests([folder], policies, references);
    const wanted = imagesOf(freshTables(objects, { families: null, zone: this.options.zone ?? null }));
    this.#wanted = new Map([...this.#wanted, [withOwn, wanted]]);
    return wanted;
  }
}

/** A logical switch with these ports. */
export async function addPorts(remote: string, ports: readonly string[]): Promise<void> {
  const session = openNorthbound(remote);
  await session.opened();
  const inserts = ports.map((name, at): Operation => ({
    op: "insert",
    table: "Logical_Switch_Port",
    uuidName: `port${at}`,
    row: { name },
  }));
  const row = { name: "sw", ports: ports.map((_, at) => ({ named: `port${at}` })) };
  await session.transact([...inserts, { op: "insert", table: "Logical_Switch", row }]);
  await session.close();
}
