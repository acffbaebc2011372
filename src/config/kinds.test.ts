// Which flags go with a policy model, and that the default one is nowhere among them.

import { describe, expect, test } from "@jest/globals";
import { readRenderConfig, readRunConfig } from "./config.ts";
import { readPlanConfig } from "./answers/plan.ts";
import { readExplainConfig } from "./answers/questions.ts";
import { UsageError } from "./values.ts";

type Given = Readonly<Record<string, string>>;

const flagsOf = (given: Given) => ({
  environment: {},
  flags: Object.fromEntries(Object.entries(given).map(([flag, text]) => [flag, [text]])),
});
const run = (given: Given) => readRunConfig(flagsOf({ nb: "unix:/nb", ...given })).kinds;
const render = (given: Given) => readRenderConfig(flagsOf({ filename: "m", ...given })).kinds;
const calico = { "policy-model": "calico" };

test("the default model is not said, so that a claim is as it always was", () => {
  expect(run({})).not.toHaveProperty("policy-model");
  expect(run({ "policy-model": "kubernetes" })).toEqual(run({}));
});

test("another is among the flags of kinds", () => {
  expect(run({ ...calico, "enable-network-policy": "true" })).toMatchObject(calico);
  expect(run({ ...calico, "enable-network-policy": "false" })).toMatchObject(calico);
  expect(render(calico)).toMatchObject({ ...calico, "enable-network-policy": "true" });
  const asked = { from: "a/b", to: "c/d", protocol: "tcp", port: "1", filename: "m" };
  expect(readExplainConfig(flagsOf({ ...asked, ...calico })).world.kinds).toMatchObject(calico);
  expect(readPlanConfig(flagsOf({ filename: "m", against: "dir:x", ...calico })).kinds).toMatchObject(calico);
});

test("an option of a model is among them with the model, at its default too", () => {
  expect(render(calico)).toMatchObject({ "calico-api": "auto", "calico-tier-zero": "false" });
  expect(render({ ...calico, "calico-tier-zero": "true" })).toMatchObject({ "calico-tier-zero": "true" });
  const given = { ...calico, "calico-api": "v3" };
  expect(run({ ...given, "enable-network-policy": "true" })).toMatchObject(given);
  expect(readPlanConfig(flagsOf({ filename: "m", against: "dir:x", ...given })).kinds).toMatchObject(given);
  expect(run({})).not.toHaveProperty("calico-api");
  expect(run({})).not.toHaveProperty("calico-tier-zero");
  expect(run({ "policy-model": "kubernetes" })).not.toHaveProperty("calico-api");
});

describe("wrong usage", () => {
  test.each<[string, Given, RegExp]>([
    ["an unknown model", { "policy-model": "cilium" }, /"cilium" is not kubernetes, calico/],
    [
      "an option of another model",
      { "calico-api": "auto" },
      /^--calico-api: has no meaning without --policy-model calico$/,
    ],
    [
      "an option of another model's places",
      { "calico-tier-zero": "false" },
      /^--calico-tier-zero: has no meaning without --policy-model calico$/,
    ],
    [
      "an unknown API",
      { ...calico, "calico-api": "v4", "enable-network-policy": "true" },
      /^--calico-api: "v4" is not auto, crd, v3$/,
    ],
    [
      "run without NetworkPolicies being told",
      calico,
      /^--policy-model calico needs --enable-network-policy true or false: /,
    ],
    [
      "Antrea's kinds",
      { ...calico, "enable-network-policy": "true", "enable-antrea-policy": "true" },
      /^--enable-antrea-policy true does not go with --policy-model calico: /,
    ],
    [
      "cluster-wide policies of another program",
      { ...calico, "enable-network-policy": "true", "enable-admin-network-policy": "false" },
      /^--enable-admin-network-policy false does not go with --policy-model calico: /,
    ],
    [
      "a packet filter",
      { ...calico, "enable-network-policy": "true", backend: "iptables", zone: "n" },
      /^--backend iptables does not go with --policy-model calico: /,
    ],
  ])("%s", (_, given, message) => {
    expect(() => run(given)).toThrow(UsageError);
    expect(() => run(given)).toThrow(message);
  });

  test("whose rows NetworkPolicies are, to commands that judge, in another model alone", () => {
    const plan = (given: Given) =>
      readPlanConfig(flagsOf({ filename: "m", against: "dir:x", ...given })).kinds;
    const given = { "enable-network-policy": "false" };
    expect(() => plan(given)).toThrow(
      /^--enable-network-policy: has no meaning without --policy-model calico$/,
    );
    expect(plan({ ...calico, ...given })).toMatchObject(given);
    expect(plan(calico)).toMatchObject({ "enable-network-policy": "true" });
    expect(render(given)).toMatchObject(given);
  });

  test("staged policies, of every model, and against rows", () => {
    const plan = (given: Given) => readPlanConfig(flagsOf({ filename: "m", staged: "true", ...given }));
    expect(plan({ ...calico, against: "dir:x" }).staged).toBe(true);
    expect(plan({ against: "dir:x" }).staged).toBe(true);
    expect(() => plan({ ...calico, against: "nb:file:x" })).toThrow(/^--staged compares verdicts/);
  });

  test("of render, too", () => {
    expect(() => render({ ...calico, "enable-antrea-policy": "true" })).toThrow(UsageError);
  });

  test("what goes with it may be said", () => {
    const given = {
      ...calico,
      "enable-antrea-policy": "false",
      "enable-network-policy": "true",
      backend: "ovn",
    };
    expect(render(given)).toMatchObject(calico);
    expect(render({ ...given, "enable-network-policy": "false" })).toMatchObject(calico);
  });
});
