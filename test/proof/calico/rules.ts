// Random rules of Calico's policies: criteria of every kind that fit together, on both sides, at the ports and networks that packets
// are about. What the product closes is not made here (docs/calico.md has the list).

import fc from "fast-check";
import type { CalicoEntity, CalicoRule } from "../../oracle/calico/manifests.ts";
import { spaces } from "../pods.ts";
import { networks, portNames, portNumbers } from "../rules.ts";
import { accountNames, accountSelector, namespaceSelector, selector } from "./selectors.ts";

/** What a world leaves to its rules. */
export interface Leeway {
  /** Whether the rules may pass. */
  readonly passes: boolean;
}

const families = { 4: (net: string) => !net.includes(":"), 6: (net: string) => net.includes(":") } as const;
type Family = keyof typeof families;

const rarely = <T>(one: fc.Arbitrary<T>, freq: number) => fc.option(one, { freq, nil: undefined });
/** Without the fields that are not there. */
export function told<T extends object>(
  draft: fc.Arbitrary<{ [K in keyof T]: T[K] | undefined }>,
): fc.Arbitrary<T> {
  return draft.map((one) => JSON.parse(JSON.stringify(one)) as T);
}

function nets(family: Family | null): fc.Arbitrary<Pick<CalicoEntity, "nets" | "notNets">> {
  if (family === null) return fc.constant({});
  const fitting = networks.filter(families[family]);
  const some = fc.uniqueArray(fc.constantFrom(...fitting), { minLength: 1, maxLength: 3 });
  // The API takes no network of every address here.
  const none = fc.uniqueArray(fc.constantFrom(...fitting.filter((net) => !net.endsWith("/0"))), {
    ...{ minLength: 1, maxLength: 2 },
  });
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 3, arbitrary: fc.record({ nets: some }) },
    { weight: 3, arbitrary: fc.record({ notNets: none }) },
    { weight: 1, arbitrary: fc.record({ nets: some, notNets: none }) },
  );
}

type Scope = Pick<CalicoEntity, "selector" | "notSelector" | "namespaceSelector" | "serviceAccounts">;

const accounts = fc.oneof(
  fc.uniqueArray(fc.constantFrom(...accountNames, "nobody"), { minLength: 1 }).map((names) => ({ names })),
  accountSelector.map((one) => ({ selector: one })),
  fc.record({ names: fc.constant(["runner"]), selector: accountSelector }),
  fc.constant({}),
);

const chosenSpaces = fc.oneof(
  { weight: 2, arbitrary: namespaceSelector },
  { weight: 1, arbitrary: fc.constant("global()") },
);
const chosen: fc.Arbitrary<Scope> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ selector }) },
  { weight: 2, arbitrary: fc.record({ namespaceSelector: chosenSpaces }) },
  { weight: 2, arbitrary: fc.record({ namespaceSelector: chosenSpaces, selector }) },
  { weight: 1, arbitrary: fc.record({ serviceAccounts: accounts }) },
  { weight: 1, arbitrary: fc.record({ serviceAccounts: accounts, selector }) },
);
/** A notSelector stands beside something else, or alone. */
const scope: fc.Arbitrary<Scope> = fc.oneof(
  { weight: 5, arbitrary: chosen },
  { weight: 1, arbitrary: selector.map((one) => ({ notSelector: one })) },
  {
    weight: 1,
    arbitrary: fc.tuple(chosen, selector).map(([one, notSelector]) => ({ ...one, notSelector })),
  },
);

const range = fc.constantFrom("79:81", "1:52", "54:65535", "8080:8081", "53:53", "1:65535");
const number = fc.oneof(fc.constantFrom(...portNumbers), fc.constantFrom(...portNumbers).map(String), range);
const name = fc.constantFrom(...portNames, "nobodys");
const list = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: 1, maxLength: 3 });
type Ports = Pick<CalicoEntity, "ports" | "notPorts">;

const either = fc.oneof(number, name, name);
const destinationPorts: fc.Arbitrary<Ports> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ ports: list(number) }) },
  { weight: 3, arbitrary: fc.record({ ports: list(either) }) },
  { weight: 2, arbitrary: fc.record({ notPorts: list(number) }) },
  { weight: 2, arbitrary: fc.record({ notPorts: list(either) }) },
  { weight: 2, arbitrary: fc.record({ ports: list(either), notPorts: list(either) }) },
);
const ownPort = fc.constantFrom<number | string>(30_000, "30000:30010", "1:29999", "30000");
const eitherOwn = fc.oneof(ownPort, name);
const sourcePorts: fc.Arbitrary<Ports> = fc.oneof(
  fc.record({ ports: list(eitherOwn) }),
  fc.record({ notPorts: list(eitherOwn) }),
  fc.record({ ports: list(eitherOwn), notPorts: list(name) }),
);
const namesAlone: fc.Arbitrary<Ports> = fc.oneof(
  fc.record({ ports: list(name) }),
  fc.record({ notPorts: list(name) }),
  fc.record({ ports: list(name), notPorts: list(name) }),
);

/** Of Services that the worlds have, and of one that they have not. */
export const serviceNames = ["site", "store"] as const;
const service = fc.record({
  name: fc.constantFrom(...serviceNames, ...serviceNames, ...serviceNames, "nobodys"),
  namespace: fc.constantFrom(...spaces),
});
const sometimesThrough: fc.Arbitrary<NonNullable<CalicoEntity["services"]> | null> = fc.oneof(
  { weight: 5, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: service },
);

interface Traffic {
  readonly head: Pick<CalicoRule, "protocol" | "notProtocol" | "icmp" | "notICMP" | "ipVersion">;
  readonly source: Ports;
  readonly destination: Ports;
}

const noPorts = fc.constant<Ports>({});
const withPorts = fc.record<Traffic>({
  head: told(
    fc.record({
      protocol: fc.constantFrom<string | number>("TCP", "UDP", "SCTP", 6, "17"),
      notProtocol: rarely(fc.constantFrom("UDP", 132), 12),
    }),
  ),
  source: fc.oneof({ weight: 3, arbitrary: noPorts }, { weight: 1, arbitrary: sourcePorts }),
  destination: fc.oneof({ weight: 1, arbitrary: noPorts }, { weight: 3, arbitrary: destinationPorts }),
});

const icmpFields = (types: readonly number[]) =>
  told(fc.record({ type: fc.constantFrom(...types), code: rarely(fc.constantFrom(0, 1, 4), 2) }));
const icmpOf = (protocol: string | number, types: readonly number[]) =>
  told<Traffic["head"]>(
    fc.record({
      protocol: fc.constant(protocol),
      icmp: rarely(icmpFields(types), 2),
      notICMP: rarely(icmpFields(types), 3),
    }),
  );
const alone = (head: fc.Arbitrary<Traffic["head"]>): fc.Arbitrary<Traffic> =>
  head.map((one) => ({ head: one, source: {}, destination: {} }));

/** What fits a family; null: both. */
function traffic(family: Family | null): fc.Arbitrary<Traffic> {
  const icmps = [
    ...(family === 6 ? [] : [icmpOf("ICMP", [8, 13, 3]), icmpOf(1, [8])]),
    ...(family === 4 ? [] : [icmpOf("ICMPv6", [128, 1]), icmpOf("58", [128])]),
  ];
  const others = ["TCP", "UDP", 47, ...(family === 6 ? [] : ["ICMP"]), ...(family === 4 ? [] : ["ICMPv6"])];
  return fc.oneof(
    { weight: 10, arbitrary: alone(fc.constant({})) },
    { weight: 8, arbitrary: withPorts },
    { weight: 2, arbitrary: alone(fc.oneof(...icmps)) },
    {
      weight: 1,
      arbitrary: alone(
        fc.constantFrom<number | string>(47, "50", 136, "UDPLite").map((protocol) => ({ protocol })),
      ),
    },
    { weight: 2, arbitrary: alone(fc.constantFrom(...others).map((notProtocol) => ({ notProtocol }))) },
    // Names alone, of any protocol that has them.
    { weight: 1, arbitrary: fc.record({ head: fc.constant({}), source: noPorts, destination: namesAlone }) },
    { weight: 1, arbitrary: fc.record({ head: fc.constant({}), source: namesAlone, destination: noPorts }) },
  );
}

function entity(family: Family | null, likely: number): fc.Arbitrary<CalicoEntity> {
  const empty = fc.constant<Scope>({});
  return fc
    .tuple(
      fc.oneof({ weight: likely, arbitrary: scope }, { weight: 6 - likely, arbitrary: empty }),
      nets(family),
    )
    .map(([one, other]) => ({ ...one, ...other }));
}

/** `peer`: the side that mostly says more. */
export function rule(leeway: Leeway, peer: "source" | "destination"): fc.Arbitrary<CalicoRule> {
  return fc
    .record({
      action: fc.constantFrom<CalicoRule["action"]>(
        ...(["Allow", "Allow", "Allow", "Deny", "Deny"] as const),
        ...(leeway.passes ? (["Pass", "Pass"] as const) : []),
      ),
      isLogged: fc.integer({ min: 0, max: 14 }),
      family: fc.constantFrom<Family | null>(null, null, null, 4, 6),
      isTold: fc.boolean(),
    })
    .chain(({ action, isLogged, family, isTold }) =>
      fc
        .record({
          traffic: traffic(family),
          services: sometimesThrough,
          source: entity(family, peer === "source" ? 3 : 1),
          destination: entity(family, peer === "destination" ? 3 : 1),
        })
        .map(({ traffic: { head, ...ports }, services, ...ends }) => {
          const of = (name: "source" | "destination") =>
            services === null || name !== peer
              ? side(name, { ...affordable({ head, ...ports }, ends[name]), ...ports[name] })
              : side(name, { services, ...(name === "source" ? ports[name] : {}) });
          return {
            action: isLogged === 0 ? "Log" : action,
            ...head,
            ...(family !== null && isTold ? { ipVersion: family } : {}),
            ...of("source"),
            ...of("destination"),
          };
        }),
    );
}

/**
 * Every protocol but one, or but those with ports, from every address but some networks' or endpoints': OVN has a flow for each pair, a hundred thousand in a world, and takes
 * longer than a packet is waited for.
 */
function affordable({ head, source, destination }: Traffic, entity: CalicoEntity): CalicoEntity {
  const { notNets, notSelector, ...rest } = entity;
  const isOfMost = notNets !== undefined || notSelector !== undefined;
  const leavesOut = [head.notProtocol, source.notPorts, destination.notPorts].some(
    (one) => one !== undefined,
  );
  return isOfMost && leavesOut && head.protocol === undefined ? rest : entity;
}

function side(
  name: "source" | "destination",
  fields: CalicoEntity,
): Pick<CalicoRule, "source" | "destination"> {
  return Object.keys(fields).length === 0 ? {} : { [name]: fields };
}
