// The networks of Services, with an API server that answers what the test says, from before ServiceCIDRs to after one was added.

import { expect, test } from "@jest/globals";
import { AnsweringApi, settled } from "../../../test/support/answering-api.ts";
import { HandClock } from "../../../test/support/scripted-api.ts";
import type { KubeApi } from "../../kube/index.ts";
import { silentLogger } from "../../lib/logger.ts";
import { FollowedServiceNetworks } from "./service-networks.ts";

function follow(api: KubeApi | null) {
  const found: (readonly string[])[] = [];
  const warned: string[] = [];
  const errors: unknown[] = [];
  const clock = new HandClock();
  const followed = new FollowedServiceNetworks({
    ...{ api, clock },
    logger: {
      ...silentLogger,
      warn: (text, fields) => warned.push(`${text}: ${String(fields?.["reason"])}`),
    },
    found: (networks) => found.push(networks),
    fatal: (error) => errors.push(error),
  });
  const again = async (): Promise<void> => {
    clock.elapse(10_000);
    await settled();
  };
  return { followed, found, warned, errors, again };
}

const serviceCidr = (...cidrs: readonly unknown[]) => ({ spec: { cidrs } });

test("they are those of all ServiceCIDRs, others once they are there, the last ones while they cannot be read", async () => {
  const api = new AnsweringApi();
  const { followed, found, warned, errors, again } = follow(api);
  api.answer(serviceCidr("10.96.0.0/16", "fd00::/112"));
  followed.start();
  await followed.looked;
  expect(found).toEqual([["10.96.0.0/16", "fd00::/112"]]);
  expect(api.asked[0]).toMatchObject({ method: "GET", path: "/apis/networking.k8s.io/v1/servicecidrs" });
  await again();
  expect(found).toHaveLength(1);
  api.refuse(403);
  await again();
  await again();
  expect([found.length, warned.length]).toEqual([1, 1]);
  expect(warned[0]).toContain("the last ones stay: ServiceCIDRs cannot be read");
  api.answer(serviceCidr("10.96.0.0/16"), serviceCidr("10.112.0.0/16", "10.96.0.0/16", "nonsense", 7));
  await again();
  expect(found.at(-1)).toEqual(["10.112.0.0/16", "10.96.0.0/16"]);
  await followed.stop();
  await again();
  expect([api.requests, errors]).toEqual([5, []]);
});

test.each([
  ["there is no API server", null, "objects are not read from an API server"],
  ["it is from before Kubernetes 1.33", 404, "the API server has no ServiceCIDRs, as before Kubernetes 1.33"],
  ["it has none", 200, "the API server has no ServiceCIDR"],
  ["it refuses", 403, "ServiceCIDRs cannot be read: "],
])("that none is known is said once, with the reason: %s", async (_, status, reason) => {
  const api = status === null ? null : new AnsweringApi();
  if (status === 200) api?.answer();
  else api?.refuse(status ?? 500);
  const { followed, found, warned, again } = follow(api);
  followed.start();
  await followed.looked;
  await again();
  expect([found, warned.length]).toEqual([[], 1]);
  expect(warned[0]).toContain(`no network of Services is known, and names may lead to Services: ${reason}`);
  await followed.stop();
});
