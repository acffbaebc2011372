// Forms of rules that programs on nodes write, for a packet from 10.244.1.2 to a pod of another node and of its own.

import { expect, test } from "@jest/globals";
import type { IpAddress } from "../../../model/ip.ts";
import { HandClock, LineLogger } from "../../../../test/support/scripted-api.ts";
import type { PodPacket } from "../../live/pod-packets.ts";
import { MasqueradeNote } from "./masquerade-note.ts";
import { masqueradingRule } from "./masquerade.ts";

const flannel = [
  '-A POSTROUTING -m comment --comment "flanneld masq" -j FLANNEL-POSTRTG',
  '-A FLANNEL-POSTRTG -m mark --mark 0x4000/0x4000 -m comment --comment "flanneld masq" -j RETURN',
  '-A FLANNEL-POSTRTG -s 10.244.1.0/24 -d 10.244.0.0/16 -m comment --comment "flanneld masq" -j RETURN',
  '-A FLANNEL-POSTRTG -s 10.244.0.0/16 -d 10.244.1.0/24 -m comment --comment "flanneld masq" -j RETURN',
  '-A FLANNEL-POSTRTG ! -s 10.244.0.0/16 -d 10.244.1.0/24 -m comment --comment "flanneld masq" -j RETURN',
  '-A FLANNEL-POSTRTG -s 10.244.0.0/16 ! -d 224.0.0.0/4 -m comment --comment "flanneld masq" -j MASQUERADE --random-fully',
  '-A FLANNEL-POSTRTG ! -s 10.244.0.0/16 -d 10.244.0.0/16 -m comment --comment "flanneld masq" -j MASQUERADE --random-fully',
];
const kubeProxy = [
  '-A POSTROUTING -m comment --comment "kubernetes postrouting rules" -j KUBE-POSTROUTING',
  "-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN",
  "-A KUBE-POSTROUTING -j MARK --set-xmark 0x4000/0x0",
  '-A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE --random-fully',
];
const cni = [
  '-A POSTROUTING -s 10.244.1.2/32 -m comment --comment "name: \\"cbr0\\" id: \\"a\\"" -j CNI-a',
  '-A CNI-a -d 10.244.1.0/24 -m comment --comment "name: \\"cbr0\\" id: \\"a\\"" -j ACCEPT',
  '-A CNI-a ! -d 224.0.0.0/4 -m comment --comment "name: \\"cbr0\\" id: \\"a\\"" -j MASQUERADE',
];
const kindnet = [
  '-A POSTROUTING -m addrtype ! --dst-type LOCAL -m comment --comment "kind-masq-agent" -j KIND-MASQ-AGENT',
  '-A KIND-MASQ-AGENT -d 10.244.0.0/16 -m comment --comment "pod subnets are not subject to MASQUERADE" -j RETURN',
  '-A KIND-MASQ-AGENT -m comment --comment "is subject to MASQUERADE" -j MASQUERADE',
];
const docker = "-A POSTROUTING -s 10.244.1.0/24 ! -o docker0 -j MASQUERADE";

/** By number in `rules`; null: none. To a pod of another node, and to one of the same node. */
const cases: readonly (readonly [string, readonly string[], number | null, number | null])[] = [
  ["no rule", [], null, null],
  ["flannel", flannel, null, null],
  [
    "flannel of before",
    [
      "-A POSTROUTING -s 10.244.0.0/16 -d 10.244.0.0/16 -j RETURN",
      "-A POSTROUTING -s 10.244.0.0/16 ! -d 224.0.0.0/4 -j MASQUERADE",
    ],
    null,
    null,
  ],
  ["flannel without its RETURN", ["-A POSTROUTING -s 10.244.0.0/16 ! -d 224.0.0.0/4 -j MASQUERADE"], 0, 0],
  ["all but the pods' networks", ["-A POSTROUTING ! -d 10.244.0.0/16 -j MASQUERADE"], null, null],
  ["kube-proxy", kubeProxy, null, null],
  ["behind what changes the mark", kubeProxy.toSpliced(1, 1), null, null],
  ["kube-proxy with --masquerade-all, of nothing else", kubeProxy.toSpliced(1, 2), 1, 1],
  ["CNI's chain of a pod, which knows its node's network alone", cni, 2, null],
  ["kindnet", kindnet, null, null],
  ["kindnet without the pods' networks", kindnet.toSpliced(1, 1), 1, 1],
  ["docker on the pods' bridge", [docker], 0, null],
  [
    "docker on a bridge of its own",
    ["-A POSTROUTING -s 172.17.0.0/16 ! -o docker0 -j MASQUERADE"],
    null,
    null,
  ],
  ["behind what accepts", ["-A POSTROUTING -s 10.0.0.0/8 -d 10.0.0.0/8 -j ACCEPT", docker], null, null],
  ["behind what may return", ["-A POSTROUTING -m set --match-set pods dst -j RETURN", docker], null, null],
  ["behind what may masquerade too", ["-A POSTROUTING -p udp -j MASQUERADE", docker], 1, null],
  [
    "a condition that is not understood",
    ["-A POSTROUTING -m set ! --match-set pods dst -j MASQUERADE"],
    null,
    null,
  ],
  [
    "of some protocols",
    ["-A POSTROUTING -p tcp -m tcp --dport 80 -j SNAT --to-source 192.0.2.1"],
    null,
    null,
  ],
  [
    "SNAT",
    ["-A POSTROUTING -o eth0 -j SNAT --to-source 192.0.2.1", "-A POSTROUTING -j SNAT --to-source 192.0.2.1"],
    1,
    1,
  ],
  [
    "a chain that is gone to",
    ["-A POSTROUTING -g OTHER", "-A OTHER -d 10.244.9.0/24 -j LOG", docker],
    null,
    null,
  ],
  ["chains that call each other", ["-A POSTROUTING -j OTHER", "-A OTHER -j POSTROUTING"], null, null],
];

test.each(cases)("%s", (_, rules, elsewhere, here) => {
  const chains = new Set(["POSTROUTING", ...rules.map((rule) => rule.split(" ")[1] ?? "")]);
  const heads = [...chains].map((name) => `:${name} - [0:0]\n`).join("");
  const save = `*filter\n:FORWARD ACCEPT [0:0]\n-A FORWARD -j ACCEPT\nCOMMIT\n*nat\n${heads}${rules.join("\n")}\nCOMMIT\n`;
  const found = (destination: string) =>
    masqueradingRule(save, { source: "10.244.1.2" as IpAddress, destination: destination as IpAddress });
  const ruleAt = (at: number | null) => (at === null ? null : rules[at]);
  expect([found("10.244.2.3"), found("10.244.1.3")]).toEqual([ruleAt(elsewhere), ruleAt(here)]);
});

test("IPv6, and no table at all", () => {
  const packet = { source: "fd00::1" as IpAddress, destination: "fd00::2" as IpAddress };
  const rule = "-A POSTROUTING -s fd00::/64 ! -d ff00::/8 -j MASQUERADE";
  expect(masqueradingRule(`*nat\n:POSTROUTING ACCEPT [0:0]\n${rule}\nCOMMIT\n`, packet)).toBe(rule);
  expect(masqueradingRule("", packet)).toBeNull();
});

test("the note waits for a pod, looks every five minutes, and is logged once for each rule", async () => {
  const [clock, logger] = [new HandClock(), new LineLogger()];
  let packets: readonly PodPacket[] = [];
  let looks = 0;
  let rules = `*nat\n:POSTROUTING ACCEPT [0:0]\n${docker}\nCOMMIT\n`;
  const note = new MasqueradeNote({
    read: () => {
      looks++;
      return Promise.resolve(new Map([["iptables-nft", rules]]));
    },
    packets: () => packets,
    ...{ clock, logger },
  });
  await note.look();
  expect([looks, note.lines]).toEqual([0, []]);
  packets = [{ source: "10.244.1.2" as IpAddress, destination: "10.244.2.3" as IpAddress }];
  const text = `packets between pods leave with another source address, which policies see: iptables-nft: ${docker}`;
  for (const [ms, count] of [
    [0, 1],
    [299_999, 1],
    [1, 2],
  ] as const) {
    clock.elapse(ms);
    await note.look();
    expect([looks, note.lines]).toEqual([count, [text]]);
  }
  expect(logger.lines.map(({ fields }) => fields)).toEqual([{ rule: `iptables-nft: ${docker}` }]);
  rules = "";
  clock.elapse(300_000);
  await note.look();
  expect([note.lines, logger.said.length]).toEqual([[], 1]);
});
