// Tokens that live for ten minutes, which the kubelet replaces after eight: both replicas go on when the tokens with which they began have
// expired.

import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../../../test/support/eventually.ts";
import { deployment, type Stage, workers } from "../stage.ts";
import { containerOf, nodeNamed, restartsOf } from "./containers.ts";

const folder = "/var/run/secrets/kubernetes.io/serviceaccount";
/** The shortest that the API server grants. */
const lifeSeconds = 600;
const waitMs = 60_000;

/** Resolves with the milliseconds until the other replica wrote, when the writer ended after the tokens had expired. */
export async function tokensExpire(stage: Stage): Promise<number> {
  await stage.pods.kubectl("patch", deployment, "--type=strategic", "-p", JSON.stringify(shortLived));
  await stage.isWhole();
  const { writer, node, other } = await stage.roles();
  const replicas = [
    { pod: writer, node },
    { pod: other, node: workers.find((one) => one !== node) ?? "" },
  ];
  const first = await tokensOf(stage, replicas);
  for (const token of first) {
    const lives = expiryOf(token) - Date.now() / 1000;
    if (lives > lifeSeconds) throw new Error(`a token lives for ${Math.round(lives)} s`);
  }
  await sleep(Math.max(...first.map(expiryOf)) * 1000 - Date.now());
  // The API server keeps for a while that a token was good.
  await eventually(async () => {
    for (const token of first)
      if (await isGood(stage, token)) throw new Error("an expired token is still taken");
  }, waitMs);
  const second = await tokensOf(stage, replicas);
  if (second.some((token) => first.includes(token))) throw new Error("the kubelet replaced no token");
  await stage.enforcesAnEdit();
  await stage.writesConditions();
  for (const { pod } of replicas)
    if ((await restartsOf(stage, pod)) !== 0) throw new Error(`${pod} was started again`);
  const since = Date.now();
  await stage.cluster.plane.api.text("DELETE", `/api/v1/namespaces/northgate-system/pods/${writer}`);
  const took = await stage.takesOver(other, since);
  await stage.enforcesAnEdit();
  await stage.writesConditions();
  await stage.pods.kubectl("rollout", "undo", deployment);
  await stage.isWhole();
  return took;
}

/** What the admission plugin for service accounts mounts, with a lifetime of our own. */
const shortLived = {
  spec: {
    template: {
      spec: {
        automountServiceAccountToken: false,
        containers: [
          { name: "northgate", volumeMounts: [{ name: "token", mountPath: folder, readOnly: true }] },
        ],
        volumes: [
          {
            name: "token",
            projected: {
              sources: [
                { serviceAccountToken: { path: "token", expirationSeconds: lifeSeconds } },
                { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
                {
                  downwardAPI: {
                    items: [
                      { path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  },
};

interface Replica {
  readonly pod: string;
  readonly node: string;
}

/** As the processes of the replicas find them now. */
function tokensOf(stage: Stage, replicas: readonly Replica[]): Promise<readonly string[]> {
  return Promise.all(
    replicas.map(async ({ pod, node }) => {
      const { pid } = await containerOf(stage, pod, node);
      return (await nodeNamed(stage, node).run("cat", `/proc/${pid}/root${folder}/token`)).trim();
    }),
  );
}

/** In seconds of the clock. */
function expiryOf(token: string): number {
  const [, claims = ""] = token.split(".");
  return (JSON.parse(Buffer.from(claims, "base64url").toString()) as { readonly exp: number }).exp;
}

/** By the API server's word. */
async function isGood({ cluster }: Stage, token: string): Promise<boolean> {
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } };
  const said = await cluster.plane.kubectl(["create", "-f", "-", "-o", "json"], {
    input: JSON.stringify(review),
  });
  const { status } = JSON.parse(said) as { readonly status: { readonly authenticated?: boolean } };
  return status.authenticated === true;
}
