// Ports in words, where a text has several parts.

import { expect, test } from "@jest/globals";
import type { EndPorts, PortMatch } from "../policy/ir.ts";
import { noPorts } from "../policy/normal-form.ts";
import { portText } from "./words.ts";

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
