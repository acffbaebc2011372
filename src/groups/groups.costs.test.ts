// What a change may cost, counted. The numbers are the contract: a cost that grows with the cluster shows up here.

import { beforeEach, describe, expect, test } from "@jest/globals";
import { allOf, everything, requirements } from "../model/selector.ts";
import { namespacesNamed, podsRunningAs } from "../model/selectable.ts";
import { FedGroups } from "../../test/support/fed-groups.ts";
import { namespace, node, pod, podGroup, withLabels } from "../../test/support/facts.ts";
import type { Work } from "./work.ts";

const tenants = 50;
const apps = 20;
const nothing: Work = { selectorEvaluations: 0, candidateVisits: 0, groupVisits: 0 };

const tenant = (n: number) => withLabels({ tenant: `t${n}` });
const app = (n: number) => withLabels({ app: `a${n}` });
const home = (n: number) => namespace(`ns${n}`, { name: `ns${n}`, tenant: `t${n}` });
const replica = (n: number, a: number, name: string, ips: string[] = []) =>
  pod(`ns${n}`, name, { labels: { app: `a${a}` }, ips });

/** 50 namespaces of 20 pods, and a group for each tenant's app: 1,000 groups. */
let groups: FedGroups;
beforeEach(() => {
  groups = new FedGroups();
  for (let n = 0; n < tenants; n++) {
    groups.setNamespace(home(n));
    for (let a = 0; a < apps; a++) groups.setPod(replica(n, a, `a${a}-0`));
  }
  for (let n = 0; n < tenants; n++) for (let a = 0; a < apps; a++) groups.retain(podGroup(tenant(n), app(a)));
  groups.drain();
});

function costOf(change: () => void): Work {
  const before = { ...groups.stats };
  change();
  const after = groups.stats;
  return {
    selectorEvaluations: after.selectorEvaluations - before.selectorEvaluations,
    candidateVisits: after.candidateVisits - before.candidateVisits,
    groupVisits: after.groupVisits - before.groupVisits,
  };
}

const edgeCount = () => [...groups.drain().values()].reduce((sum, edge) => sum + edge.pods.size, 0);

describe("filling 1,000 groups", () => {
  test("evaluates each distinct selector against each label set that may match, once", () => {
    expect(groups.stats.selectorEvaluations).toBe(tenants + apps);
  });

  test("looks only at identities that one selector matches", () => {
    expect(groups.stats.candidateVisits).toBeLessThanOrEqual(tenants * apps * apps);
  });
});

describe("a pod", () => {
  test("added with a known label set: no evaluation, only its own group", () => {
    expect(
      costOf(() => {
        groups.setPod(replica(3, 4, "new", ["10.0.0.1"]));
      }),
    ).toEqual({ ...nothing, groupVisits: 1 });
    expect(edgeCount()).toBe(1);
  });

  test("added with labels known from another namespace: no evaluation", () => {
    groups.setPod(pod("ns1", "only", { labels: { app: "a1", extra: "yes" } }));
    const cost = costOf(() => {
      groups.setPod(pod("ns2", "new", { labels: { app: "a1", extra: "yes" } }));
    });
    expect(cost).toMatchObject({ selectorEvaluations: 0, groupVisits: 1 });
  });

  test("added with a new label set: candidates only", () => {
    const cost = costOf(() => {
      groups.setPod(pod("ns3", "new", { labels: { app: "a7", version: "2" } }));
    });
    expect(cost).toEqual({ selectorEvaluations: 1, candidateVisits: 1, groupVisits: 1 });
  });

  test("added with labels nobody asks for: nothing", () => {
    const cost = costOf(() => {
      groups.setPod(pod("ns3", "new", { labels: { other: "a7" } }));
    });
    expect(cost).toEqual(nothing);
  });

  test("given another address: no evaluation, one visit", () => {
    groups.setPod(replica(3, 4, "new", ["10.0.0.1"]));
    const cost = costOf(() => {
      groups.setPod(replica(3, 4, "new", ["10.0.0.2"]));
    });
    expect(cost).toEqual({ ...nothing, groupVisits: 1 });
  });

  test("told again or deleted again: nothing and no edges", () => {
    const again = () => {
      groups.setPod(replica(3, 4, "a4-0"));
      groups.setNamespace(home(3));
      groups.deletePod("ns3/unknown");
      groups.deleteNamespace("unknown");
    };
    expect(costOf(again)).toEqual(nothing);
    expect(groups.drain().size).toBe(0);
  });

  test("completed, or moved to another node: no evaluation", () => {
    const done = { ...replica(3, 4, "a4-0"), completed: true };
    const moved = { ...replica(3, 5, "a5-0"), node: "node-9" };
    expect(
      costOf(() => {
        groups.setPod(done);
      }),
    ).toEqual({ ...nothing, groupVisits: 1 });
    expect(
      costOf(() => {
        groups.setPod(moved);
      }),
    ).toEqual({ ...nothing, groupVisits: 1 });
  });
});

describe("a namespace", () => {
  test("relabelled: candidates for its labels, pairs of its own identities, edges for the difference", () => {
    const cost = costOf(() => {
      groups.setNamespace(namespace("ns3", { name: "ns3", tenant: "t4" }));
    });
    expect(cost).toEqual({ selectorEvaluations: 1, candidateVisits: 2 * apps, groupVisits: 2 * apps });
    expect([...groups.drain().keys()]).toHaveLength(2 * apps);
  });

  test("relabelled without meaning: candidates, no pairs, no edges", () => {
    const cost = costOf(() => {
      groups.setNamespace(namespace("ns3", { name: "ns3", tenant: "t3", owner: "someone" }));
    });
    expect(cost).toEqual({ ...nothing, selectorEvaluations: 1 });
    expect(groups.drain().size).toBe(0);
  });

  test("deleted: no evaluation", () => {
    const cost = costOf(() => {
      groups.deleteNamespace("ns3");
    });
    expect(cost).toEqual({ selectorEvaluations: 0, candidateVisits: apps, groupVisits: apps });
  });
});

describe("a group", () => {
  test("retained again: nothing", () => {
    expect(
      costOf(() => {
        groups.retain(podGroup(tenant(3), app(4)));
      }),
    ).toEqual(nothing);
  });

  test("retained anew from known selectors: no evaluation", () => {
    groups.retain(podGroup(everything, app(1)));
    const cost = costOf(() => {
      groups.retain(podGroup(everything, app(2)));
    });
    expect(cost).toEqual({ ...nothing, candidateVisits: tenants });
  });

  test("retained with a new selector: label sets that have its label", () => {
    groups.setPod(pod("ns1", "x", { labels: { app: "a1", canary: "yes" } }));
    const cost = costOf(() => {
      groups.retain(podGroup(tenant(1), withLabels({ canary: "yes" })));
    });
    expect(cost).toEqual({ ...nothing, selectorEvaluations: 1, candidateVisits: apps + 1 });
  });

  test("of one namespace and every pod: identities of that namespace", () => {
    groups.retain(podGroup(tenant(1), everything));
    const cost = costOf(() => {
      groups.retain(podGroup(tenant(2), everything));
    });
    expect(cost).toEqual({ ...nothing, candidateVisits: apps });
  });

  test("released: costs nothing from then on", () => {
    const odd = podGroup(everything, requirements([{ operator: "DoesNotExist", key: "odd" }]));
    groups.retain(odd);
    expect(
      costOf(() => {
        groups.setPod(pod("ns1", "x", { labels: { p: "1" } }));
      }).selectorEvaluations,
    ).toBe(1);
    groups.release(odd);
    expect(
      costOf(() => {
        groups.setPod(pod("ns1", "y", { labels: { p: "2" } }));
      }),
    ).toEqual(nothing);
  });
});

describe("a service account", () => {
  const runsAs = podsRunningAs(["robot"]);
  const robot = (n: number, a: number, name: string) => ({
    ...replica(n, a, name),
    serviceAccount: "robot",
  });

  test("that nobody asks for: a pod with known labels and another account looks at its labels' candidates", () => {
    const cost = costOf(() => {
      groups.setPod(robot(3, 4, "new"));
    });
    expect(cost).toEqual({ selectorEvaluations: 1, candidateVisits: 1, groupVisits: 1 });
    const again = costOf(() => {
      groups.setPod(robot(3, 4, "newer"));
      groups.setPod(robot(5, 4, "elsewhere"));
    });
    expect(again).toMatchObject({ selectorEvaluations: 0, groupVisits: 2 });
  });

  test("asked for anew: label sets that have it, however many there are", () => {
    groups.setPod(robot(3, 4, "new"));
    const cost = costOf(() => {
      groups.retain(podGroup(tenant(3), runsAs));
    });
    expect(cost).toEqual({ ...nothing, selectorEvaluations: 1, candidateVisits: apps + 1 });
  });

  test("asked for: a pod of another account does not meet the selector, one of known labels costs nothing", () => {
    groups.retain(podGroup(tenant(3), runsAs));
    groups.setPod(robot(3, 4, "new"));
    expect(
      costOf(() => {
        groups.setPod(pod("ns3", "x", { labels: { other: "label" } }));
      }),
    ).toEqual({ ...nothing, candidateVisits: 0 });
    expect(
      costOf(() => {
        groups.setPod(robot(3, 4, "newer"));
      }),
    ).toEqual({ ...nothing, groupVisits: 2 });
  });
});

describe("a namespace's name", () => {
  test("asked for: its own label set alone, of fifty", () => {
    const cost = costOf(() => {
      groups.retain(podGroup(namespacesNamed(["ns3"]), app(4)));
    });
    expect(cost).toEqual({ ...nothing, selectorEvaluations: 1, candidateVisits: apps });
  });

  test("asked for beside labels: filed by the name", () => {
    const cost = costOf(() => {
      groups.retain(podGroup(allOf([everything, namespacesNamed(["ns3"])]), everything));
    });
    // The selector of every pod is new, and meets every label set.
    expect(cost.selectorEvaluations).toBe(1 + apps);
  });

  test("given to a new namespace: it meets the selectors of its name alone", () => {
    for (let n = 0; n < 2 * tenants; n++) groups.retain(podGroup(namespacesNamed([`ns${n}`]), app(0)));
    const cost = costOf(() => {
      groups.setNamespace(namespace("ns77", { tenant: "none" }));
    });
    expect(cost).toEqual({ ...nothing, selectorEvaluations: 1 });
  });
});

describe("nodes", () => {
  test("share the machinery: label sets are matched once", () => {
    groups.retain({ kind: "nodes", nodes: withLabels({ pool: "p1" }) });
    const first = costOf(() => {
      groups.setNode(node("n1", { pool: "p1" }, ["192.0.2.1"]));
    });
    const second = costOf(() => {
      groups.setNode(node("n2", { pool: "p1" }, ["192.0.2.2"]));
    });
    expect(first.selectorEvaluations).toBe(1);
    expect(second).toEqual({ ...nothing, groupVisits: 1 });
  });
});
