// The cluster whose changes the budgets are about: three tenants, rules on labels, on everyone and on a named port, and
// policies that nobody's change concerns. As many pods and as many of those policies as one likes.

import type { NamedPort, PodFact } from "../../src/model/facts.ts";
import type { PolicyObject, WorldObject } from "../../src/model/object.ts";
import { namespace, pod } from "./facts.ts";
import { anp, namespacesWith, podsWith } from "./policies.ts";
import type { PolicySpec } from "./policies.ts";

export const rendering = { families: ["v4", "v6"], zone: null } as const;

const tenants = ["shop", "bank", "lab"] as const;
type Tenant = (typeof tenants)[number];

interface PodChange {
  readonly labels?: Readonly<Record<string, string>>;
  /** The last part of its addresses, when it is not the pod's own. */
  readonly host?: number;
  readonly ports?: readonly NamedPort[];
}

/** Dual-stack, with addresses of one length for every pod. */
export function podOf(tenant: Tenant, app: string, n: number, change: PodChange = {}): PodFact {
  const { labels = { app }, host = 1000 + n, ports = [] } = change;
  const [high, low] = [100 + Math.floor(host / 100), 100 + (host % 100)];
  const net = `${100 + tenants.indexOf(tenant)}`;
  const half = app === "db" ? "102" : "101";
  return pod(tenant, `${app}-${n}`, {
    labels,
    ips: [`${half}.${net}.${high}.${low}`, `fd00:${half}:${net}:${high}::${low}`],
    ports,
  });
}

export const http: NamedPort = { name: "http", protocol: "tcp", port: 8080 };
const tcp = (port: number) => ({ portNumber: { protocol: "TCP", port } });
const everyone = { namespaces: {} };
const tenant = (name: Tenant) => namespacesWith({ tenant: name });
const app = (name: Tenant, label: string) => podsWith({ tenant: name }, { app: label });

export function shopWeb(change: PolicySpec = {}, port = 443): PolicyObject {
  return anp("shop-web", {
    priority: 10,
    subject: app("shop", "web"),
    ingress: [
      { action: "Allow", from: [tenant("bank")], ports: [tcp(port)] },
      { action: "Deny", from: [app("shop", "db")] },
    ],
    egress: [{ action: "Pass", to: [{ networks: ["192.0.2.0/24"] }] }],
    ...change,
  });
}

const bankDb = anp("bank-db", {
  priority: 20,
  subject: app("bank", "db"),
  ingress: [
    { action: "Allow", from: [app("shop", "web"), app("bank", "web")] },
    { action: "Deny", from: [everyone] },
  ],
});

const bankHttp = anp("bank-http", {
  priority: 30,
  subject: tenant("bank"),
  ingress: [{ action: "Allow", from: [app("shop", "web")], ports: [{ namedPort: "http" }] }],
});

/** Its peers are others' selectors in another combination. */
export const guardOf = (subject: Tenant): PolicyObject =>
  anp("guard", {
    priority: 40,
    subject: tenant(subject),
    ingress: [{ action: "Deny", from: [app("shop", "db"), app("bank", "web")] }],
  });

/** Selects labels that no pod and no namespace has. */
const bystander = (n: number): PolicyObject =>
  anp(`bystander-${n}`, {
    priority: 90,
    subject: namespacesWith({ tenant: `nobody-${n}` }),
    ingress: [{ action: "Deny", from: [podsWith({ tenant: `nobody-${n}` }, { app: `none-${n}` })] }],
  });

/** Of three pods, however many there are. */
const hasPort = (name: Tenant, label: string, n: number): boolean =>
  name === "bank" && label === "web" && n < 3;

export interface Size {
  /** Pods of each of the tenant's two apps; 3 unless told. */
  readonly replicas?: Partial<Readonly<Record<Tenant, number>>>;
  readonly bystanders?: number;
}

export function worldOf({ replicas = {}, bystanders = 2 }: Size = {}): readonly WorldObject[] {
  const count = (length: number) => Array.from({ length }, (_, n) => n);
  return [
    ...tenants.map((name) => namespace(name, { tenant: name })),
    ...tenants.flatMap((name) =>
      ["web", "db"].flatMap((label) =>
        count(replicas[name] ?? 3).map((n) =>
          podOf(name, label, n, { ports: hasPort(name, label, n) ? [http] : [] }),
        ),
      ),
    ),
    shopWeb(),
    bankDb,
    bankHttp,
    ...count(bystanders).map(bystander),
  ];
}
