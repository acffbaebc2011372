// Tier 2, which Northgate does not write: hand-made rows of a NetworkPolicy, as the owner of that tier would write them.

import type { Ovn } from "../../tools/sandbox/ovn.ts";

/** A NetworkPolicy on blue/a that lets port 7070 in, as OVN-Kubernetes writes it: default deny at 1000, allow at 1001. */
export async function addNetworkPolicy(ovn: Ovn): Promise<void> {
  const acl = (name: string, priority: number, match: string, action: string) => [
    ...["--", `--id=@${name}`, "create", "ACL", `name=${name}`, "direction=to-lport", "tier=2"],
    ...[`priority=${priority}`, `match=${JSON.stringify(match)}`, `action=${action}`],
  ];
  await ovn.nbctl(
    ...["--id=@port", "get", "Logical_Switch_Port", "blue_a"],
    ...acl("np_i_deny", 1000, "outport == @np", "drop"),
    ...acl("np_i_0", 1001, "tcp && tcp.dst==7070 && outport == @np", "allow-related"),
    ...["--", "create", "Port_Group", "name=np", "ports=@port", "acls=@np_i_deny,@np_i_0"],
  );
}
