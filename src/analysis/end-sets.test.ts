// Ends as people say them: what each form names, the namespace of a name without one, and the nearest names of what is not there.

import { describe, expect, test } from "@jest/globals";
import { hostName, node, pod, workload } from "../../test/support/facts.ts";
import { FactStore } from "../model/fact-store.ts";
import { readService } from "../model/service.ts";
import type { EndSet } from "./end-sets.ts";
import { EndSets } from "./end-sets.ts";
import { NoSuchEnd } from "./end-query.ts";

const facts = new FactStore();
for (const fact of [
  node("n1", {}, ["172.18.0.2", "fd00:18::2"]),
  node("n2", {}, []),
  {
    ...pod("shop", "web-5f8c-a", {
      labels: { app: "web", "pod-template-hash": "5f8c" },
      ips: ["10.0.0.1", "fd00::1"],
    }),
    owner: { group: "apps", kind: "ReplicaSet", name: "web-5f8c" },
  },
  pod("shop", "db-0", { labels: { app: "db", tier: "data" }, ips: ["10.0.0.2"] }),
  pod("shop", "done", { labels: { app: "web" }, ips: ["10.0.0.9"], completed: true }),
  pod("shop", "late", { labels: { app: "late" } }),
  pod("kube-system", "agent", { hostNetwork: true, ips: ["172.18.0.2"] }),
  pod("deploy", "web", { ips: ["10.0.1.1"] }),
  hostName("www.example.org", "198.51.100.1", "10.0.0.2"),
  hostName("none.example.org"),
])
  facts.put(fact);
const service = (name: string, spec: object) =>
  readService({
    ...{ apiVersion: "v1", kind: "Service", namespace: "shop", name, uid: null, generation: null },
    ...{ annotations: new Map(), labels: new Map(), spec },
  });
const sets = new EndSets({
  facts,
  workloads: [
    workload("shop", "api", { labels: { app: "api", tier: "data" } }),
    workload("jobs", "report", { kind: "CronJob" }),
  ],
  services: [
    service("web", {
      selector: { app: "web" },
      ports: [
        { name: "http", port: 80, targetPort: 8080 },
        { name: "metrics", port: 9090 },
      ],
    }),
    service("api", { selector: { app: "api" }, ports: [{ port: 443 }] }),
    service("far", { ports: [{ port: 443 }] }),
  ],
});
const shown = ({ text, pods, workloads, networks, service: asked }: EndSet) => [
  text,
  ...pods.map((one) => `${one.pod.namespace}/${one.pod.name} ${one.ips.join()}`),
  ...workloads.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`),
  ...networks.map(({ cidr, except }) => (except.length === 0 ? cidr : `${cidr} but ${except.length}`)),
  ...(asked?.ports.map(({ port, target }) => `${port} → ${target}`) ?? []),
];

describe("an end", () => {
  const web = "shop/web-5f8c-a 10.0.0.1,fd00::1";
  test.each<readonly [string, readonly string[]]>([
    ["shop/web-5f8c-a", ["shop/web-5f8c-a", web]],
    ["shop/web-5f8c-a@fd00::1", ["shop/web-5f8c-a@fd00::1", "shop/web-5f8c-a fd00::1"]],
    ["shop/pod/db-0", ["shop/db-0", "shop/db-0 10.0.0.2"]],
    ["deploy/pod/web", ["deploy/web", "deploy/web 10.0.1.1"]],
    ["shop/*", ["shop/*", web, "shop/db-0 10.0.0.2", "Deployment shop/api"]],
    ["shop/[tier=data]", ["shop/[tier=data]", "shop/db-0 10.0.0.2", "Deployment shop/api"]],
    ["*/[app in (web, db),!tier]", ["*/[app in (web, db),!tier]", web]],
    ["shop/deploy/api", ["shop/deploy/api", "Deployment shop/api"]],
    ["shop/deployments/web", ["shop/deploy/web", web]],
    ["shop/rs/web-5f8c", ["shop/rs/web-5f8c", web]],
    ["jobs/cronjob/report", ["jobs/cj/report", "CronJob jobs/report"]],
    ["shop/svc/web:http", ["shop/svc/web:http", web, "80 → 8080"]],
    ["shop/svc/web", ["shop/svc/web", web, "80 → 8080", "9090 → 9090"]],
    ["shop/svc/api:443", ["shop/svc/api:443", "Deployment shop/api", "443 → 443"]],
    ["node/n1", ["node/n1", "172.18.0.2/32", "fd00:18::2/128"]],
    ["10.0.0.2", ["10.0.0.2", "shop/db-0 10.0.0.2", "10.0.0.2/32"]],
    ["10.0.0.7/30", ["10.0.0.4/30", "10.0.0.4/30"]],
    ["fd00::/64", ["fd00::/64", "shop/web-5f8c-a fd00::1", "fd00::/64"]],
    ["internet", ["internet", "0.0.0.0/0 but 13", "2000::/3 but 3"]],
  ])("%s", (text, expected) => {
    expect(shown(sets.find(text))).toEqual(expected);
  });

  test.each([
    ["deploy/api", "shop/deploy/api"],
    ["svc/web:80", "shop/svc/web:80"],
    ["db-0", "shop/db-0"],
    ["pod/db-0", "shop/db-0"],
    ["deploy/pod/web", "deploy/web"],
  ])("%s with a namespace beside it", (text, expected) => {
    expect(sets.find(text, "shop").text).toBe(expected);
  });

  test.each<readonly [string, string | RegExp]>([
    ["shop/nothing-like-it", 'there is no pod "shop/nothing-like-it"'],
    ["shop/db", 'there is no pod "shop/db"; did you mean "shop/db-0"?'],
    ["shop/ap", 'there is no pod "shop/ap"; did you mean "shop/deploy/api" or "shop/svc/api"?'],
    [
      "deploy/web",
      'there is no Deployment "default/web"; did you mean "deploy/web", "shop/svc/web" or "shop/web-5f8c-a"?',
    ],
    ["shop/wbe-0", 'there is no pod "shop/wbe-0"; did you mean "shop/web-5f8c-a" or "shop/svc/web"?'],
    ["shop/ap-5f8c-x", 'there is no pod "shop/ap-5f8c-x"; did you mean "shop/deploy/api" or "shop/svc/api"?'],
    ["shop/svc/wbe", 'there is no Service "shop/wbe"; did you mean "shop/svc/web" or "shop/web-5f8c-a"?'],
    ["node/n3", 'there is no node "n3"; did you mean "node/n1" or "node/n2"?'],
    ["node/n2", 'node "n2" has no address'],
    ["shop/late", 'pod "shop/late" has no address yet'],
    ["shop/done", 'pod "shop/done" has completed: its address may be another pod\'s'],
    ["shop/svc/web:81", 'Service "shop/web" has no port "81"; it has tcp 80 (http), tcp 9090 (metrics)'],
    ["shop/svc/far", 'Service "shop/far" has no selector: the pods behind it are not known'],
    ["none/*", 'there is no pod of namespace "none"'],
    ["shpo/*", 'there is no pod of namespace "shpo"; did you mean "shop/*"?'],
    ["job/[a=b]", 'there is no pod of namespace "job"; did you mean "jobs/[a=b]"?'],
    ["shop/[app=none]", /^"shop\/\[app=none\]": no running pod of namespace "shop" is meant$/],
    [
      "shop/[app=wbe]",
      '"shop/[app=wbe]": no running pod of namespace "shop" is meant; did you mean "shop/[app=web]"?',
    ],
    [
      "shop/[ap=api]",
      '"shop/[ap=api]": no running pod of namespace "shop" is meant; did you mean "shop/[app=api]"?',
    ],
    // A value under another key.
    [
      "shop/[name=web,app]",
      '"shop/[name=web,app]": no running pod of namespace "shop" is meant; did you mean "shop/[app,app=web]"?',
    ],
    [
      "shop/[app in (ap,wb),tier=data]",
      '"shop/[app in (ap,wb),tier=data]": no running pod of namespace "shop" is meant; did you mean "shop/[app in (ap,db),tier=data]" or ' +
        '"shop/[app in (api,wb),tier=data]"?',
    ],
    // What would select nothing either is not offered: no pod of web has a tier, and only a completed one is late.
    ["shop/[app=wbe,tier]", /^"shop\/\[app=wbe,tier\]": no running pod of namespace "shop" is meant$/],
    ["shop/[app=lat]", /^"shop\/\[app=lat\]": no running pod of namespace "shop" is meant$/],
    // The same selector elsewhere.
    [
      "jobs/[tier=data]",
      '"jobs/[tier=data]": no running pod of namespace "jobs" is meant; did you mean "shop/[tier=data]"?',
    ],
    ["*/[app=wbe]", '"*/[app=wbe]": no running pod is meant; did you mean "*/[app=web]"?'],
    [
      "shop/[!app]",
      '"shop/[!app]": no running pod of namespace "shop" is meant; did you mean "deploy/[!app]"',
    ],
    ["shop/[app=]x", '"shop/[app=]x" is no end of a connection'],
    ["shop/[a b]", '"shop/[a b]": "a b" is not KEY, !KEY, KEY=VALUE'],
    ["shop/web-5f8c-a@10.0.0.7", 'pod "shop/web-5f8c-a" has no address 10.0.0.7; it has 10.0.0.1, fd00::1'],
    ["shop/web@x", '"shop/web@x": what is behind @ is no IP address'],
    ["10.0.0.300", '"10.0.0.300" is no IPv4 address or network'],
    ["10.0.0.1/33", '"10.0.0.1/33" is no IPv4 address or network'],
    ["web", '"web" is no end of a connection: ADDRESS, CIDR, internet, NAMESPACE/POD'],
    ["a/b/c/d", '"a/b/c/d" is no end of a connection'],
    ["shop//web", '"shop//web" is no end of a connection'],
  ])("%s is refused", (text, message) => {
    expect(() => sets.find(text)).toThrow(NoSuchEnd);
    expect(() => sets.find(text)).toThrow(message);
  });
});

describe("names of DNS", () => {
  test("are the addresses that were recorded, each an end of its own, with the pods that have them", () => {
    const set = sets.find("WWW.example.org.");
    expect(set).toMatchObject({ text: "www.example.org", areApart: true, workloads: [] });
    expect(set.networks.map(({ cidr }) => cidr)).toEqual(["198.51.100.1/32", "10.0.0.2/32"]);
    expect(set.pods.map(({ pod: { name } }) => name)).toEqual(["db-0"]);
  });

  test.each([
    ["other.example.org", "nothing is recorded of what DNS answers"],
    ["none.example.org", "DNS answered that"],
  ])("%s is refused", (text, message) => {
    expect(() => sets.find(text)).toThrow(NoSuchEnd);
    expect(() => sets.find(text)).toThrow(message);
  });

  test("with a namespace a name with dots is a pod's", () => {
    expect(() => sets.find("www.example.org", "shop")).toThrow("there is no pod");
  });
});
