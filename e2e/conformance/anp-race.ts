// Whether a test of the suite anp, v0.1.7, lost the one race that the suite has by construction: it changes a policy, and tries a
// connection at once, without waiting for the change to be in force. It answers yes only when that first connection after a change is
// the one complaint of the test, by UDP or SCTP, which need no answer to have come through. Every other failure is one.

/** The lines of the suite's tests that try the first connection after a change, by UDP or SCTP. */
export const firstConnections: Readonly<Record<string, readonly number[]>> = {
  "admin-network-policy-experimental-ingress-rules.go": [74],
  "admin-network-policy-standard-egress-sctp-rules.go": [120, 178, 212],
  "admin-network-policy-standard-egress-udp-rules.go": [120, 178, 212],
  "admin-network-policy-standard-ingress-sctp-rules.go": [119, 177, 211],
  "admin-network-policy-standard-ingress-udp-rules.go": [120, 178, 212],
  "baseline-admin-network-policy-experimental-egress-rules.go": [81],
  "baseline-admin-network-policy-standard-egress-sctp-rules.go": [120],
  "baseline-admin-network-policy-standard-egress-udp-rules.go": [120],
  "baseline-admin-network-policy-standard-ingress-sctp-rules.go": [119],
  "baseline-admin-network-policy-standard-ingress-udp-rules.go": [119],
};

const complaint =
  /^ *(\S+\.go):(\d+): FAILED (?:Command was \[\S+ connect \S+ --protocol=(\w+) |to execute)/gm;

/** `output` is what the test and its parts wrote. */
export function lostRace(output: string): boolean {
  const [only, ...more] = [...output.matchAll(complaint)];
  if (only === undefined || more.length > 0) return false;
  const [, file = "", line, protocol] = only;
  const isDatagram = protocol === "udp" || protocol === "sctp";
  return isDatagram && (firstConnections[file] ?? []).includes(Number(line));
}
