// Random ClusterNetworkPolicies of both tiers, out of the contents that AdminNetworkPolicies are made of: the same peers,
// ports and packets. Every policy made here is accepted by its dialect, and by it after a few rules more.

import fc from "fast-check";
import type { PolicyObject } from "../../src/model/object.ts";
import type { PolicySpec } from "../support/policies.ts";
import { cnp } from "../support/policies.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Below the 25 that the API takes. */
const mostRules = 20;

/** The names tell the tiers apart for those who count what packets meet. */
export const namePrefix = { Admin: "ca-", Baseline: "cb-" } as const;

export function clusterPolicies(content: fc.Arbitrary<PolicySpec>): fc.Arbitrary<readonly PolicyObject[]> {
  const place = fc.record({
    tier: fc.constantFrom("Admin" as const, "Baseline" as const, "Baseline" as const),
    priority: fc.constantFrom(0, 1, 10, 99, 1000),
  });
  const places = fc.uniqueArray(place, {
    minLength: 1,
    maxLength: 3,
    selector: ({ tier, priority }) => `${tier} ${priority}`,
  });
  const some = fc
    .tuple(places, fc.array(content, { minLength: 3, maxLength: 3 }), fc.boolean())
    .map(([chosen, contents, anywhere]) =>
      chosen.map(({ tier, priority }, at) =>
        cnp(`${namePrefix[tier]}${at}`, { tier, priority, ...translated(contents[at] ?? {}, anywhere) }),
      ),
    );
  return fc.oneof(fc.constant([]), { weight: 2, arbitrary: some });
}

/** `anywhere`: subjects of pods name no namespaces. */
export function translated({ subject, ingress, egress }: PolicySpec, anywhere: boolean): PolicySpec {
  const rules = (list: readonly unknown[]) => list.slice(0, mostRules).map((rule) => ruleOf(fieldsOf(rule)));
  return {
    subject: anywhere ? withoutNamespaces(fieldsOf(subject)) : subject,
    ...(ingress === undefined ? {} : { ingress: rules(ingress) }),
    ...(egress === undefined ? {} : { egress: rules(egress) }),
  };
}

function withoutNamespaces(subject: Fields): Fields {
  if (subject["pods"] === undefined) return subject;
  return { pods: { podSelector: fieldsOf(subject["pods"])["podSelector"] } };
}

function ruleOf({ action, ports, ...rest }: Fields): Fields {
  return {
    ...rest,
    action: action === "Allow" ? "Accept" : action,
    ...(Array.isArray(ports) ? { protocols: ports.map((entry) => entryOf(fieldsOf(entry))) } : {}),
  };
}

function entryOf({ portNumber, portRange, namedPort }: Fields): Fields {
  if (namedPort !== undefined) return { destinationNamedPort: namedPort };
  if (portNumber !== undefined) {
    const { protocol, port } = fieldsOf(portNumber);
    return of(protocol, { number: port });
  }
  if (portRange === undefined) return { protocolOfTheFuture: {} };
  const { protocol, start, end } = fieldsOf(portRange);
  // Only the older API takes a range of one port, and one that ends before it starts.
  return of(protocol, Number(start) < Number(end) ? { range: { start, end } } : { number: start });
}

function of(protocol: unknown, destinationPort: Fields): Fields {
  return { [typeof protocol === "string" ? protocol.toLowerCase() : "tcp"]: { destinationPort } };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
