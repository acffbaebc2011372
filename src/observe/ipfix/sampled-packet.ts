// What a sample says of a packet, from the fields that Open vSwitch exports (IANA's registry of IPFIX information elements). A record
// without the number of its sample, or without addresses, is none.

import type { IpAddress } from "../../model/ip.ts";
import { parseIp } from "../../model/ip.ts";
import type { IpfixRecord } from "./records.ts";
import { fieldKey } from "./records.ts";

export interface SampledPacket {
  /** What the sample is for: Sampling_App.id, in the upper 8 bits of the observation domain. */
  readonly app: number;
  /** The number of the logical switch, Datapath_Binding.tunnel_key. */
  readonly datapath: number;
  /** Sample.metadata. */
  readonly point: number;
  readonly source: IpAddress;
  readonly destination: IpAddress;
  /** Of IP. */
  readonly protocol: number;
  /** 0 where the protocol has none. */
  readonly sourcePort: number;
  readonly destinationPort: number;
  /** null: not ICMP. */
  readonly icmp: { readonly type: number; readonly code: number } | null;
  /** When the first packet of the record was seen, in milliseconds since 1970, exact to a second. */
  readonly atMs: number;
}

const elements = {
  ...{ protocol: 4, sourcePort: 7, sourceV4: 8, destinationPort: 11, destinationV4: 12 },
  ...{ sourceV6: 27, destinationV6: 28, point: 138, startDeltaMicroseconds: 158 },
  ...{ icmpTypeV4: 176, icmpCodeV4: 177, icmpTypeV6: 178, icmpCodeV6: 179 },
} as const;

/** null: it is about no packet of IP, or has no number. */
export function sampledPacket({ domain, exportedAt, fields }: IpfixRecord): SampledPacket | null {
  const numberOf = (element: number) => unsigned(fields.get(fieldKey(element)));
  const addressOf = (v4: number, v6: number) =>
    addressIn(fields.get(fieldKey(v4)), 4) ?? addressIn(fields.get(fieldKey(v6)), 16);
  const source = addressOf(elements.sourceV4, elements.sourceV6);
  const destination = addressOf(elements.destinationV4, elements.destinationV6);
  const [point, protocol] = [numberOf(elements.point), numberOf(elements.protocol)];
  if (source === null || destination === null || point === null || protocol === null) return null;
  const type = numberOf(elements.icmpTypeV4) ?? numberOf(elements.icmpTypeV6);
  const code = numberOf(elements.icmpCodeV4) ?? numberOf(elements.icmpCodeV6);
  return {
    ...{ app: domain >>> 24, datapath: domain & 0xffffff, point, source, destination, protocol },
    sourcePort: numberOf(elements.sourcePort) ?? 0,
    destinationPort: numberOf(elements.destinationPort) ?? 0,
    icmp: type === null ? null : { type, code: code ?? 0 },
    atMs: exportedAt * 1000 - Math.round((numberOf(elements.startDeltaMicroseconds) ?? 0) / 1000),
  };
}

/** Of up to 8 bytes; null: the field is missing or longer. */
function unsigned(field: Buffer | undefined): number | null {
  if (field === undefined || field.length === 0 || field.length > 8) return null;
  let value = 0;
  for (const byte of field) value = value * 256 + byte;
  return value;
}

function addressIn(field: Buffer | undefined, bytes: 4 | 16): IpAddress | null {
  if (field?.length !== bytes) return null;
  if (bytes === 4) return parseIp(field.join("."));
  const groups = Array.from({ length: 8 }, (_, at) => field.readUInt16BE(2 * at).toString(16));
  return parseIp(groups.join(":"));
}
