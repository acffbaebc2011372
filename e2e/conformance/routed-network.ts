// The pod network of a conformance cluster whose nodes route, as with flannel's host-gw or kindnet: each node is a network namespace
// that its pods hang on, and a router joins the nodes. Services are NAT rules on each node. An answer to the node agent means that the
// pod can send and receive; its addresses come to the sets of `northgate run` as the API shows them.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { parseIp } from "../../src/model/ip.ts";
import { RealFilter } from "../../test/netfilter/tools.ts";
import type { NamespaceProcess } from "../../test/support/netns.ts";
import { gatewayAt, linkTo, podSide } from "../../test/support/routed-links.ts";
import { ipIn } from "../../test/support/stacks.ts";
import type { Balancer } from "./balancers.ts";
import type { Attachment, PodChange } from "./network-requests.ts";
import { NetworkRequests } from "./network-requests.ts";
import { forwarding, type Nodes, throughNode } from "./nodes.ts";
import { servicesHooks, servicesText } from "./service-rules.ts";

const tools = ["iptables", "ip6tables"] as const;

export class RoutedNetwork {
  readonly socket: string;
  readonly #dir: string;
  readonly #nodes: Nodes;
  readonly #requests: NetworkRequests;
  /** The links of attached pods, by pod. */
  readonly #links = new Map<string, { readonly node: NamespaceProcess; readonly link: string }>();
  #made = 0;

  private constructor(dir: string, nodes: Nodes) {
    this.socket = join(dir, "network.sock");
    this.#dir = dir;
    this.#nodes = nodes;
    this.#requests = new NetworkRequests({
      perform: (changes) => this.#perform(changes),
      balance: (wanted) => {
        this.#balance(wanted);
        return Promise.resolve();
      },
    });
  }

  /** `dir`: for its socket, and for files of the moment. */
  static async open(dir: string, nodes: Nodes): Promise<RoutedNetwork> {
    const network = new RoutedNetwork(dir, nodes);
    await nodes.connect(dir, throughNode);
    for (const holder of nodes.holders) {
      await forwarding(holder);
      for (const tool of tools) new RealFilter(holder, "nft").restore(tool, servicesHooks);
    }
    await network.#requests.listen(network.socket);
    return network;
  }

  async close(): Promise<void> {
    await this.#requests.close();
    rmSync(this.socket, { force: true });
  }

  async #perform(changes: readonly PodChange[]): Promise<void> {
    for (const { what, pod } of changes) {
      await this.#detach(pod);
      if (what === "attach") await this.#attach(pod);
    }
  }

  async #attach(pod: Attachment): Promise<void> {
    const node = this.#nodes.holders[this.#nodes.specs.findIndex(({ name }) => name === pod.node)];
    if (node === undefined) throw new Error(`there is no node ${pod.node}`);
    const ips = (pod.ips ?? []).flatMap((text) => parseIp(text) ?? []);
    const link = `pod${this.#made++}`;
    this.#links.set(keyOf(pod), { node, link });
    await ipIn(node.enter, join(this.#dir, `ip.${link}`), [
      ...[linkTo(pod.netns, link), ...gatewayAt(link)],
      ...ips.map((ip) => `route add ${ip} dev ${link}`),
    ]);
    const enter = ["nsenter", `--net=${pod.netns}`];
    await ipIn(enter, join(this.#dir, `ip.${link}`), podSide(ips));
  }

  /** The link may have ended with the pod's namespace. */
  async #detach(pod: Attachment): Promise<void> {
    const known = this.#links.get(keyOf(pod));
    this.#links.delete(keyOf(pod));
    if (known === undefined) return;
    const { node, link } = known;
    await ipIn(node.enter, join(this.#dir, `ip.${link}`), [`link delete ${link}`]).catch(() => undefined);
  }

  #balance(wanted: readonly Balancer[]): void {
    for (const holder of this.#nodes.holders)
      for (const tool of tools)
        new RealFilter(holder, "nft").restore(tool, servicesText(wanted, tool === "ip6tables"));
  }
}

function keyOf({ namespace, name }: Attachment): string {
  return `${namespace}/${name}`;
}
