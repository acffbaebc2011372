// Which load balancers Services and their EndpointSlices come to.

import { expect, test } from "@jest/globals";
import { balancersOf, type EndpointSliceObject, type ServiceObject } from "./services.ts";

const service = (name: string, spec: ServiceObject["spec"]): ServiceObject => ({
  metadata: { namespace: "shop", name },
  spec,
});
const slice = (of: string, rest: Partial<EndpointSliceObject>): EndpointSliceObject => ({
  metadata: { namespace: "shop", labels: { "kubernetes.io/service-name": of } },
  ...{ addressType: "IPv4", ports: [{ port: 8080, protocol: "TCP" }] },
  endpoints: [{ addresses: ["10.244.1.2"] }],
  ...rest,
});
const web = service("web", { clusterIPs: ["10.96.1.1"], ports: [{ port: 80, protocol: "TCP" }] });

test("endpoints of all slices of a Service are behind its address, those alone that are ready", () => {
  const slices = [
    slice("web", {
      endpoints: [
        { addresses: ["10.244.2.3"], conditions: { ready: true } },
        { addresses: ["10.244.2.4"], conditions: { ready: false } },
      ],
    }),
    slice("web", {}),
    slice("other", { endpoints: [{ addresses: ["10.244.1.9"] }] }),
    { ...slice("web", {}), metadata: { namespace: "else", labels: { "kubernetes.io/service-name": "web" } } },
  ];
  expect(balancersOf([web], slices)).toEqual([
    {
      ...{ name: "service_shop_web_tcp", protocol: "tcp" },
      vips: { "10.96.1.1:80": ["10.244.1.2:8080", "10.244.2.3:8080"] },
    },
  ]);
});

test("ports are told apart by name and protocol, families by address, and a headless Service has no balancer", () => {
  const dns = service("dns", {
    clusterIPs: ["10.96.0.10", "fd00:10:96::a"],
    ports: [
      { name: "dns", port: 53, protocol: "UDP" },
      { name: "dns-tcp", port: 53, protocol: "TCP" },
    ],
  });
  const ports = [
    { name: "dns", port: 5353, protocol: "UDP" },
    { name: "dns-tcp", port: 5354, protocol: "TCP" },
  ];
  const slices = [
    slice("dns", { ports }),
    slice("dns", { ports, addressType: "IPv6", endpoints: [{ addresses: ["fd00::2"] }] }),
  ];
  const headless = service("set", { clusterIPs: ["None"], ports: [{ port: 80, protocol: "TCP" }] });
  expect(balancersOf([headless, dns], [...slices, slice("set", {})])).toEqual([
    {
      ...{ name: "service_shop_dns_tcp", protocol: "tcp" },
      vips: { "10.96.0.10:53": ["10.244.1.2:5354"], "[fd00:10:96::a]:53": ["[fd00::2]:5354"] },
    },
    {
      ...{ name: "service_shop_dns_udp", protocol: "udp" },
      vips: { "10.96.0.10:53": ["10.244.1.2:5353"], "[fd00:10:96::a]:53": ["[fd00::2]:5353"] },
    },
  ]);
});

test("a Service without endpoints keeps its address", () => {
  expect(balancersOf([web], [slice("web", { ports: null, endpoints: null })])).toEqual([
    { name: "service_shop_web_tcp", protocol: "tcp", vips: { "10.96.1.1:80": [] } },
  ]);
});
