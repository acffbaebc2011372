// What programs in the network namespaces of nodes and pods reach of this machine, where it listens on 127.0.0.1 or on unix sockets alone:
// the API server, by its Service too, and the Northbound database.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import type { ControlPlane } from "../../test/kube/control-plane.ts";
import { ipIn } from "../../test/support/stacks.ts";
import { ApiDoor } from "../conformance/api-door.ts";
import type { Ends } from "../conformance/ends.ts";
import type { Nodes } from "../conformance/nodes.ts";
import type { NbTls } from "./nb-tls.ts";

/** Of the Service kubernetes. */
const apiAddress = "10.96.0.1";
/** Where the router of the nodes has the API server: the endpoint of that Service. */
const apiEndpoint = { address: "172.18.0.1", port: 6443 };
const nbPort = 6641;
/** Where a program in the network namespace of a node finds the Northbound database. */
export const nbRemote = `tcp:127.0.0.1:${nbPort}`;
const forward = fileURLToPath(new URL("../conformance/forward.ts", import.meta.url));

interface Behind {
  readonly plane: ControlPlane;
  readonly ovn: Ovn;
  readonly nbTls: NbTls;
  readonly nodes: Nodes;
}

export async function openDoors(
  dir: string,
  { plane, ovn, nbTls, nodes }: Behind,
  ends: Ends,
): Promise<void> {
  const api = await ApiDoor.open(dir, plane.url, nodes.holders);
  ends.push(() => api.close());
  const tls = await ApiDoor.open(dir, nbTls.remote.replace("ssl:", "ssl://"), nodes.holders, "nb-tls");
  ends.push(() => tls.close());
  const socket = join(dir, "api.sock");
  const { address, port } = apiEndpoint;
  const endpoint = await nodes.router.inside([process.execPath, forward, String(port), socket, address]);
  ends.push(() => endpoint.end());
  const toNb = ovn.nb.replace("unix:", "");
  await Promise.all(
    nodes.holders.map(async (holder, at) => {
      // Pods with the network of a node use no load balancer.
      await ipIn(holder.enter, join(dir, `ip.door${at}`), [`address add ${apiAddress}/32 dev lo`]);
      const doors = await Promise.all([
        holder.inside([process.execPath, forward, "443", socket, apiAddress]),
        holder.inside([process.execPath, forward, String(nbPort), toNb]),
      ]);
      for (const door of doors) ends.push(() => door.end());
    }),
  );
  await plane.kubectl(["apply", "-f", "-"], { input: JSON.stringify(endpointsOfApi) });
}

/** As the API server writes it where it listens on an address that others reach. */
const endpointsOfApi = {
  ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", addressType: "IPv4" },
  metadata: {
    ...{ name: "kubernetes", namespace: "default" },
    labels: { "kubernetes.io/service-name": "kubernetes" },
  },
  ports: [{ name: "https", port: apiEndpoint.port, protocol: "TCP" }],
  endpoints: [{ addresses: [apiEndpoint.address], conditions: { ready: true } }],
};
