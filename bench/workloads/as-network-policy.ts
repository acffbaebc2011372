// A workload's AdminNetworkPolicy as a NetworkPolicy with the same selectors. It says less: every rule allows, the subject is in
// one namespace, and of nodes there is nothing to say. Throws for a form that no workload has.

import type { PolicyObject } from "../../src/model/object.ts";
import { np } from "../../test/support/policies.ts";

type Json = Readonly<Record<string, unknown>>;

export function asNetworkPolicy({ name, spec }: PolicyObject, namespace: string): PolicyObject {
  const { subject, ingress, egress } = fieldsOf(spec);
  const pods = fieldsOf(fieldsOf(subject)["pods"])["podSelector"];
  return np(
    name,
    {
      podSelector: pods ?? {},
      policyTypes: ["Ingress", "Egress"],
      ingress: listOf(ingress).map((rule) => ruleOf(rule, "from")),
      egress: listOf(egress).map((rule) => ruleOf(rule, "to")),
    },
    namespace,
  );
}

function ruleOf(rule: Json, side: "from" | "to"): Json {
  const { ports } = rule;
  const peers = listOf(rule[side]).flatMap(peersOf);
  return { [side]: peers, ...(ports === undefined ? {} : { ports: listOf(ports).map(portOf) }) };
}

function peersOf({ namespaces, pods, networks, nodes }: Json): readonly Json[] {
  if (namespaces !== undefined) return [{ namespaceSelector: namespaces }];
  if (pods !== undefined) return [fieldsOf(pods)];
  if (networks !== undefined) return (networks as readonly string[]).map((cidr) => ({ ipBlock: { cidr } }));
  if (nodes !== undefined) return [];
  throw new Error("a peer of no known form");
}

function portOf({ portNumber, portRange, namedPort }: Json): Json {
  const { start, end, protocol } = fieldsOf(portRange);
  if (portNumber !== undefined) return fieldsOf(portNumber);
  if (portRange !== undefined) return { protocol, port: start, endPort: end };
  if (namedPort !== undefined) return { port: namedPort };
  throw new Error("a port of no known form");
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

function fieldsOf(value: unknown): Json {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
