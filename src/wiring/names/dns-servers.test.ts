// The DNS servers of a cluster, with an API server that answers what the test says: its ready endpoints, and what happens when they
// cannot be looked up.

import { expect, test } from "@jest/globals";
import { AnsweringApi, settled } from "../../../test/support/answering-api.ts";
import { HandClock } from "../../../test/support/scripted-api.ts";
import { silentLogger } from "../../lib/logger.ts";
import { FollowedDnsServers } from "./dns-servers.ts";

function follow() {
  const server = new AnsweringApi();
  const found: (readonly string[])[] = [];
  const errors: unknown[] = [];
  const clock = new HandClock();
  const followed = new FollowedDnsServers({
    from: { kind: "service", namespace: "kube-system", name: "kube-dns" },
    ...{ api: server, clock, logger: silentLogger },
    found: (servers) => found.push(servers),
    fatal: (error) => errors.push(error),
  });
  return { server, followed, found, errors, clock };
}

const slice = (addressType: string, ...endpoints: readonly object[]) => ({
  addressType,
  endpoints,
  ports: [
    { name: "dns", port: 5353, protocol: "UDP" },
    { name: "dns-tcp", port: 5354, protocol: "TCP" },
  ],
});
const answer = (...items: readonly object[]) => ({ status: 200, body: { items } });

test("the ready endpoints of the Service are asked, others once they are there, the last ones while nothing answers", async () => {
  const { server, followed, found, errors, clock } = follow();
  server.script = answer(
    slice("IPv4", { addresses: ["10.0.0.5"] }, { addresses: ["10.0.0.6"], conditions: { ready: false } }),
    slice("IPv6", { addresses: ["fd00::5"], conditions: { ready: true } }),
    slice("FQDN", { addresses: ["dns.example.org"] }),
  );
  followed.start();
  await settled();
  const first = ["10.0.0.5:5353", "[fd00::5]:5353"];
  expect(found).toEqual([first]);
  expect(server.asked[0]).toMatchObject({
    ...{ method: "GET", path: "/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices" },
    query: { labelSelector: "kubernetes.io/service-name=kube-dns" },
  });
  const next = async (script: AnsweringApi["script"]): Promise<void> => {
    server.script = script;
    clock.elapse(10_000);
    await settled();
  };
  await next({ status: 403, body: { message: "no" } });
  expect(followed.problem).toContain("the endpoints of the Service kube-system/kube-dns cannot be read");
  expect(found).toEqual([first]);
  await next(answer(slice("IPv4", { addresses: ["10.0.0.6"] })));
  expect([found, followed.problem]).toEqual([[first, ["10.0.0.6:5353"]], null]);
  await next(answer());
  expect(found.at(-1)).toEqual([]);
  expect(followed.problem).toBe("the Service kube-system/kube-dns has no ready endpoint");
  await followed.stop();
  clock.elapse(60_000);
  expect([server.requests, errors]).toEqual([4, []]);
});

test("servers that are given are asked at once", () => {
  const found: (readonly string[])[] = [];
  new FollowedDnsServers({
    from: { kind: "given", servers: ["192.0.2.1:53"] },
    ...{ api: null, clock: new HandClock(), logger: silentLogger },
    found: (servers) => found.push(servers),
    fatal: () => undefined,
  }).start();
  expect(found).toEqual([["192.0.2.1:53"]]);
});
