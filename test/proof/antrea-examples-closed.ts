// What Antrea's document shows and rows cannot say: what is told of our examples of it, and what is in force instead.

import type { Example } from "./example.ts";
import { ends } from "./example.ts";

const { blue, worker, green, greenDb, red, yellow, yellowDb, visitor } = ends;

export const closed: readonly Example[] = [
  {
    file: "closed/to-services.yaml",
    covers: ["toServices of a Service without a selector"],
    told: [
      "not-that-service: Unsupported spec.egress[0].toServices[0]: Service yellow/sql has no selector: its endpoints are not known here",
    ],
    verdicts: [
      `${green} > ${yellowDb} tcp 5432 through 10.96.0.9 5432: drop, not-that-service egress[0]`,
      `${green} > ${yellow} tcp 80 through 10.96.0.10 80: drop, not-that-service egress[0]`,
      `${green} > ${yellowDb} tcp 5432: allow`,
      `${green} > 192.0.2.7 tcp 80: allow`,
      `${red} > ${yellowDb} tcp 5432 through 10.96.0.9 5432: allow`,
    ],
  },
  {
    file: "closed/igmp-types.yaml",
    covers: ["IGMP traffic"],
    told: [
      "no-membership: Unsupported spec.ingress[0].protocols[0].igmp.igmpType: OVN cannot match the type of an IGMP message",
      "no-membership: Unsupported spec.ingress[0].protocols[0].igmp.groupAddress: rows of ingress rules cannot say a destination",
      "no-membership: Unsupported spec.egress[0].protocols[0].igmp.igmpType: OVN cannot match the type of an IGMP message",
    ],
    verdicts: [
      `${red} > 233.252.0.7 2 0: drop, no-membership egress[0]`,
      `${green} > ${red} 2 0: drop, no-membership ingress[0]`,
      `${red} > ${green} udp 80: allow`,
    ],
  },
  {
    file: "closed/http.yaml",
    covers: ["HTTP traffic in", "HTTP traffic out"],
    told: [
      "reports-only: Unsupported spec.ingress[0].l7Protocols: the content of connections is not inspected here, so the rule drops what it matches",
      "one-site: Unsupported spec.egress[1].l7Protocols: the content of connections is not inspected here, so the rule drops what it matches",
    ],
    verdicts: [
      `${worker} > ${blue} tcp 80: drop, reports-only ingress[0]`,
      `${green} > ${blue} tcp 80: allow, reports-only ingress[1]`,
      `${red} > ${blue} tcp 80: drop, reports-only ingress[2]`,
      `${visitor} > 192.0.2.7 udp 53: allow, one-site egress[0]`,
      `${visitor} > 192.0.2.7 tcp 80: drop, one-site egress[1]`,
    ],
  },
  {
    file: "closed/node-traffic.yaml",
    covers: ["Kubernetes Node traffic out", "Kubernetes Node traffic in"],
    told: [
      "nodes-out: Unsupported spec.appliedTo[0].nodeSelector: OVN has no rows for a node's own traffic, so that this entry selects nothing",
    ],
    verdicts: [`198.51.100.9 > ${green} tcp 22: allow`, `${green} > 198.51.100.9 tcp 80: allow`],
  },
  {
    file: "closed/node-port.yaml",
    covers: ["NodePort Service"],
    told: [
      "no-outsiders: Unsupported spec.appliedTo[0].service: OVN has no rows for traffic to a node's port, so that this entry selects nothing",
    ],
    verdicts: [`198.51.100.9 > ${green} tcp 8080: allow`],
  },
  {
    file: "closed/domain-names.yaml",
    covers: ["FQDN with a wildcard", "FQDN of a headless Service"],
    told: [
      "one-domain: Unsupported spec.egress[0].to[0].fqdn: domain names are not resolved here",
      "not-that-name: Unsupported spec.egress[0].to[0].fqdn: domain names are not resolved here",
    ],
    verdicts: [
      `${worker} > 198.51.100.3 tcp 8080: allow, one-domain egress[0]`,
      `${worker} > 203.0.113.9 tcp 8080: drop, one-domain egress[1]`,
      `${visitor} > ${yellowDb} tcp 5432: drop, not-that-name egress[0]`,
      `${visitor} > 203.0.113.9 tcp 5432: drop, not-that-name egress[0]`,
      `${visitor} > ${yellowDb} tcp 5433: allow`,
    ],
  },
  {
    file: "closed/deny.yaml",
    covers: ["Deny"],
    told: [
      'old-word: UnknownAction spec.ingress[1].action: must be one of Allow, Drop, Reject, Pass, not "Deny"',
    ],
    verdicts: [
      `${green} > ${greenDb} tcp 5432: allow, old-word ingress[0]`,
      `${red} > ${green} tcp 80: drop, old-word ingress[1]`,
      // Stricter than what was meant.
      `${yellow} > ${green} tcp 80: drop, old-word ingress[1]`,
      `${green} > ${red} tcp 80: allow`,
    ],
  },
  {
    file: "closed/group-of-others.yaml",
    covers: ["Group with a namespaceSelector, in appliedTo"],
    told: [
      "too-wide: Unsupported spec: is applied to a Group that selects pods of other namespaces, so that it has no rules",
    ],
    verdicts: [`${red} > ${green} tcp 80: allow`],
  },
];
