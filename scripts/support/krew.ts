// The plugin's manifest for krew, kubectl's plugin manager, of one archive. krew asks for the fields; the sum is that of the archive.

import { stringify } from "yaml";
import { home } from "./home.ts";

export interface KrewArchive {
  readonly name: string;
  readonly sha256: string;
}

/**
 * northgate.yaml, for krew's index or `kubectl krew install --manifest=northgate.yaml --archive=…`.
 * @param version without a `v`. @param node the range of package.json: `>=22.19`. @param bin the plugin's path in the archive.
 */
export function krewManifest(version: string, node: string, bin: string, archive: KrewArchive): string {
  return stringify(
    {
      apiVersion: "krew.googlecontainertools.github.com/v1alpha2",
      kind: "Plugin",
      metadata: { name: "northgate" },
      spec: {
        version: `v${version}`,
        homepage: home,
        shortDescription: "Say which network policy decides, and why",
        description,
        caveats: caveats(node),
        platforms: [
          {
            selector: { matchExpressions: [{ key: "os", operator: "In", values: ["linux", "darwin"] }] },
            uri: `${home}/releases/download/v${version}/${archive.name}`,
            sha256: archive.sha256,
            files: [{ from: "*", to: "." }],
            bin,
          },
        ],
      },
    },
    // A sum of digits alone, or with one e, would be read as a number by YAML without quotes; the library quotes those.
    { lineWidth: 0 },
  );
}

const description = `Says of a connection whether policies allow it and which rule of which policy decides. Lists who can reach a
pod, and which namespaces can reach which. Lists policies of every kind in the order of evaluation, finds
mistakes in them, says what an edit would change, and shows all of it as a page in the browser. It reads
NetworkPolicy, AdminNetworkPolicy, BaselineAdminNetworkPolicy and ClusterNetworkPolicy, and with a flag the
policies of Antrea and Calico. It writes nothing.
`;

function caveats(node: string): string {
  return `Needs Node.js (${node}) as "node" on the PATH.
Reads pods, namespaces, nodes, services and policies of the whole cluster, with the rights of your kubeconfig.
`;
}
