// Flags that say how `run` learns where names of domains lead. `--names` itself is an option of the dialects that have names.

import type { Setting } from "../setting.ts";

export const ofNames = [
  {
    flag: "names-service",
    commands: ["run"],
    argument: "NAMESPACE/NAME",
    help: "with --names poll, the Service of the cluster's DNS: each of its endpoints is asked",
    fallback: "kube-system/kube-dns",
  },
  {
    flag: "names-servers",
    commands: ["run"],
    argument: "SERVERS",
    help: "with --names poll, the DNS servers that are asked instead: ADDRESS:PORT, or several separated by commas",
    fallback: "",
  },
  {
    flag: "names-min-ttl",
    commands: ["run"],
    argument: "TTL",
    help: "with --names poll, seconds that an address counts at least, whatever its TTL",
    fallback: "0",
  },
  {
    flag: "cluster-domain",
    commands: ["run"],
    argument: "DOMAIN",
    help: "with --names poll, the domain of the cluster: names below it may lead to pods, and no others",
    fallback: "cluster.local",
  },
  {
    flag: "service-cidr",
    commands: ["run"],
    argument: "NETWORKS",
    help: "with --names poll, the networks of Services, comma-separated: no name leads there",
    fallback: "",
  },
] as const satisfies readonly Setting[];
