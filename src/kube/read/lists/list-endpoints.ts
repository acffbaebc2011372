// Where connections to a Service arrive now: its ready endpoints, by its EndpointSlices. Of one Service, in one request: nothing else of
// the cluster is read for it.

import {
  endpointSliceKind,
  readEndpointSlice,
  serviceNameLabel,
} from "../../../model/objects/endpoint-slice.ts";
import type { Protocol } from "../../../model/facts.ts";
import type { IpAddress } from "../../../model/ip.ts";
import { Field, Problems } from "../../../model/reader.ts";
import type { KubeApi } from "../../transport/api.ts";
import { failureOfAnswer } from "../../transport/failure.ts";

interface ServiceEndpoint {
  readonly ip: IpAddress;
  readonly port: number;
}

/** In order, each once. Throws a Failure. */
export async function listEndpoints(
  api: KubeApi,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  protocol: Protocol,
  signal: AbortSignal,
): Promise<readonly ServiceEndpoint[]> {
  const { group, version, resource } = endpointSliceKind;
  const path = `/apis/${group}/${version}/namespaces/${namespace}/${resource}`;
  const query = { labelSelector: `${serviceNameLabel}=${name}` };
  const response = await api.request({ method: "GET", path, query, signal });
  if (response.status !== 200) throw failureOfAnswer(response);
  const slices = new Field(new Problems(), "", response.body).at("items").items();
  const found = new Map<string, ServiceEndpoint>();
  for (const slice of slices) {
    const ready = slice.at("endpoints").items().filter(isReady);
    const spec = {
      addressType: slice.at("addressType").raw,
      endpoints: ready.map(({ raw }) => raw),
      ports: slice.at("ports").raw,
    };
    const { addresses, ports } = readEndpointSlice({ spec });
    for (const { port } of ports.filter((one) => one.protocol === protocol))
      for (const ip of addresses) found.set(`${ip} ${port}`, { ip, port });
  }
  return [...found.keys()].sort().flatMap((key) => found.get(key) ?? []);
}

/** Unless it is said that it is not. */
function isReady(endpoint: Field): boolean {
  return endpoint.at("conditions").at("ready").raw !== false;
}
