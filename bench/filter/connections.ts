// What a new connection takes between two pods of a node, with a NetworkPolicy of their namespace alone, and with those of others too.

import { fileURLToPath } from "node:url";
import { namespacesNamed } from "../../src/model/selectable.ts";
import { tiers } from "../../src/policy/ir.ts";
import { contractPolicy, rulesOf } from "../../test/backend/policies.ts";
import { drivenBackend } from "../../test/netfilter/driven.ts";
import { ipsOf, openNode, own, podNames } from "../../test/netfilter/three-pods.ts";
import type { Variant } from "../../test/netfilter/tools.ts";
import { namespace, node, pod, podGroup, withLabels } from "../../test/support/facts.ts";
import { run } from "../../tools/sandbox/program.ts";
import type { Size } from "./workload.ts";
import { small } from "./workload.ts";

const script = fileURLToPath(new URL("connect.pl", import.meta.url));
const [rounds, connections] = [5, 400];

/** Microseconds, the middle ones of each round. */
export interface ConnectionTimes {
  readonly alone: readonly number[];
  readonly amongOthers: readonly number[];
}

/** Both take turns. */
export async function connectionTimes(variant: Variant, size: Size): Promise<ConnectionTimes> {
  const opened = await openNode();
  const { driver, stop } = await drivenBackend(opened.namespace, variant, own);
  try {
    driver.see(namespace("x"), node(own, {}, ipsOf(own)));
    driver.see(
      ...podNames.map((name) => pod("x", name, { node: own, labels: { app: name }, ips: ipsOf(name) })),
    );
    driver.apply(ofOwnNamespace);
    const others = Array.from({ length: size.policies }, (_, at) => small(size, at));
    const times = { alone: [] as number[], amongOthers: [] as number[] };
    const measured = async () => {
      const { interrupted, refused } = await driver.commit();
      if (interrupted !== null || refused.size > 0) throw new Error(interrupted ?? "refused");
      const [enter = "", ...words] = opened.of("a").process.enter;
      const { stdout } = await run(enter, [
        ...words,
        "perl",
        script,
        ipsOf("b")[0] ?? "",
        "80",
        String(connections),
      ]);
      return Number(stdout);
    };
    for (let round = 0; round < rounds; round++) {
      times.alone.push(await measured());
      for (const policy of others) driver.apply(policy);
      times.amongOthers.push(await measured());
      for (const { key } of others) driver.remove(key);
    }
    return times;
  } finally {
    stop();
    await opened.close();
  }
}

const everyPod = podGroup(namespacesNamed(["x"]), withLabels({}));

/** Its pods take connections from one another. */
const ofOwnNamespace = contractPolicy({
  ...{ name: "own", namespace: "x", tier: tiers.namespaced, subject: [everyPod] },
  unmatched: { ingress: "deny", egress: "next" },
  rules: { ingress: rulesOf({ action: "allow", peers: [everyPod] }) },
});
