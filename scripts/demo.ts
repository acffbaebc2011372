// `make demo`: the tour. Real OVN, the real program, real output; it ends by itself and leaves nothing behind.
// Exit codes: 0 the tour went as told, 1 something was not as told, 3 no OVN to be had.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { policies as policyKinds, references } from "../src/dialects.ts";
import { loadManifests } from "../src/informers/index.ts";
import type { PodFact } from "../src/model/facts.ts";
import { isOnPodNetwork } from "../src/model/facts.ts";
import type { IpAddress } from "../src/model/ip.ts";
import { isNode, isPod } from "../src/model/object.ts";
import { applyCni } from "../tools/sandbox/cni.ts";
import { OvnMissingError } from "../tools/sandbox/find-ovn.ts";
import type { Ovn } from "../tools/sandbox/ovn.ts";
import { startOvn } from "../tools/sandbox/ovn.ts";
import type { Packet } from "../tools/sandbox/trace.ts";
import { openTracer } from "../tools/sandbox/trace.ts";
import { Northgate, ran } from "./support/northgate.ts";
import { layOut } from "./support/scene.ts";
import { voice } from "./support/voice.ts";

const started = performance.now();
const folder = mkdtempSync(join(tmpdir(), "northgate-demo-"));
const manifests = join(folder, "manifests");
const podsFile = join(manifests, "cluster", "pods.yaml");

type Question = readonly [Packet, "allow" | "drop"];

async function tour(ovn: Ovn): Promise<void> {
  const pods = await cluster(ovn);
  const northgate = await policies(ovn);
  const address = await northgate.ready();
  try {
    await rows(ovn);
    await packets(ovn, pods);
    await tenantsOwnPolicy(ovn, pods);
    await relabel(ovn, address);
    await metrics(address);
  } finally {
    await northgate.stop();
  }
  voice.chapter("Stop");
  voice.say("northgate run got SIGTERM and ended; its rows stay in the database and stay in force.");
}

async function cluster(ovn: Ovn): Promise<ReadonlyMap<string, PodFact>> {
  voice.chapter("A private OVN and a small cluster");
  layOut(manifests);
  const { objects } = loadManifests([manifests], policyKinds, references);
  const pods = objects.filter(isPod);
  const nodes = objects.filter(isNode);
  await applyCni(ovn, { pods, nodes });
  voice.say(
    `OVN ${ovn.install.version} (${ovn.install.source}): Northbound, Southbound and ovn-northd run in ${ovn.dir}.`,
    "A stand-in for the CNI gave each node a switch and each pod a port:",
  );
  voice.command("ovn-nbctl ls-list; ovn-nbctl lsp-list ovn-worker");
  voice.output((await ovn.nbctl("ls-list")) + (await ovn.nbctl("lsp-list", "ovn-worker")));
  return new Map(pods.filter(isOnPodNetwork).map((pod) => [`${pod.namespace}@${pod.node ?? "none"}`, pod]));
}

async function policies(ovn: Ovn): Promise<Northgate> {
  voice.chapter("The policies become rows");
  voice.say(
    "examples/cluster-control has the OVN-Kubernetes documentation's AdminNetworkPolicy cluster-control (priority 34,",
    "5 ingress and 6 egress rules) and its BaselineAdminNetworkPolicy default.",
  );
  voice.command("northgate run --source dir:examples/cluster-control --nb unix:… &");
  const northgate = new Northgate({
    ...{ dir: folder, source: [`--source=dir:${manifests}`], nb: ovn.nb },
    ...{ metricsPort: 0, detached: false },
  });
  await northgate.ready();
  const lines = readFileSync(northgate.log, "utf8").trim().split("\n");
  voice.output(lines.map((line) => told(JSON.parse(line) as Record<string, unknown>)).join("\n"));
  return northgate;
}

function told({ level, message, ...fields }: Record<string, unknown>): string {
  const shown = Object.entries(fields).filter(([key]) => key !== "time");
  const pairs = shown.map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return [level, message, ...pairs].map(String).join(" ");
}

async function rows(ovn: Ovn): Promise<void> {
  const find = async (table: string, columns: string, what: string): Promise<void> => {
    const condition = `external_ids{>=}{"k8s.ovn.org/owner-type"=AdminNetworkPolicy,${what}}`;
    voice.command(`ovn-nbctl --columns=${columns} find ${table} '${condition}'`);
    voice.output(await ovn.nbctl(`--columns=${columns}`, "find", table, condition));
  };
  await find("ACL", "name,action,direction,priority,tier,match", 'gress-index="5"');
  await find("Address_Set", "name,addresses,external_ids", 'direction=Egress,gress-index="3"');
  await find("Port_Group", "name,external_ids", '"k8s.ovn.org/name"=cluster-control');
}

async function packets(ovn: Ovn, pods: ReadonlyMap<string, PodFact>): Promise<void> {
  voice.chapter("What the rows do to packets, asked of ovn-trace");
  const pod = (name: string): PodFact => known(pods, name);
  const outside = (ip: string) => ({ ip: ip as IpAddress });
  const nginx = pod("ingress-nginx@ovn-worker2");
  const restricted = pod("restricted@ovn-worker2");
  const monitoring = pod("monitoring@ovn-worker");
  await ask(ovn, [
    [{ from: nginx, to: pod("kube-system@ovn-worker2"), protocol: "udp", port: 5353 }, "allow"],
    [{ from: nginx, to: pod("splunk@ovn-worker2"), protocol: "tcp", port: 8991 }, "allow"],
    [{ from: nginx, to: pod("splunk@ovn-worker2"), protocol: "tcp", port: 22 }, "drop"],
    [{ from: nginx, to: pod("open@ovn-worker"), protocol: "tcp", port: 80 }, "allow"],
    [{ from: monitoring, to: outside("172.18.0.3"), protocol: "tcp", port: 6443 }, "allow"],
    [{ from: monitoring, to: outside("10.0.56.38"), protocol: "tcp", port: 443 }, "allow"],
    [{ from: monitoring, to: outside("198.51.100.7"), protocol: "tcp", port: 443 }, "drop"],
    [{ from: restricted, to: pod("monitoring@ovn-worker2"), protocol: "icmp" }, "drop"],
    [{ from: restricted, to: pod("restricted@ovn-worker"), protocol: "tcp", port: 80 }, "drop"],
  ]);
  voice.say(
    "",
    "The last one: the admin tier passes (Egress:4), nobody between decides, the baseline denies.",
    "northgate explain says the same of the manifests alone, with the lines that say it:",
  );
  explained(restricted, pod("restricted@ovn-worker"));
  planned();
}

function explained(from: PodFact, to: PodFact): void {
  const [source, target] = [from, to].map(({ namespace, name }) => `${namespace}/${name}`);
  const asked = ["--from", source ?? "", "--to", target ?? "", "--protocol", "tcp", "--port", "80"];
  voice.command(`northgate explain -f examples/cluster-control ${asked.join(" ")}`);
  const { status, text } = ran("explain", "-f", manifests, ...asked);
  voice.output(text.replaceAll(`${manifests}/`, ""));
  expectTold(status === 0 && text.startsWith("DENY"), "explain agrees with ovn-trace");
}

function planned(): void {
  voice.say(
    "",
    "Somebody wants DNS at port 53. northgate plan says what that edit would do, before anybody makes it:",
  );
  const edited = join(folder, "edited");
  cpSync(join(manifests, "policies"), edited, { recursive: true });
  const file = join(edited, "cluster-control.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("port: 5353", "port: 53"));
  voice.command("northgate plan -f edited/ --against dir:examples/cluster-control");
  const { status, text } = ran("plan", "-f", edited, "--against", `dir:${manifests}`);
  voice.output(text);
  const isTold = text.includes("NEWLY DENIED") && text.includes("DNS lost") && text.includes("NEWLY ALLOWED");
  expectTold(status === 2 && isTold, "the plan names what is newly denied and allowed, and that DNS is lost");
}

async function tenantsOwnPolicy(ovn: Ovn, pods: ReadonlyMap<string, PodFact>): Promise<void> {
  voice.chapter("Pass: the tenant decides");
  voice.say(
    "The tenant's owner allows traffic inside namespace restricted. (Tier 2 rows, made by hand here.)",
  );
  const ports = ["restricted@ovn-worker", "restricted@ovn-worker2"].map((name) => known(pods, name));
  const acl = (name: string, direction: string, match: string) => [
    ...["--", `--id=@${name}`, "create", "ACL", `name="NP:restricted:${name}"`, `direction=${direction}`],
    ...["tier=2", "priority=1001", "action=allow-related", `match="${match}"`],
    ...(direction === "from-lport" ? ["options:apply-after-lb=true"] : []),
  ];
  await ovn.nbctl(
    ...ports
      .flatMap((pod, index) => [
        ...["--", `--id=@port${index}`, "get", "Logical_Switch_Port", `${pod.namespace}_${pod.name}`],
      ])
      .slice(1),
    ...acl("in", "to-lport", "outport == @restricted && ip4.src == {10.244.1.3, 10.244.2.7}"),
    ...acl("out", "from-lport", "inport == @restricted && ip4.dst == {10.244.1.3, 10.244.2.7}"),
    ...["--", "create", "Port_Group", "name=restricted", "ports=@port0,@port1", "acls=@in,@out"],
  );
  const from = known(pods, "restricted@ovn-worker2");
  await ask(ovn, [[{ from, to: known(pods, "restricted@ovn-worker"), protocol: "tcp", port: 80 }, "allow"]]);
}

async function relabel(ovn: Ovn, address: string): Promise<void> {
  voice.chapter("One label, one element");
  const name = await setNameOf(ovn, "Egress:0:v4");
  const show = async (): Promise<string> => {
    voice.command(
      `ovn-nbctl --columns=addresses find Address_Set name=${name}   # cluster-control, egress rule 0: dns`,
    );
    const listed = await ovn.nbctl("--columns=addresses", "find", "Address_Set", `name=${name}`);
    voice.output(listed);
    return listed;
  };
  await show();
  const before = await counter(address, "northgate_nb_operations_total");
  voice.say("", "One of the two dns pods loses its label app=dns:");
  const text = readFileSync(podsFile, "utf8");
  writeFileSync(podsFile, text.replace("app: dns", "app: dns-retired"));
  while ((await counter(address, "northgate_nb_operations_total")) === before) await sleep(20);
  expectTold(!(await show()).includes("10.244.2.3"), "the address left the set");
  const operations = (await counter(address, "northgate_nb_operations_total")) - before;
  voice.say(`Operations it took: ${operations}. No ACL, no port group and no other set was written.`);
  expectTold(operations === 1, "one operation");
}

async function metrics(address: string): Promise<void> {
  voice.chapter("What Prometheus sees");
  voice.command("curl -s http://127.0.0.1:…/metrics | grep -E '^(ovnkube|northgate_nb)'");
  const text = await (await fetch(`${address}/metrics`)).text();
  voice.output(
    text
      .split("\n")
      .filter((line) => /^(ovnkube|northgate_nb)/.test(line) && !line.endsWith("} 0"))
      .join("\n"),
  );
}

async function ask(ovn: Ovn, questions: readonly Question[]): Promise<void> {
  const tracer = await openTracer(ovn);
  for (const [packet, expected] of questions) {
    const { verdict, acls } = await tracer.verdict(packet);
    const [from, to] = [endText(packet.from), endText(packet.to)];
    const port = packet.port === undefined ? packet.protocol : `${packet.protocol} ${packet.port}`;
    const because = acls.map((acl) => `${acl.name} ${acl.action}`).join(", ");
    voice.verdict(`${from} → ${to}  ${port}`, verdict, because);
    expectTold(verdict === expected, `${from} → ${to} ${port} is ${expected}`);
  }
  await tracer.close();
}

function endText(end: Packet["from"]): string {
  return "ip" in end ? end.ip : `${end.namespace} ${end.ips[0] ?? ""}`;
}

async function setNameOf(ovn: Ovn, place: string): Promise<string> {
  const id = `default-network-controller:AdminNetworkPolicy:cluster-control:${place}`;
  return (
    await ovn.nbctl(
      "--bare",
      "--columns=name",
      "find",
      "Address_Set",
      `external_ids:"k8s.ovn.org/id"="${id}"`,
    )
  ).trim();
}

/** The sum of a metric's series. */
async function counter(address: string, name: string): Promise<number> {
  const text = await (await fetch(`${address}/metrics`)).text();
  const series = text.matchAll(new RegExp(`^${name}(?:{.*})? (\\S+)$`, "gm"));
  return [...series].reduce((sum, [, value]) => sum + Number(value), 0);
}

function known(pods: ReadonlyMap<string, PodFact>, name: string): PodFact {
  const pod = pods.get(name);
  if (pod === undefined) throw new Error(`the example has no pod ${name}`);
  return pod;
}

function expectTold(holds: boolean, what: string): void {
  if (!holds) throw new Error(`the tour's promise does not hold: ${what}`);
}

let ovn: Ovn | null = null;
try {
  ovn = await startOvn();
  await tour(ovn);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  voice.say(`The tour took ${seconds} s. \`make up\` keeps the same thing running to play with.`);
} catch (error) {
  process.stderr.write(`make demo: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof OvnMissingError ? 3 : 1;
} finally {
  await ovn?.stop();
  rmSync(folder, { recursive: true, force: true });
}
