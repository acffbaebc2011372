// The backend contract, part four: each value of the IR by name. A backend says it, and then its verdicts are in force, or
// refuses it when asked. What it says it does not lose: another value is another state.

import { describe, expect, test } from "@jest/globals";
import type { Connection } from "../../src/policy/evaluate.ts";
import { judge } from "../../src/policy/evaluate.ts";
import type { EndPorts, Peer, PortMatch } from "../../src/policy/ir.ts";
import { noPorts } from "../../src/policy/normal-form.ts";
import { tiers } from "../../src/policy/ir.ts";
import { hostNamesLike } from "../../src/model/selectors/host-names.ts";
import { podsRunningAs } from "../../src/model/selectable.ts";
import { everything } from "../../src/model/selector.ts";
import { podGroup } from "../support/facts.ts";
import type { PolicyText } from "./policies.ts";
import { contractPolicy, rulesOf } from "./policies.ts";
import type { Stage } from "./stage.ts";
import { connectionsBetween, fence, smallWorld, tenant } from "./stage.ts";
import { cidr } from "./vocabulary.ts";

const denied = (...ports: readonly PortMatch[]): PolicyText => ({
  name: "value",
  rules: { ingress: rulesOf({ ports }) },
});
const source = { start: 1000, end: 1999 };
const named = (...names: readonly string[]): EndPorts => ({ ranges: [], names, except: noPorts });
const but = (...names: readonly string[]): EndPorts => ({
  ...{ ranges: [{ start: 1, end: 65535 }], names: [], except: { ranges: [], names } },
});
const declared = (ends: { readonly from?: EndPorts; readonly to?: EndPorts }): PortMatch => ({
  ...{ kind: "declared", protocol: "tcp", from: null, to: null },
  ...ends,
});
const followingNone = "allows that follow no connections, before a deny";

/** Of IPv4 some pods' and one pod's not, of IPv6 all. */
const someAddresses = {
  networks: [cidr("10.0.0.0/24"), cidr("::/0")],
  except: [cidr("10.0.0.2/32")],
};

function hosts(pattern: string): Peer {
  const names = hostNamesLike(pattern);
  if (names === null) throw new Error(pattern);
  return { kind: "hostNames", names };
}

/** Each with the policies that it needs to be seen. */
const values: readonly (readonly [string, readonly PolicyText[]])[] = [
  ["a reject", [{ name: "value", rules: { ingress: rulesOf({ action: "reject" }) } }]],
  ["a port with source ports", [denied({ kind: "port", protocol: "tcp", port: 80, source })]],
  ["a range with source ports", [denied({ kind: "range", protocol: "tcp", start: 80, end: 81, source })]],
  ["a name with source ports", [denied({ kind: "named", name: "http", source })]],
  ["a name of one protocol", [denied({ kind: "named", name: "http", protocol: "udp" })]],
  ...(["network", "everything"] as const).map((kind): readonly [string, readonly PolicyText[]] => {
    const peer: Peer =
      kind === "network" ? { kind, cidr: cidr("10.0.0.0/30"), except: [cidr("10.0.0.2/32")] } : { kind };
    const port: PortMatch = { kind: "named", name: "http", protocol: "tcp" };
    const rules = { egress: rulesOf({ peers: [peer, tenant("y")], ports: [port] }) };
    return [`a name at the addresses of a peer of kind ${kind}`, [{ name: "value", rules }]];
  }),
  ["a name of the source's ports", [denied(declared({ from: named("http") }))]],
  ["names of both ends", [denied(declared({ from: named("dns"), to: named("http") }))]],
  ["ports that the destination does not declare", [denied(declared({ to: but("http") }))]],
  [
    "ports that the source does not declare",
    [denied(declared({ from: but("http", "dns"), to: named("http") }))],
  ],
  ["no ports but those that nobody declares", [denied(declared({ to: but("nobodys") }))]],
  ...(["ingress", "egress"] as const).map((direction): readonly [string, readonly PolicyText[]] => {
    const peer: Peer = { kind: "network", cidr: cidr("10.0.0.0/30"), except: [] };
    const ports = [declared({ from: named("http") }), declared({ to: but("http") })];
    return [
      `declared ports of both ends, at the addresses of a network, in ${direction}`,
      [{ name: "value", rules: { [direction]: rulesOf({ peers: [peer, tenant("y")], ports }) } }],
    ];
  }),
  ["an IP protocol by number", [denied({ kind: "protocol", number: 47 })]],
  ["a protocol that has a name by number", [denied({ kind: "protocol", number: 6 })]],
  ["any ICMP", [denied({ kind: "icmp", family: null, type: null, code: null })]],
  ["ICMP of one family", [denied({ kind: "icmp", family: "v6", type: null, code: null })]],
  ["several IP protocols", [denied({ kind: "protocols", numbers: [1, 6, 47] })]],
  ["no IP protocol", [denied({ kind: "protocols", numbers: [] })]],
  ["ICMP but a type", [denied({ kind: "otherIcmp", family: "v4", type: 8, code: null })]],
  ["ICMP but a code of a type", [denied({ kind: "otherIcmp", family: "v4", type: 3, code: 0 })]],
  ["one ICMP type and code", [denied({ kind: "icmp", family: null, type: 3, code: 1 })]],
  ["no port at all", [denied()]],
  ...(["deny", "allow", "pass", "reject"] as const).map(
    (action): readonly [string, readonly PolicyText[]] => {
      const through = {
        action,
        translated: true as const,
        ports: [{ kind: "named", name: "http" }] as const,
      };
      const egress = rulesOf(through, { peers: [tenant("y")] });
      return [
        `a rule about a load balancer's connections: ${action}`,
        [{ name: "value", rules: { egress } }],
      ];
    },
  ),
  [
    "a rule about a load balancer's connections where they arrive",
    [{ name: "value", rules: { ingress: rulesOf({ translated: true }) } }],
  ],
  [
    "a rule about a load balancer's connections that follows none",
    [{ name: "value", stateless: true, rules: { egress: rulesOf({ action: "allow", translated: true }) } }],
  ],
  ["a union as subject", [{ ...fence, name: "value", subject: [tenant("x"), tenant("y")] }]],
  ["nobody as subject", [{ ...fence, name: "value", subject: [] }]],
  [
    "pods by service account",
    [{ ...fence, name: "value", subject: [podGroup(everything, podsRunningAs(["default"]))] }],
  ],
  [
    "a rule with a subject of its own",
    [{ name: "value", subject: [tenant("x")], rules: { egress: rulesOf({ subject: [tenant("y")] }) } }],
  ],
  [
    "a rule with a subject of its own and a name",
    [
      {
        name: "value",
        subject: [tenant("y")],
        rules: { ingress: rulesOf({ subject: [tenant("x")], ports: [{ kind: "named", name: "http" }] }) },
      },
    ],
  ],
  [
    "a network with exceptions",
    [
      {
        name: "value",
        rules: {
          egress: rulesOf({
            peers: [{ kind: "network", cidr: cidr("10.0.0.0/8"), except: [cidr("10.0.1.0/24")] }],
          }),
        },
      },
    ],
  ],
  [
    "pods of a group by some addresses",
    [
      {
        name: "value",
        rules: {
          ingress: rulesOf({ peers: [{ kind: "narrowed", pods: tenant("y"), ...someAddresses }] }),
          egress: rulesOf({
            peers: [{ kind: "narrowed", pods: tenant("y"), ...someAddresses }, tenant("x")],
          }),
        },
      },
    ],
  ],
  [
    "addresses of the rule's own side",
    [
      {
        name: "value",
        rules: {
          ingress: rulesOf({ own: someAddresses, peers: [tenant("y"), { kind: "everything" }] }),
          egress: rulesOf({ own: someAddresses, peers: [{ kind: "everything" }] }),
        },
      },
    ],
  ],
  ...(["ingress", "egress"] as const).map((direction): readonly [string, readonly PolicyText[]] => {
    const named: PortMatch = { kind: "named", name: "http" };
    const narrowed: Peer = { kind: "narrowed", pods: tenant("y"), ...someAddresses };
    const rules = rulesOf(
      { own: someAddresses, ports: [named] },
      { peers: [narrowed], ports: [named] },
      { own: { networks: [], except: [] } },
    );
    return [`a name beside some addresses, ${direction}`, [{ name: "value", rules: { [direction]: rules } }]];
  }),
  ["a host name", [{ name: "value", rules: { egress: rulesOf({ peers: [hosts("A.Example.org.")] }) } }]],
  [
    "host names of a pattern, and one that was never answered",
    [
      {
        name: "value",
        rules: { egress: rulesOf({ peers: [hosts("*.example.org"), hosts("nobody.test")] }) },
      },
    ],
  ],
  [
    "a name of ports at the addresses of host names",
    [
      {
        name: "value",
        rules: { egress: rulesOf({ peers: [hosts("a.*")], ports: [{ kind: "named", name: "http" }] }) },
      },
    ],
  ],
  [
    "everything as a peer",
    [{ name: "value", rules: { ingress: rulesOf({ peers: [{ kind: "everything" }] }) } }],
  ],
  ["no peers", [{ name: "value", rules: { ingress: rulesOf({ peers: [] }) } }]],
  [
    "shares of one rule",
    [
      {
        name: "value",
        rules: {
          ingress: ["x", "y"].flatMap((share) =>
            rulesOf({ share, subject: [tenant(share)], peers: [tenant(share)] }),
          ),
        },
      },
    ],
  ],
  [
    "a default deny behind the rules of every policy of its tier",
    [
      { name: "value", tier: tiers.namespaced, priority: 1, unmatched: { ingress: "deny", egress: "next" } },
      {
        name: "other",
        tier: tiers.namespaced,
        priority: 2,
        rules: { ingress: rulesOf({ action: "allow" }) },
      },
    ],
  ],
  ["a default deny of egress", [{ name: "value", unmatched: { ingress: "next", egress: "deny" } }]],
  [
    "a pass over the rest of its tier",
    [
      { name: "value", priority: 1, rules: { ingress: rulesOf({ action: "pass", peers: [tenant("x")] }) } },
      { name: "other", priority: 2, rules: { ingress: rulesOf({}) } },
      {
        name: "behind",
        tier: tiers.baseline,
        priority: 0,
        rules: { ingress: rulesOf({ peers: [tenant("y")] }) },
      },
    ],
  ],
  [
    "a tier of its own between the others",
    [
      {
        name: "value",
        tier: { name: "between", order: 1.5 },
        rules: { ingress: rulesOf({ action: "allow" }) },
      },
      { name: "behind", tier: tiers.baseline, priority: 0, rules: { ingress: rulesOf({}) } },
    ],
  ],
  [
    followingNone,
    [
      {
        ...fence,
        name: "value",
        stateless: true,
        priority: 1,
        rules: { ingress: rulesOf({ action: "allow" }) },
      },
      { ...fence, name: "other", priority: 2 },
    ],
  ],
  ["a high priority", [{ ...fence, name: "value", priority: 1_000_000 }]],
  [
    "a hundred and one rules",
    [{ name: "value", rules: { ingress: rulesOf(...Array.from({ length: 101 }, () => ({}))) } }],
  ],
];

export function valuesContract(current: () => Stage): void {
  describe("a value of the IR is in force, or refused when asked:", () => {
    test.each(values)("%s", async (name, texts) => {
      const driver = await current().start();
      const policies = texts.map(contractPolicy);
      const isRefused = policies.some((policy) => driver.backend.admit(policy).length > 0);
      expect(isRefused).toBe(current().harness.refuses.has(name));
      if (isRefused) return;
      driver.seeWorld(smallWorld);
      driver.apply(...policies);
      await current().settle(driver);
      const snapshot = await current().harness.snapshot();
      const wrong = connections()
        .map((connection) => ({
          connection: `${connection.from.ip} ${connection.to.ip} ${JSON.stringify({ ...connection, from: 0, to: 0 })}`,
          stored: snapshot.judge(connection),
          meant: judge(connection, smallWorld, policies).verdict,
        }))
        .filter(({ stored, meant }) => stored !== meant);
      expect(wrong).toEqual([]);
      const next = await current().start();
      next.seeWorld(smallWorld);
      next.apply(...policies);
      await current().settle(next);
      expect(current().harness.written()).toBe(0);
    });

    test("allows that follow connections are no allows that do not: an edit of one into the other is in force", async () => {
      const allows = { name: "value", rules: { ingress: rulesOf({ action: "allow" }, {}) } };
      if (current().harness.refuses.has(followingNone)) {
        const driver = await current().start();
        expect(driver.backend.admit(contractPolicy({ ...allows, stateless: true }))).not.toEqual([]);
        return;
      }
      const fresh = new Map<boolean, string>();
      for (const stateless of [true, false]) {
        await current().harness.clear();
        const driver = await current().start();
        for (const isEdited of [true, false]) {
          const policy = contractPolicy({
            ...allows,
            ...(stateless === isEdited ? {} : { stateless: true }),
          });
          expect(driver.backend.admit(policy)).toEqual([]);
          driver.apply(policy);
          await current().settle(driver);
          const known = fresh.get(stateless !== isEdited);
          if (known === undefined) fresh.set(stateless !== isEdited, await current().state());
          else expect(await current().state()).toBe(known);
        }
      }
      expect(new Set(fresh.values()).size).toBe(2);
    });

    test("logging of one rule, and its label", async () => {
      const states = new Set<string>();
      const loggings = [null, { severity: "info", label: null }, { severity: "info", label: "a" }] as const;
      for (const logging of loggings) {
        await current().harness.clear();
        const driver = await current().start();
        const policy = contractPolicy({ name: "value", rules: { ingress: rulesOf({ logging }) } });
        expect(driver.backend.admit(policy)).toEqual([]);
        driver.apply(policy);
        await current().settle(driver);
        states.add(await current().state());
      }
      expect(states.size).toBe(loggings.length);
    });
  });
}

/** Every two ends, by every protocol that the values name. */
function connections(): readonly Connection[] {
  return connectionsBetween(smallWorld).flatMap((connection): readonly Connection[] => [
    connection,
    { ...connection, translated: true },
    { ...connection, sourcePort: 1500 },
    { ...connection, sourcePort: 2000 },
    { ...connection, protocol: "udp" },
    { ...connection, protocol: "icmp", port: 0 },
    { ...connection, protocol: "icmp", port: 0, icmp: { type: 3, code: 1 } },
    { ...connection, protocol: 47, port: 0 },
  ]);
}
