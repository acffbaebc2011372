// Rules of others whose marks have a bit in common with ours.

import { expect, test } from "@jest/globals";
import { ruleWithMark } from "./mark-use.ts";

const ours = { allow: 0x1000000, pass: 0x2000000 };

test.each([
  ["-A KUBE-MARK-MASQ -j MARK --or-mark 0x4000", false],
  ["-A KUBE-FIREWALL -m mark --mark 0x8000/0x8000 -j DROP", false],
  ["-A cali-x -j MARK --set-xmark 0x1000000/0x1000000", true],
  ["-A cali-x -m mark --mark 0x0/0xffff0000 -j RETURN", true],
  ["-A OTHERS -j MARK --set-xmark 0x0/0xffffffff", true],
  ["-A OTHERS -m mark ! --mark 0x2000000 -j RETURN", true],
  ["-A NG-ALLOW -j MARK --set-xmark 0x1000000/0x1000000", false],
  ["# --mark 0x1000000", false],
])("%s: %s", (line, isUsed) => {
  const save = `*filter\n:OTHERS - [0:0]\n${line}\nCOMMIT\n`;
  expect(ruleWithMark(save, ours)).toBe(isUsed ? line : null);
});
