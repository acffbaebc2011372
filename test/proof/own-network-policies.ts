// Random NetworkPolicies as objects, for a program that follows them: every form of a peer, of a port and of policyTypes.
// They take the place of those whose rows another owner writes. Every policy made here is accepted by its dialect.

import fc from "fast-check";
import { installed } from "../../src/dialects.ts";
import type { PolicyObject } from "../../src/model/object.ts";
import { selector } from "../scenarios/worlds.ts";
import { np } from "../support/policies.ts";
import { spaces } from "./pods.ts";
import { networks, portNames, portNumbers } from "./rules.ts";
import type { ProofWorld } from "./worlds.ts";
import { worldText } from "./worlds.ts";
import { kindFlags } from "../support/dialects.ts";

/** Smaller networks inside, of which a rule takes those that fit. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  "0.0.0.0/0": ["10.0.0.0/24", "172.18.0.0/16"],
  "10.0.0.0/8": ["10.0.1.0/24", "10.0.0.16/29", "10.0.0.17/32"],
  "10.0.0.0/24": ["10.0.0.17/32"],
  "::/0": ["fd00:0:0:1::/64", "2001:db8::/32"],
  "fd00::/16": ["fd00::10/125"],
};

const ipBlock = fc
  .record({ cidr: fc.constantFrom(...networks), some: fc.integer({ min: 0, max: 3 }) })
  .map(({ cidr, some }) => ({ ipBlock: { cidr, except: (exceptions[cidr] ?? []).slice(0, some) } }));
const selectors = fc.oneof(
  fc.record({ podSelector: selector }),
  fc.record({ namespaceSelector: selector }),
  fc.record({ namespaceSelector: selector, podSelector: selector }),
);
const peer = fc.oneof({ weight: 4, arbitrary: selectors }, { weight: 2, arbitrary: ipBlock });

const protocol = fc.option(fc.constantFrom("TCP", "UDP", "SCTP"), { freq: 4, nil: undefined });
const number = fc.constantFrom(...portNumbers);
const port = fc.oneof(
  { weight: 4, arbitrary: fc.record({ protocol, port: number }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(protocol, fc.constantFrom([79, 81], [80, 80], [1, 52], [8080, 65535]))
      .map(([given, [start, end]]) => ({ protocol: given, port: start, endPort: end })),
  },
  { weight: 3, arbitrary: fc.record({ protocol, port: fc.constantFrom(...portNames, "nobodys") }) },
  { weight: 1, arbitrary: fc.record({ protocol }) },
);

const rule = (side: "from" | "to") =>
  fc
    .record({
      peers: fc.option(fc.array(peer, { maxLength: 2 }), { freq: 3 }),
      ports: fc.option(fc.array(port, { maxLength: 3 }), { freq: 2 }),
      ofTheFuture: fc.integer({ min: 0, max: 19 }),
    })
    .map(({ peers, ports, ofTheFuture }) => ({
      ...(peers === null ? {} : { [side]: peers }),
      ...(ports === null ? {} : { ports }),
      ...(ofTheFuture === 0 ? { galaxies: {} } : {}),
    }));

const policyTypes = fc.constantFrom(undefined, undefined, ["Ingress"], ["Egress"], ["Ingress", "Egress"]);

const content = fc.record({
  podSelector: selector,
  policyTypes,
  ingress: fc.array(rule("from"), { maxLength: 3 }),
  egress: fc.array(rule("to"), { maxLength: 3 }),
});

/** A third of the policies follow no connections, where the program obeys the annotation (`ownDialects`). */
const annotations = fc.constantFrom([], [], [["k8s.ovn.org/acl-stateless", "true"] as const]);

const policies: fc.Arbitrary<readonly PolicyObject[]> = fc
  .array(fc.record({ namespace: fc.constantFrom(...spaces), spec: content, annotations }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((drafts) =>
    drafts.map((draft, at) =>
      np(`np-${at}`, JSON.parse(JSON.stringify(draft.spec)), draft.namespace, draft.annotations),
    ),
  );

/** All kinds, with everything that is asked for by a flag. */
export const ownDialects = installed(kindFlags({ networkPolicy: true, stateless: true })).dialects;

/** The same worlds, with NetworkPolicies that are ours. */
export function withOwnNetworkPolicies(worlds: fc.Arbitrary<ProofWorld>): fc.Arbitrary<ProofWorld> {
  return fc.tuple(worlds, policies).map(([world, own]) => {
    const made: ProofWorld = { objects: [...world.objects, ...own], salt: world.salt };
    return Object.assign(made, { [fc.toStringMethod]: () => worldText(made) });
  });
}
