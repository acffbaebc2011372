// The pod network of a conformance cluster on OVN, done by the project's stand-ins for the CNI and the chassis. An answer to the node
// agent means that it is in force in the dataplane. A pod that is plugged in already is plugged in anew, as its interface may be gone.

import { join } from "node:path";
import type { NodeFact, PodFact } from "../../src/model/facts.ts";
import { familyOf, parseCidr, parseIp } from "../../src/model/ip.ts";
import { noLabels } from "../../src/model/labels.ts";
import { applyCni } from "../../tools/sandbox/cni.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { externalPort, portOf } from "../../tools/sandbox/topology.ts";
import { commandsOf, ipIn, stacksOf } from "../../test/support/stacks.ts";
import { type Balancer, Balancers } from "./balancers.ts";
import { chassisOfNodes, type Dataplane, sharedChassis } from "./dataplane.ts";
import type { Attachment, PodChange } from "./network-requests.ts";
import { NetworkRequests } from "./network-requests.ts";
import { type Nodes, throughOvn } from "./nodes.ts";

export interface Databases {
  /** Of the dataplane. */
  readonly ovn: Ovn;
  /** By node, databases that have ports and no dataplane, as a cluster of one zone for each node has them. */
  readonly zones?: ReadonlyMap<string, Ovn>;
}

export interface NetworkOptions {
  /** One chassis for all nodes, unless each node has its own. */
  readonly chassis?: "shared" | "each";
}

interface Place {
  readonly port: string;
  /** Null: of the external port. */
  readonly node: string | null;
  readonly netns: string;
  readonly enter: readonly string[];
}

export class Network {
  readonly socket: string;
  readonly dataplane: Dataplane;
  readonly #ovn: Ovn;
  readonly #nodes: Nodes;
  readonly #requests: NetworkRequests;
  readonly #balancers: Balancers;
  readonly #pods = new Map<string, PodFact>();
  /** A database of its own for each node, which has the node's switch and ports alone; none: there is one for all. */
  readonly #zones: ReadonlyMap<string, Ovn>;

  private constructor({ ovn, zones = new Map() }: Databases, nodes: Nodes, dataplane: Dataplane) {
    this.socket = join(ovn.dir, "network.sock");
    this.dataplane = dataplane;
    this.#ovn = ovn;
    this.#zones = zones;
    this.#nodes = nodes;
    const switches = nodes.specs.map(({ name }) => name);
    this.#balancers = new Balancers(ovn, switches);
    this.#requests = new NetworkRequests({
      perform: (changes) => this.#perform(changes),
      balance: (wanted) => this.balance(wanted),
    });
  }

  static async open(
    databases: Databases,
    nodes: Nodes,
    { chassis = "shared" }: NetworkOptions = {},
  ): Promise<Network> {
    const { ovn } = databases;
    const dataplane = await (chassis === "shared" ? sharedChassis(ovn) : chassisOfNodes(ovn, nodes));
    try {
      const network = new Network(databases, nodes, dataplane);
      await network.#start();
      return network;
    } catch (error) {
      await dataplane.stop();
      throw error;
    }
  }

  /** Makes these the only load balancers. Call it when the last call has resolved. */
  balance(wanted: readonly Balancer[]): Promise<void> {
    return this.#balancers.become(wanted);
  }

  /** The logical ports that are plugged in. */
  get plugged(): ReadonlySet<string> {
    return new Set(this.dataplane.seats.flatMap(({ chassis }) => [...chassis.plugged]));
  }

  async close(): Promise<void> {
    await this.#requests.close();
    await this.dataplane.stop();
  }

  async #start(): Promise<void> {
    await this.#writePorts();
    const { pid, enter } = this.#nodes.router;
    await this.#plug([{ port: externalPort, node: null, netns: `/proc/${pid}/ns/net`, enter }]);
    await this.#nodes.connect(this.#ovn.dir, throughOvn);
    await this.#sync();
    await this.#requests.listen(this.socket);
  }

  async #sync(): Promise<void> {
    await Promise.all(this.dataplane.seats.map(({ chassis }) => chassis.sync()));
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

  async #writePorts(): Promise<void> {
    const { nodes, pods } = this.#facts();
    await applyCni(this.#ovn, { nodes, pods });
    for (const [name, zone] of this.#zones)
      await applyCni(zone, {
        nodes: nodes.filter((node) => node.name === name),
        pods: pods.filter(({ node }) => node === name),
      });
  }

  /** Interfaces for logical ports that NB has, each as eth0 in its namespace. */
  async #plug(places: readonly Place[]): Promise<void> {
    const stacks = stacksOf(this.#facts(), []);
    for (const [{ chassis, enter }, here] of Map.groupBy(places, ({ node }) => this.dataplane.seatOf(node))) {
      await chassis.plug(here.map(({ port }) => port));
      const moves = here.map(
        ({ port, netns }) => `link set ${chassis.interfaceOf(port)} netns ${netns} name eth0`,
      );
      await ipIn(enter, join(this.#ovn.dir, "ip.moves"), moves);
    }
    await Promise.all(
      places.map(async ({ port, enter }) => {
        const stack = stacks.get(port);
        if (stack === undefined) throw new Error(`${port} has no place in the topology`);
        // Behind the external port is the world: its routes are the nodes'.
        const gateways = port === externalPort ? [] : stack.gateways;
        await ipIn(enter, join(this.#ovn.dir, `ip.${port}`), commandsOf({ ...stack, gateways }));
      }),
    );
  }

  async #perform(batch: readonly PodChange[]): Promise<void> {
    const ports = batch.map(({ pod }) => portOf(pod));
    for (const { chassis } of this.dataplane.seats) await chassis.unplug(ports);
    for (const { what, pod } of batch) {
      if (what === "attach") this.#pods.set(portOf(pod), factOf(pod));
      else this.#pods.delete(portOf(pod));
    }
    await this.#writePorts();
    const attached = batch.filter(({ what }) => what === "attach").map(({ pod }) => pod);
    if (attached.length === 0) return;
    await this.#plug(
      attached.map((pod) => ({
        port: portOf(pod),
        node: pod.node,
        netns: pod.netns,
        enter: ["nsenter", `--net=${pod.netns}`],
      })),
    );
    await this.#sync();
  }
}

function factOf({ namespace, name, node, ips }: Attachment): PodFact {
  return {
    ...{ kind: "Pod", namespace, name, labels: noLabels, node, serviceAccount: "default" },
    ...{ hostNetwork: false, completed: false, ports: [] },
    ips: (ips ?? []).flatMap((ip) => parseIp(ip) ?? []),
  };
}
