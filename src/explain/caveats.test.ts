// Every caveat, whether it leaves the verdict open, and the address of a Service with the pods behind it.

import { describe, expect, test } from "@jest/globals";
import { answered, deny, toDb, webToDb, worldOf } from "../../test/support/asked-world.ts";
import { acnp } from "../../test/support/antrea.ts";
import { anp, banp, cnp, namespacesWith, np } from "../../test/support/policies.ts";
import { parseCidr } from "../model/ip.ts";
import type { ReferencedObject } from "../model/object.ts";
import type { Answer } from "./answer.ts";
import type { AskedOptions } from "./asked.ts";
import { explain } from "./explain.ts";

describe("caveats", () => {
  const codes = ({ caveats }: Answer) => caveats.map(({ code }) => code);

  test("a pod to itself is allowed whatever policies say", () => {
    const answer = answered([anp("p", { egress: [{ action: "Deny", to: [{ namespaces: {} }] }] })], {
      to: "red/web",
    });
    expect([answer.verdict, codes(answer), answer.egress?.by]).toEqual(["allow", ["Hairpin"], "exempt"]);
  });

  test("a pod on its node's network", () => {
    const answer = answered([anp("p", { egress: [deny] })], { to: "blue/agent" });
    expect([answer.verdict, codes(answer), answer.to.kind, answer.to.pod]).toEqual([
      "allow",
      ["HostNetwork"],
      "host",
      "blue/agent",
    ]);
  });

  test("an address of the pod network that is no known pod's", () => {
    expect(codes(answered([], { to: "10.0.0.77" }))).toEqual(["UnseenPod"]);
    expect(codes(answered([], { to: "10.0.1.77" }))).toEqual([]);
  });

  test("a tie on the other side does not open what one side denies", () => {
    const tie = [
      anp("p", { ingress: [{ action: "Allow", from: [{ namespaces: {} }] }] }),
      anp("q", { ingress: [{ action: "Deny", from: [{ namespaces: {} }] }] }),
    ];
    const open = answered(tie);
    expect([open.verdict, codes(open)]).toEqual(["unknown", ["Tie"]]);
    expect(answered([...tie, banp({ egress: [deny] })]).verdict).toBe("deny");
  });

  test("a family that is not served", () => {
    const asked = worldOf([], { families: ["v4"] });
    const answer = explain(asked, { ...webToDb, to: "blue/six" }, { isDetailed: false });
    expect([answer.verdict, codes(answer)]).toEqual(["allow", ["Family"]]);
  });

  describe("a policy that is refused", () => {
    const broken = (priority: number) =>
      anp("broken", {
        priority,
        subject: namespacesWith({ tenant: "red" }),
        egress: [{ action: "Nonsense", to: toDb }],
      });

    test("leaves open what it might decide", () => {
      const answer = answered([broken(5)]);
      expect([answer.verdict, codes(answer)]).toEqual(["unknown", ["NotRead"]]);
      expect(answered([anp("p", { priority: 4, egress: [deny] }), broken(5)]).verdict).toBe("deny");
      expect(answered([anp("p", { priority: 6, egress: [deny] }), broken(5)]).verdict).toBe("unknown");
    });

    test("and nothing of pods that it is not about", () => {
      const answer = answered([broken(5)], { from: "blue/db-0", to: "red/web", protocol: "udp" });
      expect([answer.egress?.verdict, answer.ingress?.verdict]).toEqual(["allow", "unknown"]);
      expect(answered([broken(5)], { from: "blue/db-0", to: "192.0.2.1" }).verdict).toBe("allow");
    });

    test("of which nothing could be read is about everybody, a NetworkPolicy about its namespace", () => {
      const from = "blue/db-0";
      const to = "192.0.2.1";
      const nobodyKnows = { ...broken(5), spec: { priority: 5, subject: "?" } };
      expect(codes(answered([nobodyKnows], { from, to }))).toEqual(["NotRead"]);
      expect(codes(answered([np("broken", "no spec at all", "red")], { from, to }))).toEqual([]);
      expect(codes(answered([np("broken", "no spec at all", "blue")], { from, to }))).toEqual(["NotRead"]);
    });
  });

  test("domain names leave open what they might allow", () => {
    const names = { action: "Accept", to: [{ domainNames: ["www.example.org"] }] };
    const all = { action: "Deny", to: [{ networks: ["0.0.0.0/0"] }] };
    const to = "198.51.100.1";
    const open = answered([cnp("c", { egress: [names, all] })], { to });
    expect([open.verdict, codes(open)]).toEqual(["unknown", ["DomainName"]]);
    const before = answered([cnp("c", { egress: [all, names] })], { to });
    expect([before.verdict, codes(before)]).toEqual(["deny", []]);
    // Without the denial it is allowed either way.
    expect(answered([cnp("c", { egress: [names] })], { to }).verdict).toBe("allow");
  });
});

describe("the address of a Service", () => {
  const service: ReferencedObject = {
    ...{ kind: "Service", apiVersion: "v1", namespace: "blue", name: "db", uid: null, generation: null },
    ...{ annotations: new Map(), labels: new Map() },
    spec: {
      clusterIP: "10.96.0.10",
      clusterIPs: ["10.96.0.10", "fd96::10"],
      selector: { app: "db" },
      ports: [{ port: 80, targetPort: 5432 }],
    },
  };
  const policy = anp("p", {
    egress: [{ action: "Deny", to: toDb, ports: [{ portNumber: { protocol: "TCP", port: 5432 } }] }],
  });
  const ask = (to: string, options: Partial<AskedOptions> = { services: [service] }) =>
    explain(worldOf([policy], options), { ...webToDb, to }, { isDetailed: true });

  test("is open, with an answer for each pod behind it", () => {
    const answer = ask("10.96.0.10");
    expect([answer.verdict, answer.egress?.verdict, answer.caveats.map(({ code }) => code)]).toEqual([
      "unknown",
      "unknown",
      ["ServiceAddress"],
    ]);
    expect(answer.backends).toEqual([{ to: "blue/db-0@10.0.0.2", port: 5432, verdict: "deny" }]);
    expect(ask("fd96::10").backends).toEqual([{ to: "blue/db-0@fd00::2", port: 5432, verdict: "deny" }]);
  });

  test("leads to its pods as rules about Services see it, and a pod alone does not", () => {
    const client = [{ podSelector: { matchLabels: { app: "web" } } }];
    const spec = { priority: 5, appliedTo: client };
    const toServices = [{ name: "db", namespace: "blue" }];
    const through = acnp("p", { ...spec, egress: [{ action: "Drop", toServices }] });
    const answerOf = (to: string, port: number) =>
      explain(
        worldOf([through, service], { services: [service] }),
        { ...webToDb, to, port },
        { isDetailed: true },
      );
    expect(answerOf("10.96.0.10", 80).backends).toEqual([
      { to: "blue/db-0@10.0.0.2", port: 5432, verdict: "deny" },
    ]);
    const straight = answerOf("blue/db-0", 5432);
    expect([straight.verdict, straight.egress?.by]).toEqual(["allow", "default"]);
    expect(straight.egress?.near?.map(({ part, wanted, has }) => ({ part, wanted, has }))).toEqual([
      { part: "service", wanted: "a connection through a Service", has: "one straight to the pod" },
    ]);
    // It fails in two parts.
    expect(answerOf("blue/db-0", 80).egress?.near).toEqual([]);
  });

  test("in a network that the user names is open too", () => {
    const serviceNetworks = [parseCidr("10.96.0.0/12")].filter((one) => one !== null);
    const answer = ask("10.96.7.7", { serviceNetworks });
    expect([answer.verdict, answer.backends]).toEqual(["unknown", undefined]);
    expect(ask("10.112.0.1", { serviceNetworks }).verdict).toBe("allow");
  });
});
