// Secrets in every form that is known, in texts and in JSON: the secret goes, and what stands around it stays.

import { expect, test } from "@jest/globals";
import { redactedText, redactedValue } from "./redacted.ts";

const marker = "m4rk3r-S3CRET";

test.each([
  [`Authorization: Bearer ${marker}`, "Authorization: (removed)"],
  [`{"authorization":"Basic ${marker}"}`, '{"authorization":"(removed)"}'],
  [
    `error="got \\"Authorization\\": \\"Bearer ${marker}\\""`,
    'error="got \\"Authorization\\": \\"(removed)\\""',
  ],
  [`proxy-authorization=${marker} next`, "proxy-authorization=(removed) next"],
  [`curl -H "bearer ${marker}" x`, 'curl -H "bearer (removed)" x'],
  [`https://admin:${marker}@api.example:6443/path`, "https://(removed)@api.example:6443/path"],
  [`https://admin:${marker}@odd@api.example`, "https://(removed)@api.example"],
  [`dial "tcp://${marker}@db"`, 'dial "tcp://(removed)@db"'],
  [`token=${marker}&x=1`, "token=(removed)&x=1"],
  [`--nb-password ${marker}`, `--nb-password ${marker}`], // No form: nothing says where a flag's value ends.
  [`password: "${marker}"`, 'password: "(removed)"'],
  [`{"client-key-data":"${marker}","a":1}`, '{"client-key-data":"(removed)","a":1}'],
  [`{"message":"{\\"apiToken\\":\\"${marker}\\"}"}`, '{"message":"{\\"apiToken\\":\\"(removed)\\"}"}'],
  [`jwt eyJhbGciOi.${marker}.sig end`, "jwt (removed) end"],
  [`a -----BEGIN EC PRIVATE KEY-----\n${marker}\n-----END EC PRIVATE KEY----- b`, "a (removed) b"],
  [`cut -----BEGIN PRIVATE KEY-----\n${marker}`, "cut (removed)"],
])("%s", (text, expected) => {
  expect(redactedText(text)).toBe(expected);
});

test("what is no secret stays, byte for byte", () => {
  for (const text of [
    '2026-11-27T10:00:00.000Z INFO  the database cache is filled remote="tcp:127.0.0.1:6641" schemaVersion="7.3.0"',
    "https://api.example:6443/apis?limit=500",
    "northgate_acls 12",
    'northgate_build_info{version="0.1.0"} 1',
  ])
    expect(redactedText(text)).toBe(text);
});

test("JSON: by key and by form, at any depth; numbers, truth and names of fields stay", () => {
  expect(
    redactedValue({
      a: [{ token: marker, port: 80 }],
      "nb-private-key": "/key.pem",
      url: `http://u:${marker}@h/`,
      ok: true,
      none: null,
    }),
  ).toEqual({
    a: [{ token: "(removed)", port: 80 }],
    "nb-private-key": "(removed)",
    url: "http://(removed)@h/",
    ok: true,
    none: null,
  });
});
