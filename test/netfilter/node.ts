// A node that routes between its pods, or has them on a bridge, each in a network namespace of its own with sockets of the kernel. Pods
// of other nodes, those nodes and the world outside are namespaces too, reached through the node: only what is local is filtered, so
// their place does not matter. After `close`, or when opening fails, no process, namespace or interface is left.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { IpAddress } from "../../src/model/ip.ts";
import { run } from "../../tools/sandbox/program.ts";
import { PodSockets } from "../proof/pod-network.ts";
import { NamespaceProcess } from "../support/netns.ts";
import { gatewayAt, linkTo, podSide } from "../support/routed-links.ts";
import { ipIn } from "../support/stacks.ts";

const prober = fileURLToPath(new URL("../proof/prober.ts", import.meta.url));
const program = [process.execPath, prober];
/** Where something answers. */
export interface Listened {
  readonly protocol: "tcp" | "udp" | "sctp-init";
  readonly ip: IpAddress;
  readonly port: number;
}

/** An end of connections: a pod, another node, or the world outside. */
export interface Stack {
  readonly name: string;
  readonly ips: readonly IpAddress[];
  readonly listens: readonly Listened[];
  /** Whether it is on the node's bridge, beside the others that are. */
  readonly isBridged: boolean;
}

const bridge = "br0";

export class TestNode {
  readonly namespace: NamespaceProcess;
  readonly #folder = mkdtempSync(join(tmpdir(), "northgate-node-"));
  readonly #ends = new Map<string, PodSockets>();

  private constructor(namespace: NamespaceProcess) {
    this.namespace = namespace;
  }

  /** `own`: the node's addresses. */
  static async open(own: Stack, others: readonly Stack[]): Promise<TestNode> {
    const node = new TestNode(await NamespaceProcess.hold());
    try {
      await node.#start(own, others);
      return node;
    } catch (error) {
      await node.close();
      throw error;
    }
  }

  of(name: string): PodSockets {
    const sockets = this.#ends.get(name);
    if (sockets === undefined) throw new Error(`${name} is not on this node's network`);
    return sockets;
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#ends.values(), ({ process }) => process.end()));
    await this.namespace.end();
    rmSync(this.#folder, { recursive: true });
  }

  async #start(own: Stack, others: readonly Stack[]): Promise<void> {
    this.#ends.set(own.name, new PodSockets(await this.namespace.inside(program)));
    const started = others.map(async ({ name }) => {
      this.#ends.set(name, new PodSockets(await this.namespace.beside(program)));
    });
    await Promise.all(started);
    const bridged = others.filter(({ isBridged }) => isBridged);
    await this.#ip(this.namespace, [
      "link set lo up",
      ...own.ips.map((ip) => `address add ${ip} dev lo nodad`),
      ...(bridged.length === 0 ? [] : [`link add ${bridge} type bridge`, ...gatewayAt(bridge)]),
      ...others.flatMap((stack, at) => this.#nodeSide(stack, at)),
    ]);
    const settings = [
      ...["ipv4/ip_forward", "ipv6/conf/all/forwarding"],
      ...(bridged.length === 0 ? [] : ["bridge/bridge-nf-call-iptables", "bridge/bridge-nf-call-ip6tables"]),
    ];
    const [enter = "", ...words] = this.namespace.enter;
    for (const name of settings)
      await run(enter, [...words, "/bin/sh", "-c", `echo 1 > /proc/sys/net/${name}`]);
    for (const stack of others) {
      const neighbours = stack.isBridged ? bridged.filter((other) => other !== stack) : [];
      await this.#ip(
        this.of(stack.name).process,
        podSide(
          stack.ips,
          neighbours.flatMap(({ ips }) => ips),
        ),
      );
    }
    await Promise.all([own, ...others].map((stack) => this.#serve(stack)));
  }

  /** A pair of interfaces; the pod's end moves into its namespace. */
  #nodeSide({ name, ips, isBridged }: Stack, at: number): readonly string[] {
    const link = `pod${at}`;
    return [
      linkTo(this.of(name).process.pid, link),
      ...(isBridged ? [`link set ${link} master ${bridge} up`] : gatewayAt(link)),
      ...ips.map((ip) => `route add ${ip} dev ${isBridged ? bridge : link}`),
    ];
  }

  async #serve({ name, listens }: Stack): Promise<void> {
    for (const { protocol, ip, port } of listens) {
      const word = await this.of(name).ask("listen", protocol, ip, port);
      if (word !== "ok") throw new Error(`listening on ${protocol} ${ip} ${port}: ${word}`);
    }
  }

  #ip(process: NamespaceProcess, commands: readonly string[]): Promise<void> {
    return ipIn(process.enter, join(this.#folder, `ip.${process.pid}`), commands);
  }
}
