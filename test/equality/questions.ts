// The command lines about a pair of worlds, and about the examples: every command that reads manifests, its forms, and the
// flags that shape rows, drawn by the pair's seed. Paths are relative to the pair's folder.

import { drawFrom } from "../fuzz/mutate.ts";
import type { Draw } from "../fuzz/mutate.ts";
import { haveOtherPlans, ofOneMeaning } from "./allowed.ts";
import type { Pair } from "./worlds.ts";

/** Files of a pair's folder. */
export const files = {
  world: "world",
  next: "next",
  connections: "connections.json",
  /** The rows of the world after the change, as the base renders them. */
  rows: "rows.json",
} as const;

const connectionsAsked = 24;
const protocols = ["tcp", "udp", "sctp", "icmp"] as const;
const ports = [53, 79, 80, 81, 443, 8080, 30000] as const;
const outside = ["198.51.100.7", "203.0.113.9", "2001:db8::1", "10.0.0.5"] as const;

const one = <T>(draw: Draw, list: readonly [T, ...T[]]): T => list[draw(list.length)] ?? list[0];

export interface Asked {
  /** For `explain --connections`. */
  readonly connections: readonly object[];
  /** The command line that gives `files.rows`. */
  readonly rows: readonly string[];
  readonly lines: readonly (readonly string[])[];
}

export function questionsOf(pair: Pair): Asked {
  const { seed, pods, addresses, zone } = pair;
  const draw = drawFrom(seed ^ 0x5eed);
  const zoneFlags = zone === null ? [] : ["--zone", zone];
  const [mode, other] = [[...modeFlags(draw), ...zoneFlags], modeFlags(draw)];
  const [world, next] = [
    ["-f", files.world],
    ["-f", files.next],
  ];
  const rows = ["--nb", `file:${files.rows}`];
  const connections = ["--connections", files.connections];
  const pod = pods[draw(Math.max(1, pods.length))] ?? "a/none";
  const json = ["-o", "json"];
  return {
    connections: connectionsBetween(draw, [...pods, ...addresses]),
    rows: ["render", ...next, ...mode, ...json],
    lines: [
      ["render", ...world, ...mode, ...json],
      ["render", ...world, ...other, ...kindFlags(draw), "-o", one(draw, ["table", "yaml"])],
      ["explain", ...world, ...connections, "--all", ...ofOneMeaning(mode), ...json],
      ["explain", ...next, ...connections, ...rows, ...ofOneMeaning(mode), ...json],
      ["get", one(draw, ["policies", "rules"]), ...world, ...other, ...json],
      ["get", "pod", pod, ...next, ...json],
      ["get", "policies", ...world, ...rows, ...mode, ...json, "--sort-by", one(draw, ["order", "subjects"])],
      ["lint", ...world, ...other, ...one(draw, [[], ["--monitoring", "a"], ["--dns", "b"]]), ...json],
      ["lint", ...next, ...rows, ...mode, "-o", "sarif"],
      ...(haveOtherPlans([...pair.world, ...pair.next])
        ? []
        : [["plan", ...next, "--against", `dir:${files.world}`, ...other, ...json]]),
      ["plan", ...one(draw, [world, next]), "--against", `nb:file:${files.rows}`, ...mode, ...json],
      ["migrate", ...world, "-o", one(draw, ["json", "yaml"])],
    ],
  };
}

/** `folder`: of manifests, below the examples. */
export function questionsOfExample(folder: string): readonly (readonly string[])[] {
  const json = ["-o", "json"];
  return [
    ["render", "-f", folder, ...json],
    ["render", "-f", folder],
    ["render", "-f", folder, "--address-sets", "shared", "--named-ports", "sets", ...json],
    ["render", "-f", folder, "--anp-priorities", "all", "--zone", "ovn-worker", ...json],
    ["get", "policies", "-f", folder, ...json],
    ["get", "rules", "-f", folder, ...json],
    ["lint", "-f", folder, ...json],
    ["lint", "-f", folder, "-o", "sarif"],
    ["plan", "-f", folder, "--against", "dir:cluster-control", ...json],
    ["plan", "-f", "cluster-control", "--against", `dir:${folder}`, ...json],
    ["migrate", "-f", folder, ...json],
  ];
}

/** Of the rows: what every command that has rows takes. */
function modeFlags(draw: Draw): readonly string[] {
  const sometimes = (...flags: readonly string[]) => (draw(3) === 0 ? flags : []);
  return [
    ...sometimes("--named-ports", "sets"),
    ...sometimes("--address-sets", "shared"),
    ...sometimes("--anp-priorities", "all"),
    ...sometimes("--ip-families", one(draw, ["ipv4", "ipv6", "ipv4,ipv6"])),
    ...sometimes("--stateless-network-policy", "true"),
    ...sometimes("--antrea-log-severity", "warning"),
    ...sometimes("--antrea-persist-established", "true"),
  ];
}

/** Of `render` alone. */
function kindFlags(draw: Draw): readonly string[] {
  return [
    ...(draw(4) === 0 ? ["--enable-network-policy", "false"] : []),
    ...(draw(4) === 0 ? ["--enable-antrea-policy", "false"] : []),
  ];
}

function connectionsBetween(draw: Draw, known: readonly string[]): readonly object[] {
  const end = () =>
    known.length === 0 || draw(8) === 0 ? one(draw, outside) : (known[draw(known.length)] ?? "");
  return Array.from({ length: connectionsAsked }, () => {
    const protocol = one(draw, protocols);
    return { from: end(), to: end(), protocol, ...(protocol === "icmp" ? {} : { port: one(draw, ports) }) };
  });
}
