// Rows of others: what OVN-Kubernetes writes for a NetworkPolicy, a default deny, an egress firewall, multicast and a
// namespace, under the same owner-controller as ours, and a look-alike of ours by another controller. They must never change.

import { prepare, Wire } from "../../bench/observer/wire.ts";

interface Foreign {
  readonly table: "Port_Group" | "Address_Set" | "ACL";
  readonly row: Readonly<Record<string, unknown>>;
}

const ids = (type: string, name: string, controller = "default-network-controller") => {
  const all = {
    "k8s.ovn.org/id": `${controller}:${type}:${name}`,
    "k8s.ovn.org/owner-controller": controller,
    "k8s.ovn.org/owner-type": type,
    "k8s.ovn.org/name": name,
  };
  return ["map", Object.entries(all)];
};
const acl = (type: string, name: string, row: Readonly<Record<string, unknown>>) => ({
  op: "insert",
  table: "ACL",
  "uuid-name": type.toLowerCase(),
  row: { direction: "to-lport", tier: 2, external_ids: ids(type, name), ...row },
});
const group = (type: string, name: string) => ({
  op: "insert",
  table: "Port_Group",
  row: {
    name: `their_${type.toLowerCase()}`,
    acls: ["named-uuid", type.toLowerCase()],
    external_ids: ids(type, name),
  },
});
const set = (type: string, name: string, addresses: readonly string[], controller?: string) => ({
  op: "insert",
  table: "Address_Set",
  row: {
    name: `their_${type.toLowerCase()}`,
    addresses: ["set", addresses],
    external_ids: ids(type, name, controller),
  },
});

const operations = [
  acl("NetworkPolicy", "a:web", { priority: 1001, match: "tcp.dst == 7070", action: "allow-related" }),
  group("NetworkPolicy", "a:web"),
  acl("NetpolNamespace", "a", { priority: 1000, match: "ip", action: "drop", name: "NP:a:Ingress" }),
  group("NetpolNamespace", "a"),
  acl("EgressFirewall", "a", { priority: 9999, match: "ip4.dst == 203.0.113.0/24", action: "drop" }),
  group("EgressFirewall", "a"),
  acl("MulticastNamespace", "a", { priority: 1012, match: "mcast", action: "allow" }),
  group("MulticastNamespace", "a"),
  set("Namespace", "a", ["10.0.0.1", "10.0.0.2"]),
  set("NetworkPolicy", "a:web", ["10.0.0.9"]),
  set("AdminNetworkPolicy", "first", ["10.9.9.9"], "somebody-else"),
];

const tables = ["Port_Group", "Address_Set", "ACL"] as const;

async function ask(remote: string, requests: readonly unknown[]): Promise<unknown> {
  const wire = await Wire.open(remote);
  try {
    return await wire.send(prepare("transact", ["OVN_Northbound", ...requests]));
  } finally {
    wire.close();
  }
}

export async function plantForeign(remote: string): Promise<void> {
  await ask(remote, operations);
}

/** Every column of every row of others, uuids too, as text. `isOurs` is asked with a row's external_ids. */
export async function foreignRows(
  remote: string,
  isOurs: (externalIds: ReadonlyMap<string, string>) => boolean,
): Promise<string> {
  const answers = (await ask(
    remote,
    tables.map((table) => ({ op: "select", table, where: [] })),
  )) as readonly { readonly rows?: readonly Readonly<Record<string, unknown>>[] }[];
  const found: Foreign[] = tables.flatMap((table, at) =>
    (answers[at]?.rows ?? []).map((row) => ({ table, row })),
  );
  return found
    .filter(({ row }) => {
      const [, pairs] = row["external_ids"] as readonly [string, readonly (readonly [string, string])[]];
      return !isOurs(new Map(pairs));
    })
    .map(({ table, row }) => {
      // A server makes new versions of all rows when it starts.
      const columns = Object.entries(row).filter(([column]) => column !== "_version");
      return JSON.stringify([table, columns.sort()]);
    })
    .sort()
    .join("\n");
}
