// The connection that the judge of Calico's policies is asked about.

export interface CalicoEnd {
  readonly ip: string;
  /** The pod whose side this is; null: an address whose side no policy speaks of. It is a pod's address all the same if a pod has it. */
  readonly pod: { readonly namespace: string; readonly name: string } | null;
}

export interface CalicoConnection {
  readonly from: CalicoEnd;
  readonly to: CalicoEnd;
  /** As in packets: 58 for ICMP on IPv6. */
  readonly protocol: number;
  /** Of TCP, UDP and SCTP; null: it has none. */
  readonly port: number | null;
  readonly sourcePort: number | null;
  /** null: it is no ICMP. */
  readonly icmp: { readonly type: number; readonly code: number } | null;
}

export type Direction = "ingress" | "egress";
