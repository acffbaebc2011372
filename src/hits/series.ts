// The metrics of a node's reader that say what rules have met: written there, read here.

/** Names, and the labels of each in the order in which they are written. */
export const ruleSeries = {
  packets: {
    name: "northgate_rule_packets_total",
    labels: ["group", "kind", "namespace", "policy", "direction", "rule", "action", "state"],
  },
  bytes: {
    name: "northgate_rule_bytes_total",
    labels: ["group", "kind", "namespace", "policy", "direction", "rule", "action", "state"],
  },
  countedSince: {
    name: "northgate_rule_counted_since_timestamp_seconds",
    labels: ["group", "kind", "namespace", "policy", "direction", "rule", "action"],
  },
  leftOut: { name: "northgate_rule_series_left_out", labels: [] },
  readAt: { name: "northgate_switch_read_timestamp_seconds", labels: [] },
  node: { name: "northgate_observed_node_info", labels: ["node"] },
} as const;
