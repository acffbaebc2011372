// Connections that are open when policies are edited: with --established keep they continue, with recheck those end that the policies
// now deny, and no others.

import { afterEach, expect, jest, test } from "@jest/globals";
import { namespace, node, pod } from "../support/facts.ts";
import { patience } from "../support/patience.ts";
import { describeWithNetfilter } from "./describe.ts";
import { drivenBackend } from "./driven.ts";
import type { TestNode } from "./node.ts";
import { ipsOf, isolation, openNode, own, podNames } from "./three-pods.ts";
import { RealFilter, variants } from "./tools.ts";

jest.setTimeout(patience(60_000));

for (const variant of variants)
  describeWithNetfilter(`open connections, with ${variant.name}`, variant.flavour, () => {
    const isTable = variant.tool === "nftables";
    let opened: TestNode | null = null;
    afterEach(async () => {
      await opened?.close();
      opened = null;
    });

    async function start(established: string) {
      const routed = await openNode();
      opened = routed;
      const facts = [
        ...[namespace("x"), node(own, {}, ipsOf(own))],
        ...podNames.map((name) => pod("x", name, { node: own, labels: { app: name }, ips: ipsOf(name) })),
      ];
      const driven = async () => {
        const one = await drivenBackend(routed.namespace, variant, own, { established });
        one.driver.see(...facts);
        return one;
      };
      /** In both families. */
      const connect = async (from: string, to: string) => {
        const sockets = routed.of(from);
        const asked = ipsOf(to).map((ip) => sockets.send("open", ip, 80, patience(5000)));
        expect(await Promise.all(asked.map(({ answer }) => answer))).toEqual(["allow", "allow"]);
        return (waitMs: number) =>
          Promise.all(asked.map(({ id }) => sockets.ask("exchange", id, patience(waitMs))));
      };
      const filter = new RealFilter(routed.namespace, variant.flavour);
      const rules = () => (isTable ? rulesIn(filter.savedTable()) : filter.saved("iptables"));
      return { driven, connect, rules };
    }
    const [answered, silent] = [
      ["answered", "answered"],
      ["silence", "silence"],
    ];

    test("continue with keep, whatever is denied since", async () => {
      const { driven, connect } = await start("keep");
      const { driver, stop } = await driven();
      driver.apply(isolation("a"));
      await driver.commit();
      const exchange = await connect("a", "b");
      driver.apply(isolation("c"));
      await driver.commit();
      expect(await exchange(5000)).toEqual(answered);
      stop();
    });

    test("end with recheck where they are denied now, and nowhere else", async () => {
      const { driven, connect, rules } = await start("recheck");
      const first = await driven();
      first.driver.apply(isolation("a", "c"));
      await first.driver.commit();
      const [ofA, ofC, back] = [await connect("a", "b"), await connect("c", "b"), await connect("b", "a")];
      for (const exchange of [ofA, ofC, back]) expect(await exchange(5000)).toEqual(answered);
      first.driver.apply(isolation("c"));
      await first.driver.commit();
      expect(await ofA(700)).toEqual(silent);
      for (const exchange of [ofC, back]) expect(await exchange(5000)).toEqual(answered);
      const before = rules();
      expect(before).toContain(
        isTable
          ? "ct mark set ct mark & 0x02ffffff | 0x02000000"
          : "-A NG-FORWARD -j CONNMARK --set-xmark 0x2000000/0xff000000",
      );
      first.stop();
      // The next program's policies are these, so that the number stays and nothing is written.
      const second = await driven();
      second.driver.apply(isolation("c"));
      await second.driver.commit();
      expect(second.runs.map(({ tool }) => tool).filter((tool) => /restore|pipe|^nft$/.test(tool))).toEqual(
        [],
      );
      // A pod's event is no edit.
      second.driver.see(pod("x", "d", { node: own, labels: { app: "c" }, ips: ["10.0.0.4"] }));
      await second.driver.commit();
      expect(second.runs.map(({ tool }) => tool)).toContain(isTable ? "nft" : "ipset-pipe");
      expect(rules()).toEqual(before);
      second.stop();
    });
  });

/** Without the elements of sets. */
function rulesIn(listed: string): readonly string[] {
  return listed
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /^(chain|type filter|ct|ip6?|meta|jump) /.test(line));
}
