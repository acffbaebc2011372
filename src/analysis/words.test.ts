// Ports and peers in words, where a text has several parts.

import { expect, test } from "@jest/globals";
import { withLabels } from "../../test/support/facts.ts";
import { irRule, network } from "../../test/support/ir.ts";
import { everything } from "../model/selector.ts";
import type { EndPorts, PodGroup, PortMatch } from "../policy/ir.ts";
import { everyPod } from "../policy/ir.ts";
import { noPorts } from "../policy/normal-form.ts";
import { peerTexts, portText } from "./words.ts";

const web: EndPorts = { ranges: [{ start: 80, end: 80 }], names: ["web"], except: noPorts };
const butWeb: EndPorts = {
  ...{ ranges: [{ start: 0, end: 65535 }], names: [] },
  except: { ranges: [{ start: 8, end: 9 }], names: ["web"] },
};
const declared = (from: EndPorts | null, to: EndPorts | null): PortMatch => ({
  ...{ kind: "declared", protocol: "tcp", from, to },
});

test.each<readonly [PortMatch, string]>([
  [declared(null, web), 'tcp ports 80, "web"'],
  [declared(null, butWeb), 'tcp ports but 8-9, "web"'],
  [declared(web, null), 'tcp from source ports 80, "web"'],
  [declared(butWeb, web), 'tcp ports 80, "web" from source ports but 8-9, "web"'],
])("%j", (port, text) => {
  expect(portText(port)).toBe(text);
});

test.each<readonly [readonly PodGroup[], string]>([
  [everyPod, "addresses in 10.0.0.0/8 without 10.1.0.0/16 that no pod has"],
  [[], "addresses in 10.0.0.0/8 without 10.1.0.0/16"],
  [
    [{ kind: "pods", namespaces: everything, pods: withLabels({ app: "db" }) }],
    "addresses in 10.0.0.0/8 without 10.1.0.0/16 that no pod of pods app=db in every namespace has",
  ],
])("addresses but those of %j", (pods, text) => {
  const [networks, except] = [[network("10.0.0.0/8")], [network("10.1.0.0/16")]];
  const rule = irRule(0, { peers: [{ kind: "others", networks, except, pods }] });
  expect(peerTexts(rule)).toEqual([text]);
});
