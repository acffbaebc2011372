// Pods whose network stacks are the kernel's: one namespace and one prober a pod and one for the world outside, joined by a
// chassis on the netdev datapath that lives in a namespace too. The switches of all nodes live on that chassis, as in
// dataplane.ts. After `close`, or when opening fails, no process, namespace or interface of it is left.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PodFact } from "../../src/model/facts.ts";
import type { IpAddress } from "../../src/model/ip.ts";
import { type Chassis, startChassis } from "../../tools/sandbox/chassis.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { externalPort, type Facts, portOf } from "../../tools/sandbox/topology.ts";
import { NamespaceProcess } from "../support/netns.ts";
import { commandsOf, ipIn, type Stack, stacksOf, withoutLength } from "../support/stacks.ts";

const prober = fileURLToPath(new URL("prober.ts", import.meta.url));

export interface Service {
  readonly protocol: "tcp" | "udp" | "sctp";
  readonly port: number;
}

/** A prober as seen from here. */
export class PodSockets {
  readonly process: NamespaceProcess;
  readonly #waiting = new Map<string, (word: string) => void>();
  #asked = 0;

  constructor(process: NamespaceProcess) {
    this.process = process;
    process.heard = (line) => {
      const [id = "", word = ""] = line.split(" ");
      this.#waiting.get(id)?.(word);
      this.#waiting.delete(id);
    };
  }

  /** As prober.ts says. */
  ask(verb: string, ...words: readonly (string | number)[]): Promise<string> {
    return this.send(verb, ...words).answer;
  }

  /** As `ask`, with the id under which the prober knows the request. */
  send(verb: string, ...words: readonly (string | number)[]) {
    const id = String(this.#asked++);
    const answer = new Promise<string>((resolve) => this.#waiting.set(id, resolve));
    this.process.say([id, verb, ...words].join(" "));
    return { id, answer };
  }
}

export interface PodNetworkOptions {
  /** Addresses that the world outside answers to. */
  readonly outside: readonly IpAddress[];
  /** What every pod, and every address outside, serves. */
  readonly services: readonly Service[];
}

export class PodNetwork {
  readonly #ovn: Ovn;
  readonly #holder: NamespaceProcess;
  readonly #pods = new Map<string, PodSockets>();
  #chassis: Chassis | null = null;

  private constructor(ovn: Ovn, holder: NamespaceProcess) {
    this.#ovn = ovn;
    this.#holder = holder;
  }

  /** The ports must be in NB. */
  static async open(ovn: Ovn, facts: Facts, options: PodNetworkOptions): Promise<PodNetwork> {
    const network = new PodNetwork(ovn, await NamespaceProcess.hold());
    try {
      await network.#start(stacksOf(facts, options.outside), options.services);
      return network;
    } catch (error) {
      await network.close();
      throw error;
    }
  }

  /** The pod's sockets; null: those of the world outside. */
  of(pod: PodFact | null): PodSockets {
    const name = pod === null ? externalPort : portOf(pod);
    const sockets = this.#pods.get(name);
    if (sockets === undefined) throw new Error(`${name} is not on this network`);
    return sockets;
  }

  get chassis(): Chassis {
    if (this.#chassis === null) throw new Error("the network is closed");
    return this.#chassis;
  }

  /** The network namespaces that are its own. */
  namespaces(): ReadonlySet<string> {
    const processes = [this.#holder, ...[...this.#pods.values()].map((pod) => pod.process)];
    return new Set(processes.map(({ namespace }) => namespace));
  }

  async close(): Promise<void> {
    await this.#chassis?.stop();
    this.#chassis = null;
    await Promise.all([...this.#pods.values()].map(({ process }) => process.end()));
    await this.#holder.end();
  }

  async #start(stacks: ReadonlyMap<string, Stack>, services: readonly Service[]): Promise<void> {
    const chassis = await startChassis(this.#ovn, { datapath: "netdev", runIn: this.#holder.enter });
    this.#chassis = chassis;
    await Promise.all([
      chassis.plug(stacks.keys()),
      ...[...stacks.keys()].map(async (port) => {
        const process = await this.#holder.beside([globalThis.process.execPath, prober]);
        this.#pods.set(port, new PodSockets(process));
      }),
    ]);
    const pods = [...this.#pods];
    const move = pods.map(
      ([port, { process }]) => `link set ${chassis.interfaceOf(port)} netns ${process.pid} name eth0`,
    );
    await this.#ip(this.#holder, move);
    for (const [port, pod] of pods) {
      const stack = stacks.get(port);
      if (stack !== undefined) await this.#configure(pod, stack, services);
    }
    await chassis.sync();
  }

  async #configure(pod: PodSockets, stack: Stack, services: readonly Service[]): Promise<void> {
    await this.#ip(pod.process, commandsOf(stack));
    for (const address of [...stack.addresses.map(withoutLength), ...stack.hosts]) {
      for (const { protocol, port } of services) {
        const word = await pod.ask("listen", protocol, address, port);
        if (word !== "ok") throw new Error(`listening on ${protocol} ${address} ${port}: ${word}`);
      }
    }
  }

  /** Commands of `ip` in the process's namespace. */
  #ip(process: NamespaceProcess, commands: readonly string[]): Promise<void> {
    return ipIn(process.enter, join(this.#ovn.dir, `ip.${process.pid}`), commands);
  }
}
