// Flags that say how `run` learns where names of domains lead. `--names` itself is an option of the dialects that have names.

import type { Setting } from "../setting.ts";

export const ofNames = [
  {
    flag: "names-service",
    commands: ["run"],
    argument: "NAMESPACE/NAME",
    help: "with --names poll or dnstap, the Service of the cluster's DNS: each of its endpoints is asked",
    fallback: "kube-system/kube-dns",
  },
  {
    flag: "names-servers",
    commands: ["run"],
    argument: "SERVERS",
    help: "with --names poll or dnstap, the DNS servers that are asked instead: ADDRESS:PORT, or several separated by commas",
    fallback: "",
  },
  {
    flag: "names-min-ttl",
    commands: ["run"],
    argument: "TTL",
    help: "with --names poll or dnstap, seconds that an address counts at least, whatever its TTL",
    fallback: "0",
  },
  {
    flag: "names-search",
    commands: ["run"],
    argument: "SUFFIXES",
    help: "with --names dnstap, search suffixes of the nodes' resolv.conf, comma-separated, besides the three of --cluster-domain",
    fallback: "",
  },
  {
    flag: "names-bind-address",
    commands: ["run"],
    argument: "HOST:PORT",
    help: "with --names dnstap, where the DNS servers connect to: CoreDNS's line `dnstap tcp://…:PORT full`",
    fallback: "0.0.0.0:9478",
    chartValue: "names.port",
  },
  {
    flag: "names-tls-cert",
    commands: ["run"],
    argument: "FILE",
    help: "with --names dnstap, the certificate of that listener (PEM), for `dnstap tls://`; read again when it changes",
    fallback: "",
    chartValue: "names.tlsSecret",
  },
  {
    flag: "names-tls-key",
    commands: ["run"],
    argument: "FILE",
    help: "with --names dnstap, its private key (PEM)",
    fallback: "",
    chartValue: "names.tlsSecret",
  },
  {
    flag: "cluster-domain",
    commands: ["run"],
    argument: "DOMAIN",
    help: "with --names poll or dnstap, the domain of the cluster: names below it may lead to pods, and no others",
    fallback: "cluster.local",
  },
  {
    flag: "service-cidr",
    commands: ["run"],
    argument: "NETWORKS",
    help: "with --names poll or dnstap, the networks of Services, comma-separated: no name leads there; default: those of the API server's ServiceCIDRs",
    fallback: "",
  },
] as const satisfies readonly Setting[];
