// The API server of an installation that is well, on 127.0.0.1: versions, discovery, CRDs, reviews of rights, lists. A test plants
// one fault in it and asks doctor.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readDoctorConfig } from "../../src/config/answers/doctor.ts";
import type { Finding, FindingState } from "../../src/doctor/finding.ts";
import { examineInstallation } from "../../src/wiring/doctor.ts";

/** What a review asks for: `list pods.`, `patch adminnetworkpolicies.policy.networking.k8s.io/status`. */
type Right = string;

export const policyGroup = "/apis/policy.networking.k8s.io";

export class Installation {
  readonly folder = mkdtempSync(join(tmpdir(), "ng-doctor-"));
  /** Added to the time of answers. */
  skewMs = 0;
  /** An answer to every request; null: the truth. */
  status: number | null = null;
  /** By group and version as a path, the resources that are served. */
  readonly served = new Map<string, readonly string[]>([
    ["/api/v1", ["pods", "namespaces", "nodes", "events"]],
    [`${policyGroup}/v1alpha1`, ["adminnetworkpolicies", "baselineadminnetworkpolicies"]],
    [`${policyGroup}/v1alpha2`, ["clusternetworkpolicies"]],
    ["/apis/networking.k8s.io/v1", ["networkpolicies"]],
  ]);
  /** Names of CRDs that are being deleted. */
  readonly leaving = new Set<string>();
  readonly denied = new Set<Right>();
  /** Rights that somebody asked about, each with its subject. */
  readonly reviewed: { readonly right: Right; readonly user: string | null }[] = [];
  /** Whether the reviews themselves are answered. */
  reviews = true;
  /** By path. */
  readonly objects = new Map<string, readonly object[]>();
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  get kubeconfig(): string {
    return join(this.folder, "kubeconfig");
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const { port } = this.#server.address() as AddressInfo;
    const clusters = [{ name: "c", cluster: { server: `http://127.0.0.1:${port}` } }];
    const contexts = [{ name: "c", context: { cluster: "c", user: "u" } }];
    const users = [{ name: "u", user: {} }];
    const config = { clusters, contexts, users, "current-context": "c" };
    writeFileSync(this.kubeconfig, JSON.stringify(config));
  }

  async stop(): Promise<void> {
    await this.silence();
    rmSync(this.folder, { recursive: true });
  }

  /** Nobody answers any more. */
  async silence(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The findings of a run with these flags. */
  examine(flags: Readonly<Record<string, string>> = {}): Promise<readonly Finding[]> {
    const texts = Object.entries({ kubeconfig: this.kubeconfig, ...flags });
    return examineInstallation(
      readDoctorConfig({
        flags: Object.fromEntries(texts.map(([flag, text]) => [flag, [text]])),
        environment: {},
      }),
    );
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const piece of request) text += String(piece);
    const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
    const [status, body] = this.status === null ? this.#truth(pathname, text) : refusal(this.status);
    response.setHeader("Date", new Date(Date.now() + this.skewMs).toUTCString());
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  }

  #truth(path: string, sent: string): readonly [status: number, body: object] {
    if (path === "/version") return [200, { gitVersion: "v1.34.1" }];
    if (path.endsWith("accessreviews")) return this.#review(JSON.parse(sent) as Review);
    const crd = /customresourcedefinitions\/(.*)$/.exec(path)?.[1];
    if (crd !== undefined)
      return [200, { metadata: this.leaving.has(crd) ? { deletionTimestamp: "2026-11-22T08:00:00Z" } : {} }];
    const resources = this.served.get(path);
    if (resources !== undefined) return [200, { resources: resources.map((name) => ({ name })) }];
    const versions = [...this.served.keys()].filter((one) => one.startsWith(`${path}/`));
    if (versions.length > 0 && path.startsWith("/apis/"))
      return [200, { versions: versions.map((one) => ({ version: one.slice(path.length + 1) })) }];
    const at = path.lastIndexOf("/");
    if (this.served.get(path.slice(0, at))?.includes(path.slice(at + 1)) !== true) return refusal(404);
    return [200, { metadata: { resourceVersion: "7" }, items: this.objects.get(path) ?? [] }];
  }

  #review({ spec }: Review): readonly [number, object] {
    const { user = null, resourceAttributes: asked } = spec;
    const { verb, resource, group, subresource } = asked;
    const right = `${verb} ${resource}.${group}${subresource === undefined ? "" : `/${subresource}`}`;
    this.reviewed.push({ right, user });
    return this.reviews ? [201, { status: { allowed: !this.denied.has(right) } }] : refusal(403);
  }
}

interface Review {
  readonly spec: {
    readonly user?: string;
    readonly resourceAttributes: Readonly<Record<"verb" | "group" | "resource", string>> & {
      readonly subresource?: string;
    };
  };
}

function refusal(code: number): readonly [number, object] {
  return [code, { kind: "Status", code, message: `planted ${code}` }];
}

/** The checks that are in this state, in their order, each once. */
export function inState(findings: readonly Finding[], state: FindingState): readonly string[] {
  return [...new Set(findings.filter((one) => one.state === state).map(({ check }) => check))];
}

/** The one finding of a check; throws where there are others. */
export function findingOf(findings: readonly Finding[], check: string): Finding {
  const [found, ...others] = findings.filter((one) => one.check === check);
  if (found === undefined || others.length > 0)
    throw new Error(`${check}: ${others.length + 1} findings: ${JSON.stringify(findings)}`);
  return found;
}

/** A policy with one condition of a zone. */
export function reported(
  name: string,
  {
    generation = 1,
    observed = 1,
    status = "True",
    type = "Ready-In-Zone-global",
    reason = "SetupSucceeded",
  } = {},
): object {
  const condition = { type, status, reason, message: `the message of ${name}`, observedGeneration: observed };
  return { metadata: { name, generation }, status: { conditions: [condition] } };
}
