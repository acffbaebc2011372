// How etcd and kube-apiserver are started for tests, and the two questions etcd is asked. Refuses every address but
// 127.0.0.1. Each argument that is not needed to start says why it is there.

import { join } from "node:path";
import type { DaemonSpec } from "../../tools/sandbox/daemon.ts";
import type { Assets } from "./assets.ts";
import type { Credentials } from "./credentials.ts";
import { patience } from "../support/patience.ts";

export function etcd(assets: Assets, dir: string, url: string): DaemonSpec {
  return {
    name: "etcd",
    program: assets.programs.etcd,
    args: [
      `--data-dir=${join(dir, "etcd")}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      "--listen-peer-urls=http://127.0.0.1:0", // a member without peers
      "--unsafe-no-fsync", // a killed process loses nothing by it, only a killed machine does
      "--log-level=warn",
    ],
  };
}

export function apiServer(
  assets: Assets,
  dir: string,
  port: number,
  etcdUrl: string,
  credentials: Credentials,
): DaemonSpec {
  return {
    name: "kube-apiserver",
    program: assets.programs["kube-apiserver"],
    args: [
      `--cert-dir=${join(dir, "pki")}`,
      `--etcd-servers=${etcdUrl}`,
      "--bind-address=127.0.0.1",
      "--advertise-address=127.0.0.1",
      `--secure-port=${port}`,
      `--tls-cert-file=${credentials.path("serving.crt")}`,
      `--tls-private-key-file=${credentials.path("serving.key")}`,
      `--client-ca-file=${credentials.path("ca.crt")}`,
      `--token-auth-file=${credentials.path("tokens.csv")}`,
      "--service-account-issuer=https://kubernetes.default.svc",
      `--service-account-signing-key-file=${credentials.path("accounts.key")}`,
      `--service-account-key-file=${credentials.path("accounts.pub")}`,
      "--service-cluster-ip-range=10.96.0.0/16",
      "--authorization-mode=RBAC",
      "--endpoint-reconciler-type=none", // 127.0.0.1 is no address for an Endpoints object
      "--etcd-compaction-interval=0", // history goes when a test says so
      "--allow-privileged=true",
      "--profiling=false",
    ],
  };
}

export async function etcdIsHealthy(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(patience(2_000)) });
    const { health } = (await answer.json()) as { health?: string };
    return health === "true";
  } catch {
    return false;
  }
}

/** Asks etcd's JSON gateway; the answer is the revision it was given at. */
export async function etcdSays(
  url: string,
  call: "range" | "compaction",
  question: Readonly<Record<string, unknown>>,
): Promise<number> {
  const body = JSON.stringify(question);
  const answer = await fetch(`${url}/v3/kv/${call}`, { method: "POST", body });
  const said = (await answer.json()) as { header?: { revision?: string }; message?: string };
  const revision = Number(said.header?.revision ?? Number.NaN);
  if (!answer.ok || !Number.isInteger(revision)) {
    throw new Error(`etcd ${call}: ${said.message ?? answer.statusText}`);
  }
  return revision;
}
