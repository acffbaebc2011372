// Mistakes in the expressions that OVN matches packets with.

import type { Listed } from "./list.ts";

export const matchText: readonly Listed[] = [
  {
    name: "peer-on-the-wrong-side",
    file: "src/nbdb/rows/match.ts",
    was: 'direction === "ingress" ? "src" : "dst"',
    becomes: 'direction === "ingress" ? "dst" : "src"',
    harm: "ingress rules look at where a packet goes, egress rules at where it comes from",
  },
  {
    name: "subject-on-the-wrong-side",
    file: "src/nbdb/rows/match.ts",
    was: 'direction === "ingress" ? "outport" : "inport"',
    becomes: 'direction === "ingress" ? "inport" : "outport"',
    harm: "ingress rules act on what their subject sends",
  },
  {
    name: "families-joined-by-and",
    file: "src/nbdb/rows/match.ts",
    was: '== $${name}`).join(" || ")',
    becomes: '== $${name}`).join(" && ")',
    harm: "in a dual-stack cluster no rule matches anything",
  },
  {
    name: "range-without-its-end",
    file: "src/nbdb/rows/traffic.ts",
    was: "<=${field}<=${port.end}",
    becomes: "<=${field}<${port.end}",
    harm: "the last port of every range is not matched",
  },
  {
    name: "range-reaches-to-the-top",
    file: "src/nbdb/rows/traffic.ts",
    was: "${port.start}<=${field}<=${port.end}",
    becomes: "${port.start}<=${field}",
    harm: "a range matches every port above its start",
  },
  {
    name: "last-single-port-lost",
    file: "src/nbdb/rows/traffic.ts",
    was: '{${ports.join(",")}}',
    becomes: '{${ports.slice(0, -1).join(",")}}',
    harm: "of several ports the last is not matched",
  },
  {
    name: "ports-without-parentheses",
    file: "src/nbdb/rows/traffic.ts",
    was: ': `(${elements.join(" || ")})`;',
    becomes: ': elements.join(" || ");',
    harm: "OVN refuses the whole expression of a rule with several ports and ranges",
  },
  {
    name: "sctp-forgotten",
    file: "src/nbdb/rows/traffic.ts",
    was: '["tcp", "udp", "sctp"]',
    becomes: '["tcp", "udp"]',
    harm: "rules for SCTP ports have no rows",
  },
  {
    name: "named-port-always-tcp",
    file: "src/nbdb/desired/content.ts",
    was: "new DestinationLists(membership, namedPortElement, keeps)",
    becomes: 'new DestinationLists(membership, (ip, _, port) => namedPortElement(ip, "tcp", port), keeps)',
    harm: "names of UDP and SCTP ports match nothing",
  },
  {
    name: "named-port-without-its-number",
    file: "src/nbdb/rows/match.ts",
    was: ".dst == ${ip} && ${protocol}.dst == ${port})",
    becomes: ".dst == ${ip})",
    harm: "a named port matches every port of the pods that declare it",
  },
  {
    name: "named-port-without-its-subject",
    file: "src/nbdb/rows/render.ts",
    was: "zone === null ? conjunction([terms.subject, terms.peers]) : terms.peers",
    becomes: "terms.peers",
    harm: "on a database for all nodes an ingress rule acts a second time on the sender's switch",
  },
  {
    name: "named-port-of-the-wrong-pods",
    file: "src/nbdb/rows/render.ts",
    was: "ingress ? subjects : groupKeys(frame.rule.peers)",
    becomes: "ingress ? groupKeys(frame.rule.peers) : subjects",
    harm: "names are looked up on the pods that send",
  },
  {
    name: "ipv6-networks-forgotten",
    file: "src/nbdb/rows/rule-peers.ts",
    was: "familyOf(peer.cidr) === family ?",
    becomes: 'familyOf(peer.cidr) === family && family === "v4" ?',
    harm: "rules about IPv6 networks match nothing",
  },
];
