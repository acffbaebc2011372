// Which variables of the environment `run` refuses, which it passes over, and of which it warns.

import { expect, test } from "@jest/globals";
import { ownVariables, unknownVariables } from "./environment.ts";
import type { Setting } from "../setting.ts";
import { variableOf } from "../setting.ts";
import { settings } from "../settings.ts";
import { UsageError } from "../values.ts";

const all: readonly Setting[] = settings;
const asked = (environment: Readonly<Record<string, string>>) => unknownVariables("run", environment);

test.each([
  ["NORTHGATE_LOG_LVL", "did you mean NORTHGATE_LOG_LEVEL (--log-level)?"],
  ["NORTHGATE_NAMED_PORT", "did you mean NORTHGATE_NAMED_PORTS (--named-ports)?"],
  ["NORTHGATE_ZOEN", "did you mean NORTHGATE_ZONE (--zone)?"],
  ["NORTHGATE_log-level", "did you mean NORTHGATE_LOG_LEVEL (--log-level)?"],
  ["NORTHGATE_AGAINTS", "did you mean NORTHGATE_AGAINST (--against)?"],
  ["NORTHGATE_ALOW_EMPTY", "did you mean --allow-empty, which only the command line takes?"],
])("%s is refused: %s", (name, words) => {
  expect(() => asked({ [name]: "x" })).toThrow(UsageError);
  expect(() => asked({ [name]: "x" })).toThrow(`${name}: no such setting; ${words}`);
});

test("two letters are few enough to be a mistake, three are not", () => {
  expect(() => asked({ NORTHGATE_WAIT_TIMEUT: "9" })).toThrow("NORTHGATE_WAIT_TIMEOUT");
  expect(() => asked({ NORTHGATE_WAIT_TIMEU: "9" })).toThrow("NORTHGATE_WAIT_TIMEOUT");
  expect(asked({ NORTHGATE_WAIT_TIME: "9" })).toEqual(["NORTHGATE_WAIT_TIME"]);
});

test("the rest is told, in order, and empty or foreign ones are not", () => {
  expect(
    asked({ NORTHGATE_SITE: "b", NORTHGATE_REGION: "a", NORTHGATE_LOG_LVL: "", NORTHGATELOG: "x" }),
  ).toEqual(["NORTHGATE_REGION", "NORTHGATE_SITE"]);
});

test("every setting's variable is known, whichever command takes it; one for the command line alone is refused", () => {
  for (const { flag, onLineOnly } of all) {
    const name = variableOf(flag);
    const isTaken = all.some((other) => other.flag === flag && other.onLineOnly !== true);
    if (isTaken) expect(asked({ [name]: "x" })).toEqual([]);
    else if (name !== "NORTHGATE_PORT")
      expect(() => asked({ [name]: "x" })).toThrow(`${name}: --${flag} is taken from the command line alone`);
    expect(onLineOnly === true || isTaken).toBe(true);
  }
});

test("a config file in a variable is refused: the program would run without what it says", () => {
  const words =
    "NORTHGATE_CONFIG: --config is taken from the command line alone, because it names the file with the other settings";
  expect(() => asked({ NORTHGATE_CONFIG: "/etc/northgate.yaml" })).toThrow(new UsageError(words));
  expect(() => asked({ NORTHGATE_CONFG: "x" })).toThrow(
    "did you mean --config, which only the command line takes?",
  );
});

test("links that Kubernetes sets for Services are passed over", () => {
  const links = {
    NORTHGATE_SERVICE_HOST: "10.96.0.9",
    NORTHGATE_SERVICE_PORT: "9476",
    NORTHGATE_SERVICE_PORT_METRICS: "9476",
    NORTHGATE_PORT: "tcp://10.96.0.9:9476",
    NORTHGATE_PORT_9476_TCP: "tcp://10.96.0.9:9476",
    NORTHGATE_PORT_9476_TCP_PROTO: "tcp",
    NORTHGATE_PORT_9476_TCP_PORT: "9476",
    NORTHGATE_PORT_9476_TCP_ADDR: "10.96.0.9",
    // Of a Service northgate-named, near a setting; and of northgate-metrics.
    NORTHGATE_NAMED_PORT: "tcp://10.96.0.8:80",
    NORTHGATE_METRICS_SERVICE_HOST: "10.96.0.7",
    NORTHGATE_METRICS_SERVICE_PORT_HTTPS: "9476",
    NORTHGATE_METRICS_PORT_9476_UDP_ADDR: "10.96.0.7",
  };
  expect(asked(links)).toEqual([]);
  expect(() => asked({ NORTHGATE_METRICS_PORT: "9477" })).toThrow("NORTHGATE_METRICS_PORT: no such setting");
});

test("variables of builds and tests are passed over", () => {
  expect(asked(Object.fromEntries([...ownVariables].map((name) => [name, "x"])))).toEqual([]);
  for (const { flag } of all) expect(ownVariables).not.toContain(variableOf(flag));
});
