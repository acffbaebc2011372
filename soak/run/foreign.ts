// Rows of other owners in the database, some with external_ids that look like ours: what they say now. The program must
// never touch one.

import type { Ovn } from "../../tools/sandbox/ovn.ts";

const tables = ["Port_Group", "Address_Set", "ACL", "Logical_Switch"] as const;
/** In a name of each of them, which no row of ours has. */
const mark = "foreign";

export async function createForeign(ovn: Ovn): Promise<void> {
  const owned = (type: string) => [
    `external_ids:k8s.ovn.org/owner-type=${type}`,
    `external_ids:k8s.ovn.org/owner-controller=default-network-controller`,
    `external_ids:k8s.ovn.org/name=policy-1`,
  ];
  for (const [at, type] of ["NetworkPolicy", "EgressFirewall", "MulticastNamespace"].entries()) {
    const name = `${mark}${at}`;
    await ovn.nbctl(
      ...["create", "Address_Set", `name=${name}`, `addresses=192.0.2.${at}`, ...owned(type)],
      ...["--", `--id=@acl`, "create", "ACL", `name=${name}`, "direction=to-lport", "priority=1001"],
      ...[`match="ip4.src == $${name}"`, "action=drop", ...owned(type)],
      ...["--", "create", "Port_Group", `name=${name}`, "acls=@acl", ...owned(type)],
    );
  }
  // Nobody's, but with a name of ours in it.
  await ovn.nbctl("create", "Address_Set", `name=${mark}_plain`, "external_ids:northgate=yes");
  await ovn.nbctl(
    "ls-add",
    `${mark}_switch`,
    "--",
    "acl-add",
    `${mark}_switch`,
    "to-lport",
    "7",
    "ip4",
    "drop",
  );
}

/** Table and uuid → all columns as text. */
export async function foreignRows(ovn: Ovn): Promise<ReadonlyMap<string, string>> {
  const rows = new Map<string, string>();
  for (const table of tables) {
    const text = await ovn.nbctl("--format=csv", "--no-headings", "list", table);
    for (const row of text.split("\n")) {
      if (row.includes(mark)) rows.set(`${table} ${row.slice(0, row.indexOf(","))}`, row);
    }
  }
  return rows;
}

/** Those of before that are gone or say something else now. */
export function changedRows(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  return [...before].filter(([row, text]) => after.get(row) !== text).map(([row]) => row);
}
