// Titles of sets of workloads, alone and beside pods: whole namespaces, everything, everything outside a namespace; each only where
// it is so of pods and of workloads.

import { expect, test } from "@jest/globals";
import { pod, workload } from "../../../test/support/facts.ts";
import { refOfWorkload } from "../../analysis/ref.ts";
import { podKey } from "../../model/facts.ts";
import type { Cidr } from "../../model/ip.ts";
import { parseCidr } from "../../model/ip.ts";
import { Titles } from "./ends-shown.ts";

const every: readonly Cidr[] = ["0.0.0.0/0", "::/0"].flatMap((text) => parseCidr(text) ?? []);
const made = ["shop", "bank"].flatMap((home) =>
  ["a", "b", "c", "d"].map((name) => refOfWorkload(workload(home, name))),
);
const of = (...homes: readonly string[]) => made.filter(({ namespace }) => homes.includes(namespace ?? ""));
const pods = new Map(
  ["shop", "post"].flatMap((home) =>
    ["p", "q"].map((name) => [podKey(home, name), pod(home, name, { ips: ["10.0.0.1"] })] as const),
  ),
);
const podsOf = (...homes: readonly string[]) =>
  [...pods].flatMap(([key, { namespace }]) => (homes.includes(namespace) ? [key] : []));

test("workloads alone", () => {
  const titles = new Titles(new Map(), made, new Map());
  const title = (workloads: typeof made, addresses: readonly Cidr[] = []) =>
    titles.of({ pods: [], workloads, addresses });
  expect(title(made)).toBe("all 8 workloads of bank and shop");
  expect(title(of("shop"))).toBe("all 4 workloads of shop");
  expect(title(of("shop").slice(0, 2))).toBe("shop/a (Deployment), shop/b (Deployment)");
  expect(title(made.slice(0, 7))).toBe(
    "shop/a (Deployment), shop/b (Deployment), shop/c (Deployment) and 4 more",
  );
  expect(title(made, every)).toBe("everything");
  expect(title(of("shop"), every)).toBe("everything outside bank");
  expect(title(made.slice(1), every)).toBe(
    "shop/b (Deployment), shop/c (Deployment), shop/d (Deployment) and 4 more and every address that is no pod's",
  );
});

test("workloads beside pods", () => {
  const titles = new Titles(pods, made, new Map());
  const title = (homes: readonly string[], workloads: typeof made) =>
    titles.of({ pods: podsOf(...homes), workloads, addresses: every });
  expect(title(["shop", "post"], made)).toBe("everything");
  expect(title(["post"], of("bank"))).toBe("everything outside shop");
  expect(title(["shop"], made)).toBe("everything outside post");
  // Of shop the pods alone, or the workloads alone, are left out.
  expect(title(["post"], made)).toBe("everything but both pods of shop");
  expect(title(["shop", "post"], of("bank"))).toBe(
    "all 4 pods and all 4 workloads of bank and every address that is no pod's",
  );
  expect(title(["shop", "post"], [])).toBe("all 4 pods and every address that is no pod's");
});
