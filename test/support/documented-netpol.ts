// OVN-Kubernetes' rows of NetworkPolicies, written by hand from their documentation and with nothing of src/nbdb/rows but
// the table's columns, so that no fault is in both. A test plants them, and a program that takes them over finds them.

import type { Direction } from "../../src/policy/ir.ts";
import type { AclRow } from "../../src/nbdb/rows/schema.ts";
import { northboundOperations as operation } from "../../src/nbdb/rows/schema.ts";
import type { Operation, Uuid } from "../../src/ovsdb/index.ts";

const controller = "default-network-controller";

/** FNV-1a, 64 bits, of the id: how Port_Group and Address_Set rows are named. */
export function nameOf(owner: string, ...values: readonly string[]): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode([controller, owner, ...values].join(":")))
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return `a${hash}`;
}

type Values = Readonly<Record<string, string>>;

function ids(owner: string, values: Values): ReadonlyMap<string, string> {
  return new Map([
    ["k8s.ovn.org/owner-controller", controller],
    ["k8s.ovn.org/owner-type", owner],
    ["k8s.ovn.org/id", [controller, owner, ...Object.values(values)].join(":")],
    ...Object.entries(values),
  ]);
}

const sides = {
  ingress: { id: "Ingress", column: "to-lport", port: "outport", options: [] },
  egress: { id: "Egress", column: "from-lport", port: "inport", options: [["apply-after-lb", "true"]] },
} as const;

interface DocumentedAcl {
  readonly direction: Direction;
  /** `index:protocol:block`. */
  readonly place: string;
  /** Of the peers and ports; the port of the group comes behind it. */
  readonly match: string;
}

export interface DocumentedPolicy {
  readonly namespace: string;
  readonly name: string;
  readonly acls: readonly DocumentedAcl[];
  /** Annotated so, and OVN-Kubernetes was started with --enable-stateless-netpol. False unless given. */
  readonly isStateless?: boolean;
}

/** The operations that make all rows of one namespace. `ports`: of every policy, and of the default denies. */
export function documentedRows(
  namespace: string,
  policies: readonly DocumentedPolicy[],
  ports: Readonly<Record<string, readonly Uuid[]>>,
  sets: Readonly<Record<string, readonly string[]>>,
): readonly Operation[] {
  let made = 0;
  const operations: Operation[] = Object.entries(sets).map(([key, addresses]) => {
    const external_ids = ids("PodSelector", { "k8s.ovn.org/name": key, "ip-family": "v4" });
    return operation.insert("Address_Set", {
      name: nameOf("PodSelector", key, "v4"),
      addresses,
      external_ids,
    });
  });
  const acl = (direction: Direction, row: Omit<AclRow, keyof typeof common | "direction" | "options">) => {
    const name = `acl${made++}`;
    const { column, options } = sides[direction];
    operations.push(
      operation.insert("ACL", { ...common, ...row, direction: column, options: new Map(options) }, name),
    );
    return { named: name };
  };
  for (const direction of ["ingress", "egress"] as const) {
    const { id, port } = sides[direction];
    const group = nameOf("NetpolNamespace", namespace, id);
    const of = { "k8s.ovn.org/name": namespace, direction: id };
    const aclIds = (type: string) => ids("NetpolNamespace", { ...of, type });
    const name = `NP:${namespace}:${id}`;
    const acls = [
      acl(direction, {
        ...{ name, action: "drop", priority: 1000, match: `${port} == @${group}` },
        external_ids: aclIds("defaultDeny"),
      }),
      acl(direction, {
        ...{ name, action: "allow", priority: 1001, match: `${port} == @${group} && (arp || nd)` },
        external_ids: aclIds("arpAllow"),
      }),
    ];
    operations.push(
      operation.insert("Port_Group", {
        ...{ name: group, ports: ports[direction] ?? [], acls },
        external_ids: ids("NetpolNamespace", of),
      }),
    );
  }
  for (const policy of policies) {
    const own = `${namespace}:${policy.name}`;
    const group = nameOf("NetworkPolicy", own);
    const action = policy.isStateless === true ? "allow-stateless" : "allow-related";
    const acls = policy.acls.map(({ direction, place, match }) => {
      const { id, port } = sides[direction];
      const [index = "", protocol = "", block = ""] = place.split(":");
      return acl(direction, {
        ...{ name: `NP:${own}:${id}:${index}`, action, priority: 1001 },
        match: `${match} && ${port} == @${group}`,
        external_ids: ids("NetworkPolicy", {
          ...{ "k8s.ovn.org/name": own, direction: id, "gress-index": index },
          ...{ "port-policy-protocol": protocol, "ip-block-index": block },
        }),
      });
    });
    operations.push(
      operation.insert("Port_Group", {
        ...{ name: group, ports: ports[policy.name] ?? [], acls },
        external_ids: ids("NetworkPolicy", { "k8s.ovn.org/name": own }),
      }),
    );
  }
  return operations;
}

const common = { tier: 2, log: false, severity: null, meter: "acl-logging" } as const;
