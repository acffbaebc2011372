// Reads back from NB the part of the network that the CNI stand-in made, in the form of topology.ts: rows with its mark
// and the rows that these refer to. One transaction, so one state of the database.

import { list, type ListedRow } from "./listing.ts";
import type { Ovn } from "./ovn.ts";
import type { Route, RouterPort, SwitchPort, Topology } from "./topology.ts";

export async function readTopology(ovn: Ovn, mark: string): Promise<Topology> {
  const where = [["external_ids", "includes", ["map", [[mark, "true"]]]]];
  const [switches = [], ports = [], routers = [], routerPorts = [], routes = []] = await list(
    ovn.nb,
    "OVN_Northbound",
    { table: "Logical_Switch", columns: ["name", "ports"], where },
    { table: "Logical_Switch_Port", columns: ["_uuid", "name", "type", "options", "addresses"], where },
    { table: "Logical_Router", columns: ["name", "static_routes"], where },
    { table: "Logical_Router_Port", columns: ["name", "mac", "networks"], where },
    {
      table: "Logical_Router_Static_Route",
      columns: ["_uuid", "ip_prefix", "nexthop", "output_port"],
    },
  );
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
