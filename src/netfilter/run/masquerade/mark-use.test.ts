// Rules of others whose marks, or whose connections' marks, have a bit in common with ours.

import { expect, test } from "@jest/globals";
import { useOfMark } from "./mark-use.ts";

const ours = { packet: 0x3000000, connection: 0xff000000 };

test.each([
  ["-A KUBE-MARK-MASQ -j MARK --or-mark 0x4000", null],
  ["-A KUBE-FIREWALL -m mark --mark 0x8000/0x8000 -j DROP", null],
  ["-A cali-x -j MARK --set-xmark 0x1000000/0x1000000", "packet"],
  ["-A cali-x -m mark --mark 0x0/0xffff0000 -j RETURN", "packet"],
  ["-A OTHERS -j MARK --set-xmark 0x0/0xffffffff", "packet"],
  ["-A OTHERS -m mark ! --mark 0x2000000 -j RETURN", "packet"],
  ["-A NG-ALLOW -j MARK --set-xmark 0x1000000/0x1000000", null],
  ["-A OTHERS -j CONNMARK --set-xmark 0x1000000/0x1000000", "connection"],
  ["-A OTHERS -m connmark --mark 0x80/0x80 -m mark --mark 0x4000/0x4000 -j RETURN", null],
  ["-A OTHERS -m connmark --mark 0x80/0x80 -m mark --mark 0x0/0x2000000 -j RETURN", "packet"],
  ["-A OTHERS -m mark --mark 0x2/0x2 -m connmark --mark 0x2000000 -j RETURN", "connection"],
  ["# --mark 0x1000000", null],
])("%s: %s", (line, of) => {
  const save = `*filter\n:OTHERS - [0:0]\n${line}\nCOMMIT\n`;
  expect(useOfMark(save, ours)).toEqual(of === null ? null : { of, rule: line });
  if (of === "connection") expect(useOfMark(save, { ...ours, connection: 0 })).toBeNull();
});
