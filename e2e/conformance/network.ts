// The pod network of a conformance cluster: what the node agent asks for over a unix socket (e2e/node-agent/network.go), done
// by the project's stand-ins for the CNI and the chassis. An answer means that it is in force in the dataplane. Requests
// that come at once are worked off together; a pod that is plugged in already is plugged in anew, as its interface may be gone.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import type { NodeFact, PodFact } from "../../src/model/facts.ts";
import { familyOf, parseCidr, parseIp } from "../../src/model/ip.ts";
import { noLabels } from "../../src/model/labels.ts";
import { type Chassis, startChassis } from "../../tools/sandbox/chassis.ts";
import { applyCni } from "../../tools/sandbox/cni.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { externalPort, portOf } from "../../tools/sandbox/topology.ts";
import { NamespaceProcess } from "../../test/support/netns.ts";
import { commandsOf, ipIn, stacksOf } from "../../test/support/stacks.ts";
import { type Balancer, Balancers } from "./balancers.ts";
import type { Nodes } from "./nodes.ts";

/** As e2e/node-agent/network.go has it. */
interface Attachment {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  readonly ips: readonly string[] | null;
  readonly pid: number;
}

interface Request {
  readonly what: "attach" | "detach";
  readonly pod: Attachment;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

export class Network {
  readonly socket: string;
  readonly chassis: Chassis;
  readonly #ovn: Ovn;
  readonly #nodes: Nodes;
  readonly #holder: NamespaceProcess;
  readonly #server: Server;
  readonly #balancers: Balancers;
  readonly #pods = new Map<string, PodFact>();
  #waiting: Request[] = [];
  #working: Promise<void> | null = null;

  private constructor(ovn: Ovn, nodes: Nodes, holder: NamespaceProcess, chassis: Chassis) {
    this.socket = join(ovn.dir, "network.sock");
    this.chassis = chassis;
    this.#ovn = ovn;
    this.#nodes = nodes;
    this.#holder = holder;
    const switches = nodes.specs.map(({ name }) => name);
    this.#balancers = new Balancers(ovn, switches);
    this.#server = createServer((request, response) => {
      void this.#serve(request, response);
    });
  }

  static async open(ovn: Ovn, nodes: Nodes): Promise<Network> {
    const holder = await NamespaceProcess.hold();
    try {
      const chassis = await startChassis(ovn, { datapath: "netdev", runIn: holder.enter });
      const network = new Network(ovn, nodes, holder, chassis);
      await network.#start();
      return network;
    } catch (error) {
      await holder.end();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
    await this.#working;
    await this.chassis.stop();
    await this.#holder.end();
  }

  async #start(): Promise<void> {
    await applyCni(this.#ovn, this.#facts());
    await this.#plug([{ port: externalPort, pid: this.#nodes.router.pid, enter: this.#nodes.router.enter }]);
    await this.#nodes.connect(this.#ovn.dir);
    await this.chassis.sync();
    await new Promise<void>((done) => this.#server.listen(this.socket, done));
  }

  #facts() {
    const nodes = this.#nodes.specs.map(({ name, internalIPs, podCIDRs }): NodeFact => {
      const families = podCIDRs.flatMap((text) => parseCidr(text) ?? []).map(familyOf);
      return {
        kind: "Node",
        name,
        labels: noLabels,
        ips: internalIPs.flatMap((ip) => parseIp(ip) ?? []),
        podFamilies: families,
      };
    });
    return { nodes, pods: [...this.#pods.values()] };
  }

  /** Interfaces for logical ports that NB has, each as eth0 in the namespace of its process. */
  async #plug(
    places: readonly { readonly port: string; readonly pid: number; readonly enter: readonly string[] }[],
  ): Promise<void> {
    await this.chassis.plug(places.map(({ port }) => port));
    const stacks = stacksOf(this.#facts(), []);
    const moves = places.map(
      ({ port, pid }) => `link set ${this.chassis.interfaceOf(port)} netns ${pid} name eth0`,
    );
    await ipIn(this.#holder.enter, join(this.#ovn.dir, "ip.moves"), moves);
    await Promise.all(
      places.map(async ({ port, pid, enter }) => {
        const stack = stacks.get(port);
        if (stack === undefined) throw new Error(`${port} has no place in the topology`);
        // Behind the external port is the world: its routes are the nodes'.
        const gateways = port === externalPort ? [] : stack.gateways;
        await ipIn(enter, join(this.#ovn.dir, `ip.${pid}`), commandsOf({ ...stack, gateways }));
      }),
    );
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = `${request.method ?? ""} ${request.url ?? ""}`;
    try {
      const body: unknown = JSON.parse(await textOf(request));
      if (asked === "PUT /balancers") await this.#balancers.become(body as readonly Balancer[]);
      else if (asked === "PUT /pods") await this.#ask("attach", body as Attachment);
      else if (asked === "DELETE /pods") await this.#ask("detach", body as Attachment);
      else throw new Error(`nobody does ${asked}`);
      response.end();
    } catch (error) {
      response.statusCode = 500;
      response.end(error instanceof Error ? error.message : String(error));
    }
  }

  #ask(what: Request["what"], pod: Attachment): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ what, pod, done, failed });
      this.#working ??= this.#work().finally(() => (this.#working = null));
    });
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      await new Promise((turn) => setImmediate(turn)); // those that come at once come together
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#perform(batch);
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
  }

  async #perform(batch: readonly Request[]): Promise<void> {
    await this.chassis.unplug(batch.map(({ pod }) => portOf(pod)));
    for (const { what, pod } of batch) {
      if (what === "attach") this.#pods.set(portOf(pod), factOf(pod));
      else this.#pods.delete(portOf(pod));
    }
    await applyCni(this.#ovn, this.#facts());
    const attached = batch.filter(({ what }) => what === "attach").map(({ pod }) => pod);
    if (attached.length === 0) return;
    await this.#plug(
      attached.map((pod) => ({
        port: portOf(pod),
        pid: pod.pid,
        enter: ["nsenter", `--target=${pod.pid}`, "--net"],
      })),
    );
    await this.chassis.sync();
  }
}

function factOf({ namespace, name, node, ips }: Attachment): PodFact {
  return {
    ...{ kind: "Pod", namespace, name, labels: noLabels, node, serviceAccount: "default" },
    ...{ hostNetwork: false, completed: false, ports: [] },
    ips: (ips ?? []).flatMap((ip) => parseIp(ip) ?? []),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  request.setEncoding("utf8");
  for await (const chunk of request) text += String(chunk);
  return text;
}
