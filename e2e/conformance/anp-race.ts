// Whether a test of the suite anp, v0.1.7, lost the one race that the suite has by construction: it changes a policy, and tries a
// connection at once, without waiting for the change to be in force. It answers yes only when that first connection after a change is
// the one complaint of the test. By TCP it must have come about where it was to fail: one that is to come about is tried for three
// seconds, in which any change is in force. Every other failure is one.

/** The lines of the suite's tests that try the first connection after a change. */
export const firstConnections: Readonly<Record<string, readonly number[]>> = {
  "admin-network-policy-experimental-egress-rules.go": [81],
  "admin-network-policy-experimental-ingress-rules.go": [74],
  "admin-network-policy-standard-egress-inline-cidr-rules.go": [161],
  "admin-network-policy-standard-egress-sctp-rules.go": [120, 178, 212],
  "admin-network-policy-standard-egress-tcp-rules.go": [119, 177, 211],
  "admin-network-policy-standard-egress-udp-rules.go": [120, 178, 212],
  "admin-network-policy-standard-gress-rules.go": [209, 354, 423],
  "admin-network-policy-standard-ingress-sctp-rules.go": [119, 177, 211],
  "admin-network-policy-standard-ingress-tcp-rules.go": [119, 177, 211],
  "admin-network-policy-standard-ingress-udp-rules.go": [120, 178, 212],
  "admin-network-policy-standard-integration.go": [121, 155, 187],
  "admin-network-policy-standard-priority.go": [119],
  "baseline-admin-network-policy-experimental-egress-rules.go": [81],
  "baseline-admin-network-policy-experimental-ingress-rules.go": [80],
  "baseline-admin-network-policy-standard-egress-inline-cidr-rules.go": [160],
  "baseline-admin-network-policy-standard-egress-sctp-rules.go": [120],
  "baseline-admin-network-policy-standard-egress-tcp-rules.go": [119],
  "baseline-admin-network-policy-standard-egress-udp-rules.go": [120],
  "baseline-admin-network-policy-standard-gress-rules.go": [209],
  "baseline-admin-network-policy-standard-ingress-sctp-rules.go": [119],
  "baseline-admin-network-policy-standard-ingress-tcp-rules.go": [119],
  "baseline-admin-network-policy-standard-ingress-udp-rules.go": [119],
};

const complaint =
  /^ *(\S+\.go):(\d+): FAILED (?:Command was \[\S+ connect \S+ --protocol=(\w+) |to execute)/gm;

/** `output` is what the test and its parts wrote. */
export function lostRace(output: string): boolean {
  const [only, ...more] = [...output.matchAll(complaint)];
  if (only === undefined || more.length > 0) return false;
  const [, file = "", line, protocol] = only;
  if (protocol === undefined || !(firstConnections[file] ?? []).includes(Number(line))) return false;
  return protocol !== "tcp" || output.includes("but instead it successfully connected");
}
