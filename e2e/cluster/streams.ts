// Two pods that connect to a server all the time, on a node that takes no other pods: a NetworkPolicy allows those of `allowed`, and an
// AdminNetworkPolicy denies those of `denied`. Whatever happens to Northgate, what comes of their connections must stay the same.

import { patience } from "../../test/support/patience.ts";
import { eventually } from "../../test/support/eventually.ts";
import type { Cluster } from "./cluster.ts";
import { applyPod, applyStream, connects, countOf, type Counted } from "./stream.ts";

const waitMs = 60_000;
const port = 8080;

export interface Counts {
  readonly allowed: Counted;
  readonly denied: Counted;
}

export class Streams {
  /** Address and port of the server, which takes connections of `allowed` alone. */
  readonly target: string;
  readonly #cluster: Cluster;
  #isWide = false;
  /** Of the AdminNetworkPolicy. */
  #priority = 5;

  private constructor(cluster: Cluster, target: string) {
    this.#cluster = cluster;
    this.target = target;
  }

  /**
   * Northgate must enforce already. Before the streams begin, a pod of each name was seen to connect, or not, from the node `from`.
   */
  static async start(cluster: Cluster, node: string, from: string): Promise<Streams> {
    const kubectl = (...args: readonly string[]) =>
      cluster.plane.kubectl(args, { timeoutMs: patience(120_000) });
    await applyPod(cluster, {
      name: "server",
      node,
      port,
      command: ["/agnhost", "netexec", "--http-port=8080"],
    });
    await kubectl("wait", "--for=condition=Ready", "pod/server", "--timeout=60s");
    const ip = await kubectl("get", "pod", "server", "-o", "jsonpath={.status.podIP}");
    const streams = new Streams(cluster, `${ip}:${port}`);
    await streams.#apply(isolated("server", "allowed"));
    await streams.#apply(denied("closed", streams.#priority));
    const sleep = "while :; do read -t 60 <> <(:) || :; done";
    const names = ["allowed", "denied", "later"];
    for (const name of names)
      await applyPod(cluster, {
        ...{ name, node: name === "later" ? node : from },
        command: ["/bin/bash", "-c", sleep],
      });
    const pods = names.map((name) => `pod/${name}`);
    await kubectl("wait", "--for=condition=Ready", ...pods, "--timeout=60s");
    const { target } = streams;
    await eventually(async () => {
      const seen = await Promise.all(names.map((name) => connects(cluster, name, target)));
      if (seen.join() !== "true,false,false") throw new Error(`${names.join()} connect: ${seen.join()}`);
    }, waitMs);
    await kubectl("delete", "pod", "allowed", "denied", "--wait=true");
    // By the same names and labels, so that the same policies select them.
    await applyStream(cluster, "allowed", node, { target, expected: "connected" });
    await applyStream(cluster, "denied", node, { target, expected: "refused" });
    await eventually(async () => {
      const counts = await streams.counts();
      if (counts.allowed.connected <= 5 || counts.denied.refused <= 1)
        throw new Error("the streams have not begun");
    }, waitMs);
    return streams;
  }

  /** Since they began. */
  async counts(): Promise<Counts> {
    const [allowed, refused] = await Promise.all([
      countOf(this.#cluster, "allowed"),
      countOf(this.#cluster, "denied"),
    ]);
    return { allowed, denied: refused };
  }

  /** The pod `later` may connect too, or may no longer: an edit that whoever writes must enforce. */
  async edit(): Promise<void> {
    this.#isWide = !this.#isWide;
    await this.#apply(isolated("server", "allowed", ...(this.#isWide ? ["later"] : [])));
  }

  /** Another generation of the AdminNetworkPolicy, of the same meaning: its priority changes. */
  async renew(): Promise<void> {
    this.#priority++;
    await this.#apply(denied("closed", this.#priority));
  }

  #apply(object: object): Promise<string> {
    return this.#cluster.plane.kubectl(["apply", "-f", "-"], { input: JSON.stringify(object) });
  }
}

/** A NetworkPolicy: the pod takes connections from these alone. */
function isolated(name: string, ...from: readonly string[]): object {
  return {
    ...{ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name } },
    spec: {
      podSelector: { matchLabels: { app: name } },
      ingress: [
        {
          from: [{ podSelector: { matchExpressions: [{ key: "app", operator: "In", values: from }] } }],
        },
      ],
    },
  };
}

/** An AdminNetworkPolicy: nobody takes connections of the pod `denied`. */
function denied(name: string, priority: number): object {
  const peers = { namespaceSelector: {}, podSelector: { matchLabels: { app: "denied" } } };
  return {
    ...{ apiVersion: "policy.networking.k8s.io/v1alpha1", kind: "AdminNetworkPolicy", metadata: { name } },
    spec: {
      ...{ priority, subject: { namespaces: {} } },
      ingress: [{ name: "closed", action: "Deny", from: [{ pods: peers }] }],
    },
  };
}
