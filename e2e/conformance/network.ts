// The pod network of a conformance cluster on OVN, done by the project's stand-ins for the CNI and the chassis. An answer to the node
// agent means that it is in force in the dataplane. A pod that is plugged in already is plugged in anew, as its interface may be gone.

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
import { Balancers } from "./balancers.ts";
import type { Attachment, PodChange } from "./network-requests.ts";
import { NetworkRequests } from "./network-requests.ts";
import { type Nodes, throughOvn } from "./nodes.ts";

export interface Databases {
  /** Of the dataplane. */
  readonly ovn: Ovn;
  /** By node, databases that have ports and no dataplane, as a cluster of one zone for each node has them. */
  readonly zones?: ReadonlyMap<string, Ovn>;
}

export class Network {
  readonly socket: string;
  readonly chassis: Chassis;
  readonly #ovn: Ovn;
  readonly #nodes: Nodes;
  readonly #holder: NamespaceProcess;
  readonly #requests: NetworkRequests;
  readonly #pods = new Map<string, PodFact>();
  /** A database of its own for each node, which has the node's switch and ports alone; none: there is one for all. */
  readonly #zones: ReadonlyMap<string, Ovn>;

  private constructor(
    { ovn, zones = new Map() }: Databases,
    nodes: Nodes,
    holder: NamespaceProcess,
    chassis: Chassis,
  ) {
    this.socket = join(ovn.dir, "network.sock");
    this.chassis = chassis;
    this.#ovn = ovn;
    this.#zones = zones;
    this.#nodes = nodes;
    this.#holder = holder;
    const switches = nodes.specs.map(({ name }) => name);
    const balancers = new Balancers(ovn, switches);
    this.#requests = new NetworkRequests({
      perform: (changes) => this.#perform(changes),
      balance: (wanted) => balancers.become(wanted),
    });
  }

  static async open(databases: Databases, nodes: Nodes): Promise<Network> {
    const holder = await NamespaceProcess.hold();
    try {
      const chassis = await startChassis(databases.ovn, { datapath: "netdev", runIn: holder.enter });
      const network = new Network(databases, nodes, holder, chassis);
      await network.#start();
      return network;
    } catch (error) {
      await holder.end();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#requests.close();
    await this.chassis.stop();
    await this.#holder.end();
  }

  async #start(): Promise<void> {
    await this.#writePorts();
    const { pid, enter } = this.#nodes.router;
    await this.#plug([{ port: externalPort, netns: `/proc/${pid}/ns/net`, enter }]);
    await this.#nodes.connect(this.#ovn.dir, throughOvn);
    await this.chassis.sync();
    await this.#requests.listen(this.socket);
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
  async #plug(
    places: readonly { readonly port: string; readonly netns: string; readonly enter: readonly string[] }[],
  ): Promise<void> {
    await this.chassis.plug(places.map(({ port }) => port));
    const stacks = stacksOf(this.#facts(), []);
    const moves = places.map(
      ({ port, netns }) => `link set ${this.chassis.interfaceOf(port)} netns ${netns} name eth0`,
    );
    await ipIn(this.#holder.enter, join(this.#ovn.dir, "ip.moves"), moves);
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
    await this.chassis.unplug(batch.map(({ pod }) => portOf(pod)));
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
        netns: pod.netns,
        enter: ["nsenter", `--net=${pod.netns}`],
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
