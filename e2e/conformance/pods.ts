// Pods and Services of a test on a conformance cluster, in the words of kubectl: making them, what the API says of them, and
// commands in them. All are in the namespace default; their image is agnhost, as the node agent has no other.

import { expect } from "@jest/globals";
import type { ControlPlane } from "../../test/kube/control-plane.ts";
import { eventually } from "../../test/support/eventually.ts";

const image = "registry.k8s.io/e2e-test-images/agnhost:2.45";

interface ContainerStatus {
  readonly restartCount: number;
  readonly ready: boolean;
  readonly state: Readonly<Record<string, { readonly exitCode?: number; readonly message?: string }>>;
}

export interface PodStatus {
  readonly phase: string;
  readonly reason?: string;
  readonly podIPs?: readonly { readonly ip: string }[];
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
  readonly containerStatuses: readonly ContainerStatus[];
}

export const container = (name: string, more: object = {}) => ({ name, image, ...more });

/** TCP on 80, UDP on 53. */
export const server = container("server", { args: ["netexec", "--http-port=80", "--udp-port=53"] });

export const pod = (name: string, spec: object = {}, labels: object = {}) => ({
  ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default", labels } },
  spec: { containers: [container("main")], ...spec },
});

export function at(ip: string, port: number): string {
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}

export class Pods {
  readonly #plane: ControlPlane;

  constructor(plane: ControlPlane) {
    this.#plane = plane;
  }

  async create(...items: readonly object[]): Promise<void> {
    const input = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    await this.#plane.kubectl(["create", "-f", "-"], { input });
  }

  /** Resolves when they are gone from the API. */
  async remove(...names: readonly string[]): Promise<void> {
    await this.#plane.kubectl(["delete", "pod", ...names]);
  }

  async status(name: string): Promise<PodStatus> {
    const text = await this.#plane.kubectl(["get", "pod", name, "-o", "jsonpath={.status}"]);
    return JSON.parse(text) as PodStatus;
  }

  async isReady(name: string): Promise<boolean> {
    const { conditions } = await this.status(name);
    return conditions.find(({ type }) => type === "Ready")?.status === "True";
  }

  /** Resolves when all of them are. */
  async ready(...names: readonly string[]): Promise<void> {
    await eventually(async () => {
      for (const name of names) expect([name, await this.isReady(name)]).toEqual([name, true]);
    }, 30_000);
  }

  async ips(name: string): Promise<readonly string[]> {
    return ((await this.status(name)).podIPs ?? []).map(({ ip }) => ip);
  }

  nodeOf(name: string): Promise<string> {
    return this.#plane.kubectl(["get", "pod", name, "-o", "jsonpath={.spec.nodeName}"]);
  }

  /** What the command wrote on its output; rejects with kubectl's words, its errors and exit code among them. */
  exec(name: string, ...command: readonly string[]): Promise<string> {
    return this.#plane.kubectl(["exec", name, "--", ...command]);
  }

  bash(name: string, script: string): Promise<string> {
    return this.exec(name, "/bin/bash", "-c", script);
  }

  /** Rejects with agnhost's word when there is no connection. */
  async connect(from: string, to: string, protocol = "tcp"): Promise<void> {
    await this.exec(from, "/agnhost", "connect", "--timeout=3s", `--protocol=${protocol}`, to);
  }
}
