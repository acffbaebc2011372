// The networks of Services, by the cluster's ServiceCIDRs (networking.k8s.io/v1, served from Kubernetes 1.33 on).

import { ascending } from "../../../lib/ascending.ts";
import type { Cidr } from "../../../model/ip.ts";
import { parseCidr } from "../../../model/ip.ts";
import { Field, Problems } from "../../../model/reader.ts";
import type { KubeApi } from "../../transport/api.ts";
import { failureOfAnswer } from "../../transport/failure.ts";

const path = "/apis/networking.k8s.io/v1/servicecidrs";

/** In order, each once. Throws a Failure, of the kind `missing` where the API server has no ServiceCIDRs. */
export async function listServiceNetworks(api: KubeApi, signal: AbortSignal): Promise<readonly Cidr[]> {
  const response = await api.request({ method: "GET", path, query: {}, signal });
  if (response.status !== 200) throw failureOfAnswer(response);
  const items = new Field(new Problems(), "", response.body).at("items").items();
  const texts = items.flatMap((item) => item.at("spec").at("cidrs").items());
  return ascending(texts.flatMap(({ raw }) => (typeof raw === "string" ? (parseCidr(raw) ?? []) : [])));
}
