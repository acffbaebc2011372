// The table of read metrics without a running program, as --enable-admin-network-policy=false serves it.

import { expect, test } from "@jest/globals";
import { Metrics } from "../metrics/metrics.ts";
import { notInForceReasons } from "../status/reported.ts";
import { backends, backendNamed } from "../backends.ts";
import { readMetrics } from "./read-metrics.ts";

const table = readMetrics(backendNamed(backends[0].name).live);
const { registry } = new Metrics({ table, parts: null }, "1.2.3", []);
const lines = (await registry.metrics()).split("\n");

test("every family is there, once, as the table says it", () => {
  for (const { name, help, type } of table) {
    expect(lines.filter((line) => line === `# HELP ${name} ${help}`)).toHaveLength(1);
    expect(lines.filter((line) => line === `# TYPE ${name} ${type}`)).toHaveLength(1);
  }
});

test("what is always there is zero but for readiness, and nothing else has a series", () => {
  const read = lines.filter((line) => table.some(({ name }) => /^[^ {]+/.exec(line)?.[0] === name));
  expect(read).toEqual([
    "ovnkube_controller_admin_network_policies 0",
    'ovnkube_controller_admin_network_policies_rules{direction="Ingress",action="Allow"} 0',
    'ovnkube_controller_admin_network_policies_rules{direction="Ingress",action="Deny"} 0',
    'ovnkube_controller_admin_network_policies_rules{direction="Ingress",action="Pass"} 0',
    'ovnkube_controller_admin_network_policies_rules{direction="Egress",action="Allow"} 0',
    'ovnkube_controller_admin_network_policies_rules{direction="Egress",action="Deny"} 0',
    'ovnkube_controller_admin_network_policies_rules{direction="Egress",action="Pass"} 0',
    "ovnkube_controller_baseline_admin_network_policies 0",
    'ovnkube_controller_baseline_admin_network_policies_rules{direction="Ingress",action="Allow"} 0',
    'ovnkube_controller_baseline_admin_network_policies_rules{direction="Ingress",action="Deny"} 0',
    'ovnkube_controller_baseline_admin_network_policies_rules{direction="Egress",action="Allow"} 0',
    'ovnkube_controller_baseline_admin_network_policies_rules{direction="Egress",action="Deny"} 0',
    "northgate_cluster_network_policies 0",
    'northgate_cluster_network_policies_rules{direction="Ingress",action="Accept"} 0',
    'northgate_cluster_network_policies_rules{direction="Ingress",action="Deny"} 0',
    'northgate_cluster_network_policies_rules{direction="Ingress",action="Pass"} 0',
    'northgate_cluster_network_policies_rules{direction="Egress",action="Accept"} 0',
    'northgate_cluster_network_policies_rules{direction="Egress",action="Deny"} 0',
    'northgate_cluster_network_policies_rules{direction="Egress",action="Pass"} 0',
    "northgate_network_policies 0",
    'northgate_network_policies_rules{direction="Ingress",action="Allow"} 0',
    'northgate_network_policies_rules{direction="Egress",action="Allow"} 0',
    "northgate_antrea_cluster_network_policies 0",
    'northgate_antrea_cluster_network_policies_rules{direction="Ingress",action="Allow"} 0',
    'northgate_antrea_cluster_network_policies_rules{direction="Ingress",action="Drop"} 0',
    'northgate_antrea_cluster_network_policies_rules{direction="Ingress",action="Reject"} 0',
    'northgate_antrea_cluster_network_policies_rules{direction="Ingress",action="Pass"} 0',
    'northgate_antrea_cluster_network_policies_rules{direction="Egress",action="Allow"} 0',
    'northgate_antrea_cluster_network_policies_rules{direction="Egress",action="Drop"} 0',
    'northgate_antrea_cluster_network_policies_rules{direction="Egress",action="Reject"} 0',
    'northgate_antrea_cluster_network_policies_rules{direction="Egress",action="Pass"} 0',
    "northgate_antrea_network_policies 0",
    'northgate_antrea_network_policies_rules{direction="Ingress",action="Allow"} 0',
    'northgate_antrea_network_policies_rules{direction="Ingress",action="Drop"} 0',
    'northgate_antrea_network_policies_rules{direction="Ingress",action="Reject"} 0',
    'northgate_antrea_network_policies_rules{direction="Ingress",action="Pass"} 0',
    'northgate_antrea_network_policies_rules{direction="Egress",action="Allow"} 0',
    'northgate_antrea_network_policies_rules{direction="Egress",action="Drop"} 0',
    'northgate_antrea_network_policies_rules{direction="Egress",action="Reject"} 0',
    'northgate_antrea_network_policies_rules{direction="Egress",action="Pass"} 0',
    "northgate_calico_global_network_policies 0",
    'northgate_calico_global_network_policies_rules{direction="Ingress",action="Allow"} 0',
    'northgate_calico_global_network_policies_rules{direction="Ingress",action="Deny"} 0',
    'northgate_calico_global_network_policies_rules{direction="Ingress",action="Pass"} 0',
    'northgate_calico_global_network_policies_rules{direction="Egress",action="Allow"} 0',
    'northgate_calico_global_network_policies_rules{direction="Egress",action="Deny"} 0',
    'northgate_calico_global_network_policies_rules{direction="Egress",action="Pass"} 0',
    "northgate_calico_network_policies 0",
    'northgate_calico_network_policies_rules{direction="Ingress",action="Allow"} 0',
    'northgate_calico_network_policies_rules{direction="Ingress",action="Deny"} 0',
    'northgate_calico_network_policies_rules{direction="Ingress",action="Pass"} 0',
    'northgate_calico_network_policies_rules{direction="Egress",action="Allow"} 0',
    'northgate_calico_network_policies_rules{direction="Egress",action="Deny"} 0',
    'northgate_calico_network_policies_rules{direction="Egress",action="Pass"} 0',
    "northgate_ready 1",
    ...notInForceReasons.map((reason) => `northgate_policies_not_in_force{reason="${reason}"} 0`),
    'northgate_missing_kind_policies{crd="adminnetworkpolicies.policy.networking.k8s.io"} 0',
    'northgate_missing_kind_policies{crd="baselineadminnetworkpolicies.policy.networking.k8s.io"} 0',
    'northgate_missing_kind_policies{crd="clusternetworkpolicies.policy.networking.k8s.io"} 0',
    'northgate_missing_kind_policies{crd="clusternetworkpolicies.crd.antrea.io"} 0',
    'northgate_missing_kind_policies{crd="networkpolicies.crd.antrea.io"} 0',
    'northgate_missing_kind_policies{crd="globalnetworkpolicies.projectcalico.org"} 0',
    'northgate_missing_kind_policies{crd="networkpolicies.projectcalico.org"} 0',
    "northgate_held_back 0",
    "northgate_queue_depth 0",
    "northgate_queue_oldest_seconds 0",
    "northgate_leader 0",
    "northgate_standby 0",
    "northgate_selector_evaluations_total 0",
    'ovnkube_controller_admin_network_policies_db_objects{table_name="ACL"} 0',
    'ovnkube_controller_admin_network_policies_db_objects{table_name="Address_Set"} 0',
    'ovnkube_controller_baseline_admin_network_policies_db_objects{table_name="ACL"} 0',
    'ovnkube_controller_baseline_admin_network_policies_db_objects{table_name="Address_Set"} 0',
    'northgate_cluster_network_policies_db_objects{table_name="ACL"} 0',
    'northgate_cluster_network_policies_db_objects{table_name="Address_Set"} 0',
    'northgate_network_policies_db_objects{table_name="ACL"} 0',
    'northgate_network_policies_db_objects{table_name="Address_Set"} 0',
    'northgate_antrea_cluster_network_policies_db_objects{table_name="ACL"} 0',
    'northgate_antrea_cluster_network_policies_db_objects{table_name="Address_Set"} 0',
    'northgate_antrea_network_policies_db_objects{table_name="ACL"} 0',
    'northgate_antrea_network_policies_db_objects{table_name="Address_Set"} 0',
    'northgate_calico_global_network_policies_db_objects{table_name="ACL"} 0',
    'northgate_calico_global_network_policies_db_objects{table_name="Address_Set"} 0',
    'northgate_calico_network_policies_db_objects{table_name="ACL"} 0',
    'northgate_calico_network_policies_db_objects{table_name="Address_Set"} 0',
    "northgate_nb_connected 0",
    ...["ACL", "Address_Set", "Port_Group", "Logical_Switch_Port"].map(
      (table) => `northgate_nb_cache_rows{table="${table}"} 0`,
    ),
    "northgate_shared_address_sets 0",
    "northgate_nb_transactions_total 0",
    'northgate_election_transactions_total{kind="claim"} 0',
    'northgate_election_transactions_total{kind="renewal"} 0',
    'northgate_election_transactions_total{kind="release"} 0',
    "northgate_drift_repairs_total 0",
    "northgate_sweeps_total 0",
    "northgate_takeovers_total 0",
    "northgate_contested_policies 0",
    "northgate_nb_reconnects_total 0",
  ]);
});
