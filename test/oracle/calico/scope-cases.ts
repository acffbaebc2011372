// Who is meant by the selectors of a side and of a policy (Calico's reference, "EntityRule" and "Selector"; its code where the
// reference says less).

import type { Case } from "./build.ts";
import { account, lets, letsHere, letsOut, podOf } from "./build.ts";

const long = "a".repeat(63);

export const scopeCases: readonly Case[] = [
  {
    says: "in a global policy a selector means pods of all namespaces",
    manifests: [lets({ source: { selector: "app == 'web'" } })],
    goes: {
      "shop/web -> shop/db tcp 80": "allow",
      "lab/web -> shop/db tcp 80": "allow",
      "bare/it -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "in a namespaced policy pods of its own namespace",
    manifests: [letsHere({ source: { selector: "app == 'web'" } })],
    goes: { "shop/web -> shop/db tcp 80": "allow", "lab/web -> shop/db tcp 80": "deny" },
  },
  {
    says: "all() as a selector is every endpoint, which an address outside is not",
    manifests: [lets({ source: { selector: "all()" } })],
    goes: {
      "bare/it -> shop/db tcp 80": "allow",
      "203.0.113.9 -> shop/db tcp 80": "allow",
      "8.8.8.8 -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "a negative selector never matches an address outside",
    manifests: [lets({ source: { selector: "!has(app)" } })],
    goes: {
      "bare/it -> shop/db tcp 80": "allow",
      "shop/web -> shop/db tcp 80": "deny",
      "8.8.8.8 -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "a selector means network sets by their labels: whole networks, single addresses, host bits cut",
    manifests: [lets({ source: { selector: "kind == 'office'" } })],
    goes: {
      "203.0.113.255 -> shop/db tcp 80": "allow",
      "2001:db8:ffff::1 -> shop/db tcp 80": "allow",
      "198.51.100.7 -> shop/db tcp 80": "allow",
      "198.51.100.8 -> shop/db tcp 80": "deny",
      "100.64.0.8 -> shop/db tcp 80": "allow",
      "100.64.0.12 -> shop/db tcp 80": "deny",
      "203.0.114.0 -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "a namespaced policy means the sets of its own namespace, and no global ones",
    manifests: [letsHere({ source: { selector: "has(kind)" } })],
    goes: {
      "192.0.2.15 -> shop/db tcp 80": "allow",
      "192.0.2.16 -> shop/db tcp 80": "deny",
      "203.0.113.9 -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "a set's selector in an egress rule means its networks as destinations",
    manifests: [letsOut({ destination: { selector: "kind == 'partner'" } })],
    goes: {
      "shop/db -> 192.0.2.1 tcp 443": "allow",
      "shop/db -> 192.0.2.17 tcp 443": "allow",
      "shop/db -> 192.0.2.32 tcp 443": "deny",
    },
  },
  {
    says: "a namespaceSelector is about labels of namespaces",
    manifests: [lets({ source: { namespaceSelector: "team == 'b'" } })],
    goes: {
      "lab/web -> shop/db tcp 80": "allow",
      "shop/web -> shop/db tcp 80": "deny",
      "bare/it -> shop/db tcp 80": "deny",
      "8.8.8.8 -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "a set is in the namespace it was made in",
    manifests: [lets({ source: { namespaceSelector: "team == 'b'" } })],
    goes: { "192.0.2.16 -> shop/db tcp 80": "allow", "192.0.2.15 -> shop/db tcp 80": "deny" },
  },
  {
    says: "projectcalico.org/name is a namespace's name",
    manifests: [lets({ source: { namespaceSelector: "projectcalico.org/name == 'bare'" } })],
    goes: { "bare/it -> shop/db tcp 80": "allow", "lab/web -> shop/db tcp 80": "deny" },
  },
  {
    says: "a namespaceSelector leads out of a namespaced policy's own namespace",
    manifests: [letsHere({ source: { namespaceSelector: "team == 'b'", selector: "app == 'web'" } })],
    goes: { "lab/web -> shop/db tcp 80": "allow", "shop/web -> shop/db tcp 80": "deny" },
  },
  {
    says: "namespaceSelector all() is whatever has a namespace",
    manifests: [letsHere({ source: { namespaceSelector: "all()" } })],
    goes: {
      "bare/it -> shop/db tcp 80": "allow",
      "192.0.2.17 -> shop/db tcp 80": "allow",
      "203.0.113.9 -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "namespaceSelector global() is only what has none",
    manifests: [letsHere({ source: { namespaceSelector: "global()" } })],
    goes: {
      "203.0.113.9 -> shop/db tcp 80": "allow",
      "192.0.2.1 -> shop/db tcp 80": "deny",
      "bare/it -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "global() and a selector are both demanded",
    manifests: [lets({ source: { namespaceSelector: "global()", selector: "kind == 'partner'" } })],
    goes: { "203.0.113.9 -> shop/db tcp 80": "deny", "192.0.2.1 -> shop/db tcp 80": "deny" },
  },
  {
    says: "a negative namespaceSelector matches global sets too, as the code has it",
    manifests: [lets({ source: { namespaceSelector: "team != 'a'" } })],
    goes: {
      "bare/it -> shop/db tcp 80": "allow",
      "203.0.113.9 -> shop/db tcp 80": "allow",
      "shop/web -> shop/db tcp 80": "deny",
      "8.8.8.8 -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "service accounts by name are of all namespaces in a global policy",
    manifests: [lets({ source: { serviceAccounts: { names: ["runner"] } } })],
    goes: {
      "shop/web -> shop/db tcp 80": "allow",
      "lab/web -> shop/db tcp 80": "allow",
      "bare/it -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "and of its own namespace in a namespaced one",
    manifests: [letsHere({ source: { serviceAccounts: { names: ["runner", "other"] } } })],
    goes: { "shop/web -> shop/db tcp 80": "allow", "lab/web -> shop/db tcp 80": "deny" },
  },
  {
    says: "service accounts without names and selector are not given, as the code has it",
    manifests: [letsHere({ source: { serviceAccounts: {} } })],
    goes: { "lab/web -> shop/db tcp 80": "allow", "8.8.8.8 -> shop/db tcp 80": "allow" },
  },
  {
    says: "service accounts by label",
    manifests: [lets({ source: { serviceAccounts: { selector: "trust == 'low'" } } })],
    goes: {
      "lab/web -> shop/db tcp 80": "allow",
      "shop/web -> shop/db tcp 80": "deny",
      "bare/it -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "names and labels of service accounts are both demanded, and so is the selector beside them",
    manifests: [
      lets({
        source: { selector: "has(size)", serviceAccounts: { names: ["runner"], selector: "has(trust)" } },
      }),
    ],
    goes: { "shop/web -> shop/db tcp 80": "allow", "lab/web -> shop/db tcp 80": "deny" },
  },
  {
    says: "projectcalico.org/name is a service account's name",
    manifests: [lets({ source: { serviceAccounts: { selector: "projectcalico.org/name == 'runner'" } } })],
    goes: { "lab/web -> shop/db tcp 80": "allow", "bare/it -> shop/db tcp 80": "deny" },
  },
  {
    says: "a negative selector of service accounts matches network sets too, as the code has it",
    manifests: [lets({ source: { serviceAccounts: { selector: "trust != 'high'" } } })],
    goes: {
      "203.0.113.9 -> shop/db tcp 80": "allow",
      "shop/web -> shop/db tcp 80": "deny",
      "8.8.8.8 -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "service accounts all() are every endpoint, which an address outside is not",
    manifests: [lets({ source: { serviceAccounts: { selector: "all()" } } })],
    goes: {
      "bare/it -> shop/db tcp 80": "allow",
      "203.0.113.9 -> shop/db tcp 80": "allow",
      "8.8.8.8 -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "a namespaceSelector that asks for no label, and is not all(), matches global sets too, as the code has it",
    manifests: [lets({ source: { namespaceSelector: "team not in {}" } })],
    goes: {
      "bare/it -> shop/db tcp 80": "allow",
      "203.0.113.9 -> shop/db tcp 80": "allow",
      "8.8.8.8 -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "a notSelector beside a selector takes from it",
    manifests: [lets({ source: { selector: "app == 'web'", notSelector: "size == 'xl'" } })],
    goes: {
      "lab/web -> shop/db tcp 80": "allow",
      "shop/web -> shop/db tcp 80": "deny",
      "8.8.8.8 -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "a notSelector beside a namespaceSelector takes from it",
    manifests: [lets({ source: { namespaceSelector: "stage == 'live'", notSelector: "app == 'web'" } })],
    goes: {
      "shop/db -> shop/db tcp 80": "allow",
      "shop/web -> shop/db tcp 80": "deny",
      "192.0.2.1 -> shop/db tcp 80": "allow",
    },
  },
  {
    says: "a notSelector alone, in a global policy, is the address of no endpoint that it selects",
    manifests: [lets({ source: { notSelector: "app == 'web'" } })],
    goes: {
      "8.8.8.8 -> shop/db tcp 80": "allow",
      "2001:db9::1 -> shop/db tcp 80": "allow",
      "bare/it -> shop/db tcp 80": "allow",
      "lab/web -> shop/db tcp 80": "deny",
      "lab/web -> shop/db tcp 80 v6": "deny",
    },
  },
  {
    says: "a notSelector alone of network sets",
    manifests: [lets({ source: { notSelector: "kind == 'office'" } })],
    goes: { "203.0.113.9 -> shop/db tcp 80": "deny", "8.8.8.8 -> shop/db tcp 80": "allow" },
  },
  {
    says: "a notSelector alone, in a namespaced policy, is of its own namespace",
    manifests: [letsHere({ source: { notSelector: "app == 'web'" } })],
    goes: {
      "192.0.2.1 -> shop/db tcp 80": "allow",
      "lab/web -> shop/db tcp 80": "deny",
      "bare/it -> shop/db tcp 80": "deny",
      "8.8.8.8 -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "Calico's own labels of a pod: its namespace",
    manifests: [lets({ source: { selector: "projectcalico.org/namespace == 'lab' || size == 'xl'" } })],
    goes: {
      "lab/web -> shop/db tcp 80": "allow",
      "shop/web -> shop/db tcp 80": "allow",
      "bare/it -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "its orchestrator, which sets do not have",
    manifests: [lets({ source: { selector: "projectcalico.org/orchestrator == 'k8s'" } })],
    goes: { "bare/it -> shop/db tcp 80": "allow", "203.0.113.9 -> shop/db tcp 80": "deny" },
  },
  {
    says: "its service account",
    manifests: [lets({ source: { selector: "projectcalico.org/serviceaccount == 'default'" } })],
    goes: { "bare/it -> shop/db tcp 80": "allow", "shop/web -> shop/db tcp 80": "deny" },
  },
  {
    says: "unless its name is as long as 63 characters",
    manifests: [
      account("bare", long),
      podOf("bare", "long", { labels: {}, ips: ["10.0.2.9"], account: long }),
      lets({ source: { selector: "!has(projectcalico.org/serviceaccount)" } }),
    ],
    goes: { "bare/long -> shop/db tcp 80": "allow", "bare/it -> shop/db tcp 80": "deny" },
  },
  {
    says: "they win over the pod's own",
    manifests: [
      podOf("bare", "liar", { labels: { "projectcalico.org/namespace": "lab" }, ips: ["10.0.2.9"] }),
      lets({ source: { selector: "projectcalico.org/namespace == 'lab'" } }),
    ],
    goes: { "bare/liar -> shop/db tcp 80": "deny", "lab/web -> shop/db tcp 80": "allow" },
  },
  {
    says: "a set has the label of its namespace",
    manifests: [lets({ source: { selector: "projectcalico.org/namespace == 'lab'" } })],
    goes: { "192.0.2.17 -> shop/db tcp 80": "allow", "192.0.2.1 -> shop/db tcp 80": "deny" },
  },
  {
    says: "pods of the host's network and pods that are over are meant by nobody",
    manifests: [lets({ source: { selector: "app in {'host', 'done'}" } })],
    goes: { "172.18.0.1 -> shop/db tcp 80": "deny", "10.0.9.9 -> shop/db tcp 80": "deny" },
  },
];
