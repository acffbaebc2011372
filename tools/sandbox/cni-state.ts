// Reads back from NB the part of the network that the CNI stand-in made, in the form of topology.ts: rows with its mark
// and the rows that these refer to. One invocation, so one state of the database.

import { type ListedRow, parseListings } from "./listing.ts";
import type { Ovn } from "./ovn.ts";
import type { Route, RouterPort, SwitchPort, Topology } from "./topology.ts";

export async function readTopology(ovn: Ovn, mark: string): Promise<Topology> {
  const marked = (columns: string, table: string) => [
    "--",
    `--columns=${columns}`,
    "find",
    table,
    `external_ids:${mark}=true`,
  ];
  const printed = await ovn.nbctl(
    "--format=json",
    ...marked("name,ports", "logical_switch"),
    ...marked("_uuid,name,type,options,addresses", "logical_switch_port"),
    ...marked("name,static_routes", "logical_router"),
    ...marked("name,mac,networks", "logical_router_port"),
    ...["--", "--columns=_uuid,ip_prefix,nexthop,output_port", "list", "logical_router_static_route"],
  );
  const [switches = [], ports = [], routers = [], routerPorts = [], routes = []] = parseListings(printed);
  const homes = new Map(switches.flatMap((row) => row.list("ports").map((port) => [port, row.text("name")])));
  const ours = new Set(routers.flatMap((row) => row.list("static_routes")));
  return {
    switches: new Set(switches.map((row) => row.text("name"))),
    ports: new Map(ports.map((row) => [row.text("name"), switchPort(row, homes)])),
    routers: new Set(routers.map((row) => row.text("name"))),
    routerPorts: new Map(routerPorts.map((row) => [row.text("name"), routerPort(row)])),
    routes: new Map(routes.filter((row) => ours.has(row.text("_uuid"))).map(route)),
  };
}

function switchPort(row: ListedRow, homes: ReadonlyMap<string, string>): SwitchPort {
  return {
    switch: homes.get(row.text("_uuid")) ?? "",
    routerPort: row.text("type") === "router" ? (row.map("options").get("router-port") ?? "") : "",
    addresses: row.list("addresses").join(","),
  };
}

function routerPort(row: ListedRow): RouterPort {
  return { mac: row.text("mac"), networks: row.list("networks").toSorted() };
}

function route(row: ListedRow): [string, Route] {
  return [
    row.text("ip_prefix"),
    { nexthop: row.text("nexthop"), routerPort: row.list("output_port").join(",") },
  ];
}
