// Rows as OVN-Kubernetes' own controller of AdminNetworkPolicy leaves them in a node's database, made by hand: those that its
// documentation prints, and some more in the forms that it has (two families, ranges, protocols, named ports of peers, logging).
// Uses nothing of src: names are hashed here, matches are literal text.

import { readFileSync } from "node:fs";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { parseListing } from "../golden/listing.ts";

type Columns = Readonly<Record<string, unknown>>;

/** One policy: the group, with the names of its ports, its sets and its ACLs. Columns that are not named have OVN's defaults. */
export interface OvnkPolicy {
  readonly group: Columns;
  readonly ports: readonly string[];
  readonly sets: readonly Columns[];
  readonly acls: readonly Columns[];
}

const controller = "default-network-controller";

/** FNV-1a, 64 bits, of the id's bytes. */
export function hashOf(id: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(id)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return `a${hash}`;
}

/** `external_ids` of a row of this policy, with the keys in the order in which the id has their values. */
export function idsOf(type: string, name: string, more: Readonly<Record<string, string>> = {}): Columns {
  return {
    "k8s.ovn.org/owner-controller": controller,
    "k8s.ovn.org/owner-type": type,
    "k8s.ovn.org/name": name,
    ...more,
    "k8s.ovn.org/id": [controller, type, name, ...Object.values(more)].join(":"),
  };
}

/**
 * The two policies that the documentation prints for examples/cluster-control on the node ovn-worker2. Three of its sets were taken
 * with other selectors or networks than its manifests show: they get what the manifests select.
 */
export function documentedPolicies(
  ports: readonly string[],
  sets: Readonly<Record<string, readonly string[]>>,
): readonly OvnkPolicy[] {
  const text = readFileSync(new URL("../golden/documented-rows.txt", import.meta.url), "utf8");
  const rows = parseListing(text).map(({ columns: { _uuid, acls, ports: printed, label, ...columns } }) => ({
    isGroup: acls !== undefined && printed !== undefined,
    columns,
    of: String((columns["external_ids"] as Columns)["k8s.ovn.org/name"]),
    known: [_uuid, label],
  }));
  return ["cluster-control", "default"].map((policy) => {
    const mine = rows.filter(({ of }) => of === policy);
    const group = mine.find(({ isGroup }) => isGroup)?.columns;
    if (group === undefined) throw new Error(`the documentation prints no group of ${policy}`);
    const of = (column: string) => mine.map(({ columns }) => columns).filter((one) => column in one);
    return {
      group,
      ports,
      sets: of("addresses").map((set) => ({
        ...set,
        addresses: sets[String(set["name"])] ?? set["addresses"],
      })),
      acls: of("match"),
    };
  });
}

/** Writes them in one transaction a policy, as it does. The ports must be there. */
export async function writeOvnkRows(ovn: Ovn, policies: readonly OvnkPolicy[]): Promise<void> {
  for (const { group, ports, sets, acls } of policies) {
    const args = [
      ...ports.flatMap((port, at) => ["--", `--id=@p${at}`, "get", "Logical_Switch_Port", port]),
      ...sets.flatMap((set) => ["--", "create", "Address_Set", ...assignments(set)]),
      ...acls.flatMap((acl, at) => ["--", `--id=@a${at}`, "create", "ACL", ...assignments(acl)]),
      ...["--", "create", "Port_Group", ...assignments(group)],
      `ports=${set(ports.map((_port, at) => `@p${at}`))}`,
      `acls=${set(acls.map((_acl, at) => `@a${at}`))}`,
    ];
    await ovn.nbctl(...args.slice(1));
  }
}

const set = (atoms: readonly string[]) => `[${atoms.join(",")}]`;

function assignments(columns: Columns): readonly string[] {
  return Object.entries(columns).flatMap(([column, value]): readonly string[] => {
    if (value === null) return [];
    if (Array.isArray(value)) return [`${column}=${set(value.map((one) => JSON.stringify(one)))}`];
    if (typeof value === "object")
      return Object.entries(value).map(
        ([key, text]) => `${column}:${JSON.stringify(key)}=${JSON.stringify(text)}`,
      );
    // A number, a truth value or a text: all as JSON has them.
    return [`${column}=${JSON.stringify(value)}`];
  });
}
