// The ways of packets that no random world has: a Service that leads back to its client, a load balancer's connections, a node and its
// own pods, rules of somebody else, and denied packets that get no answer.

import { afterEach, expect, test } from "@jest/globals";
import type { DenyForm } from "../../src/netfilter/options.ts";
import type { IpAddress } from "../../src/model/ip.ts";
import type { Policy } from "../../src/policy/ir.ts";
import { everyPeer, tiers } from "../../src/policy/ir.ts";
import { contractPolicy, rulesOf } from "../backend/policies.ts";
import { namespace, node, pod, podGroup, withLabels } from "../support/facts.ts";
import { patience } from "../support/patience.ts";
import { everything } from "../../src/model/selector.ts";
import { describeWithNetfilter } from "./describe.ts";
import { textsOf } from "./nodes.ts";
import type { Stack } from "./node.ts";
import { TestNode } from "./node.ts";
import { serve, virtual as services } from "./services.ts";
import { RealFilter, variants } from "./tools.ts";

const own = "node-1";
const world = {
  namespaces: new Map([["x", namespace("x")]]),
  nodes: [node(own, {}, ["172.18.0.2", "fd18::2"])],
  hostNames: [],
  pods: [
    pod("x", "a", { labels: { app: "a" }, ips: ["10.0.0.1", "fd00::1"] }),
    pod("x", "b", { labels: { app: "b" }, ips: ["10.0.0.2", "fd00::2"] }),
  ],
};
const podsOf = (app: string) => podGroup(everything, withLabels({ app }));
const tcp80 = [{ kind: "port", protocol: "tcp", port: 80 }] as const;
/** Isolates every pod; `a` may ask `b`. */
const isolation: Policy = contractPolicy({
  ...{ name: "isolation", tier: tiers.namespaced, unmatched: { ingress: "deny", egress: "deny" } },
  rules: {
    egress: rulesOf({ action: "allow", subject: [podsOf("a")], peers: [podsOf("b")], ports: tcp80 }),
    ingress: rulesOf({ action: "allow", subject: [podsOf("b")], peers: [podsOf("a")], ports: tcp80 }),
  },
});
const behindBalancer: Policy = contractPolicy({
  name: "behind-balancer",
  rules: { egress: rulesOf({ action: "deny", peers: everyPeer, translated: true }) },
});

const stackOf = (name: string, ips: readonly IpAddress[]): Stack => ({
  ...{ name, ips, isBridged: false },
  listens: ips.flatMap((ip) => [80, 81].map((port) => ({ protocol: "tcp", ip, port }) as const)),
});

/** nftables counts only where a rule says so. */
function counted(text: string): string {
  return text.replaceAll(" log prefix ", " counter log prefix ");
}

const families = [
  ["10.0.0.2", services.v4, "172.18.0.2"],
  ["fd00::2", services.v6, "fd18::2"],
] as const;

for (const { name: variant, tool, flavour } of variants)
  describeWithNetfilter(variant, flavour, () => {
    let opened: TestNode | null = null;
    afterEach(async () => {
      await opened?.close();
      opened = null;
    });

    /** Resolves with a question: what a pod, or the node, sees of an address. */
    async function start(
      policies: readonly Policy[],
      deny: DenyForm = "reject",
      edited: (text: string) => string = (text) => text,
    ) {
      const [mine] = world.nodes;
      const stacks = world.pods.map(({ name, ips }) => stackOf(name, ips));
      const routed = await TestNode.open(stackOf(own, mine?.ips ?? []), stacks);
      opened = routed;
      const filter = new RealFilter(routed.namespace, flavour);
      filter.load(edited(textsOf(world, policies, { deny }, tool)(own)));
      const sees = (from: string, address: string, port = 80, waitMs = 5000) =>
        routed.of(from).ask("probe", "tcp", address, port, patience(waitMs));
      return { filter, sees };
    }

    test("isolation leaves what is allowed, answers, neighbours and the node's own way", async () => {
      const { sees } = await start([isolation]);
      for (const [b, , host] of families) {
        expect(await sees("a", b)).toBe("allow");
        expect(await sees("a", b, 81)).toBe("ECONNREFUSED");
        expect(await sees(own, b, 81)).toBe("allow");
        expect(await sees("a", host)).toBe("ECONNREFUSED");
      }
    });

    test("a pod reaches itself through a Service, whatever isolates it", async () => {
      const { filter, sees } = await start([isolation]);
      serve(filter, 1);
      for (const [, virtual] of families) {
        expect(await sees("a", virtual, 81)).toBe("allow");
        expect(await sees("b", virtual)).toBe("ECONNREFUSED");
      }
    });

    test("a rule about a load balancer's connections is about no others", async () => {
      const { filter, sees } = await start([behindBalancer]);
      serve(filter, 2);
      for (const [b, virtual] of families) {
        expect(await sees("a", virtual)).toBe("ECONNREFUSED");
        expect(await sees("a", b)).toBe("allow");
      }
    });

    test("what is allowed is still asked of the rules of others", async () => {
      const { filter, sees } = await start([isolation]);
      const foreign =
        "*filter\n-A FORWARD -p tcp -m tcp --dport 80 -j REJECT --reject-with tcp-reset\nCOMMIT\n";
      filter.restore("iptables", foreign);
      expect(await sees("a", "10.0.0.2")).toBe("ECONNREFUSED");
      expect(await sees("a", "fd00::2")).toBe("allow");
    });

    test("what is logged goes to NFLOG, and on to the rule that decides", async () => {
      const logging = { allow: "info", deny: "info", pass: null, reject: null } as const;
      const { filter, sees } = await start([{ ...isolation, logging }], "reject", counted);
      expect(await sees("a", "10.0.0.2")).toBe("allow");
      expect(await sees("a", "10.0.0.2", 81)).toBe("ECONNREFUSED");
      const logged = (where: string) => filter.logged(`CP isolation ${where}`);
      expect([logged("egress 0"), logged("ingress 0"), logged("egress isolation")]).toEqual([[1], [1], [1]]);
    });

    test("with --deny drop, what is denied gets no answer", async () => {
      const { sees } = await start([isolation], "drop");
      expect(await sees("a", "10.0.0.2")).toBe("allow");
      expect(await sees("a", "10.0.0.2", 81, 500)).toBe("drop");
      expect(await sees("a", "fd00::2", 81, 500)).toBe("drop");
    });
  });
