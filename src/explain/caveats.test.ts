// Every other caveat, and whether it leaves the verdict open.

import { describe, expect, test } from "@jest/globals";
import { answered, deny, toDb, webToDb, worldOf } from "../../test/support/asked-world.ts";
import { anp, banp, cnp, namespacesWith, np } from "../../test/support/policies.ts";
import { pod } from "../../test/support/facts.ts";
import type { Answer } from "./answer.ts";
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

describe("ends that cannot be told apart, or are nobody's", () => {
  const twin = pod("blue", "twin", { node: "n1", labels: { app: "twin" }, ips: ["10.0.0.2"] });

  test("an address of two running pods is refused, and their names leave open what differs", () => {
    expect(() => answered([twin], { to: "10.0.0.2" })).toThrow(
      '10.0.0.2 is the address of 2 running pods, "blue/db-0", "blue/twin": ask about one by its name',
    );
    const alike = answered([twin, anp("p", { egress: [deny] })]);
    expect([alike.verdict, alike.caveats.map(({ code }) => code)]).toEqual(["deny", ["SharedAddress"]]);
    const db = { pods: { namespaceSelector: {}, podSelector: { matchLabels: { app: "db" } } } };
    expect(answered([twin, anp("p", { egress: [{ action: "Deny", to: [db] }] })]).verdict).toBe("unknown");
  });

  test("from outside to outside nothing is said", () => {
    const answer = answered([], { from: "198.51.100.1", to: "198.51.100.2" });
    expect([answer.verdict, answer.caveats.map(({ code }) => code)]).toEqual(["unknown", ["Outside"]]);
  });
});
