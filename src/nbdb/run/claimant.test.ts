// Which databases a zone may be written to, and what a claim says of the flags.

import { expect, test } from "@jest/globals";
import { readRunConfig } from "../../config/config.ts";
import type { WriteSettings } from "../../running-backend.ts";
import { otherZoneError, profileOf, sharedDatabaseError } from "./claimant.ts";

function settings(...flags: readonly (readonly [string, string])[]): WriteSettings {
  const { nb, zone, families, kinds, backendFlags } = readRunConfig({
    flags: Object.fromEntries(
      [["nb", "unix:/nb"] as const, ...flags].map(([flag, value]) => [flag, [value]]),
    ),
    environment: {},
  });
  return { remotes: nb, tls: null, zone, families, kindFlags: kinds, backendFlags };
}

test.each<[string, string | null, string, boolean]>([
  ["unix:/nb", "n1", "", false],
  ["tcp:127.0.0.1:6641,tcp:[::1]:6641", "n1", "", false],
  ["tcp:192.0.2.1:6641", null, "", false],
  ["tcp:192.0.2.1:6641", "n1", "n1", false],
  // Another zone's is held back as such, for as long as it is.
  ["tcp:192.0.2.1:6641", "n1", "n2", false],
  ["tcp:192.0.2.1:6641", "n1", "", true],
  ["unix:/nb,tcp:192.0.2.1:6641", "n1", "", true],
])("%s with zone %p and NB_Global.name %p is refused: %p", (nb, zone, name, isRefused) => {
  const error = sharedDatabaseError({ remotes: nb, zone }, name);
  if (isRefused)
    expect(error?.message).toMatch(/^--zone is "n1", .* at .*192\.0\.2\.1.*NB_Global\.name is empty/);
  else expect(error).toBeNull();
});

test("a claim names every flag that shapes rows, and no value has a space", () => {
  const { zone, flags } = profileOf(
    settings(["zone", "n1"], ["address-sets", "shared"], ["ip-families", "ipv4,ipv6"]),
  );
  expect([zone, flags.get("address-sets"), flags.get("ip-families")]).toEqual(["n1", "shared", "ipv4,ipv6"]);
  expect(flags.get("enable-network-policy")).toBe("false");
  for (const value of flags.values()) expect(value).toMatch(/^[\w,-]+$/);
});

test("who ends for another zone says both, and where the other runs", () => {
  const claim = { writer: "t worker pid 7", sign: "1 -", zone: null, flags: new Map(), isBlind: false };
  expect(otherZoneError("n1", claim).message).toBe(
    "another instance writes to this Northbound database for all nodes (no --zone), and this one is for " +
      '--zone "n1": one database has rows of one zone; correct --zone or --nb (the other runs at worker pid 7)',
  );
});
