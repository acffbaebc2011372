// Files of recorded answers: what they must hold, and the field that an error names.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { hostName } from "../../test/support/facts.ts";
import { readNamesFile } from "./names-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-recorded-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const recordedAt = "2026-11-27T12:00:00Z";

function read(text: string) {
  const path = join(folder, "names.json");
  writeFileSync(path, text);
  return readNamesFile(path);
}

test("names in any case, with addresses of both families or none", () => {
  const names = [
    { name: "WWW.Example.org.", addresses: ["198.51.100.1", "2001:DB8::1"] },
    { name: "*.example.com", addresses: [] },
  ];
  expect(read(JSON.stringify({ recordedAt, names }))).toEqual({
    recordedAt,
    facts: [hostName("www.example.org", "198.51.100.1", "2001:db8::1"), hostName("*.example.com")],
  });
});

const one = (name: unknown) => JSON.stringify({ recordedAt, names: [name] });

test.each([
  ["not JSON", "{", /names\.json: .*JSON/],
  ["no record", "[]", /names\.json: /],
  ["no time", JSON.stringify({ names: [] }), /: recordedAt: /],
  ["no names", JSON.stringify({ recordedAt }), /: names: /],
  [
    "no address",
    one({ name: "a.b", addresses: ["198.51.100"] }),
    /: names\[0\]\.addresses\[0\]: "198\.51\.100" is not an address$/,
  ],
  ["no name", one({ addresses: [] }), /: names\[0\]\.name: /],
  [
    "a name twice",
    JSON.stringify({ recordedAt, names: ["a.b", "A.b."].map((name) => ({ name, addresses: [] })) }),
    /: names: "a\.b" is in the list twice$/,
  ],
])("%s is refused", (_, text, message) => {
  expect(() => read(text)).toThrow(message);
});
