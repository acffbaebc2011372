// The panels of the dashboard as a table: what each shows and asks. `$` in braces stands for the chosen job and instances.
// Knows nothing of Grafana's JSON, which dashboard.ts makes of it; the pictures in docs/ are drawn from it too.

export interface PanelQuery {
  readonly expr: string;
  /** Labels in double braces. */
  readonly legend: string;
}

export interface DashboardPanel {
  readonly title: string;
  /** What a reader should make of it. */
  readonly description: string;
  /** stat: one number, the latest. */
  readonly kind: "stat" | "lines";
  /** Grafana's name of a unit. */
  readonly unit: "short" | "s" | "bytes" | "ops" | "percentunit";
  readonly queries: readonly PanelQuery[];
  /** Of a stat: the value from which it is red; `below`: red when it is less. */
  readonly bad?: { readonly from: number } | { readonly below: number };
}

export interface DashboardRow {
  readonly title: string;
  readonly panels: readonly DashboardPanel[];
}

const one = (expr: string, legend = "{{instance}}"): readonly PanelQuery[] => [{ expr, legend }];
const stat = (
  title: string,
  description: string,
  expr: string,
  bad?: DashboardPanel["bad"],
  unit: DashboardPanel["unit"] = "short",
): DashboardPanel => ({
  ...{ title, description, kind: "stat", unit, queries: one(expr, "") },
  ...(bad === undefined ? {} : { bad }),
});
const lines = (
  title: string,
  description: string,
  unit: DashboardPanel["unit"],
  queries: readonly PanelQuery[],
): DashboardPanel => ({ title, description, kind: "lines", unit, queries });

/** Half, and all but one in a hundred. */
const quantiles = (histogram: string): readonly PanelQuery[] =>
  [0.5, 0.99].map((share) => ({
    expr: `histogram_quantile(${share}, sum by (le) (rate(${histogram}_bucket{$}[$__rate_interval])))`,
    legend: share === 0.5 ? "median" : "99 of 100",
  }));

/** The families of kinds, in the words of users. */
const kinds = [
  ["AdminNetworkPolicy", "ovnkube_controller_admin_network_policies"],
  ["BaselineAdminNetworkPolicy", "ovnkube_controller_baseline_admin_network_policies"],
  ["ClusterNetworkPolicy", "northgate_cluster_network_policies"],
  ["NetworkPolicy", "northgate_network_policies"],
] as const;

/** What a rule is known by. */
const rule = "group, kind, namespace, policy, direction, rule";
const ofRules = (expr: string): readonly PanelQuery[] =>
  one(expr, "{{kind}} {{namespace}}/{{policy}} {{direction}}[{{rule}}]");

export const dashboardRows: readonly DashboardRow[] = [
  {
    title: "Now",
    panels: [
      stat("Ready", "Instances whose /readyz answers 200.", "sum(northgate_ready{$})", { below: 1 }),
      stat("Writers", "One for each database.", "sum(northgate_leader{$})", { below: 1 }),
      stat("Databases reached", "Instances with a filled cache.", "sum(northgate_nb_connected{$})", {
        below: 1,
      }),
      stat(
        "Not in force",
        "Policies that are not in force as written, as the writers count them.",
        "sum(northgate_policies_not_in_force{$} and on (job, instance) northgate_leader{$} == 1)",
        { from: 1 },
      ),
      stat(
        "Fought over",
        "Policies whose rows another program writes too.",
        "sum(northgate_contested_policies{$})",
        {
          from: 1,
        },
      ),
      stat(
        "Oldest change waits",
        "How long the oldest change that is not worked on has waited.",
        "max(northgate_queue_oldest_seconds{$})",
        { from: 60 },
        "s",
      ),
    ],
  },
  {
    title: "Policies",
    panels: [
      lines(
        "Policies in force",
        "The database acknowledged rows for them, by kind. 0 while nobody writes: what the rows say stays in force all the same.",
        "short",
        kinds.map(([kind, family]) => ({ expr: `max(${family}{$})`, legend: kind })),
      ),
      lines(
        "Rules in force",
        "By kind.",
        "short",
        kinds.map(([kind, family]) => ({
          expr: `max(sum by (instance) (${family}_rules{$}))`,
          legend: kind,
        })),
      ),
      lines(
        "Not in force as written",
        "By reason, as the writers count them. Pending for a moment is the way of an edit; what stays is to be looked at.",
        "short",
        one(
          "sum by (reason) (northgate_policies_not_in_force{$} and on (job, instance) northgate_leader{$} == 1)",
          "{{reason}}",
        ),
      ),
      lines(
        "New findings",
        "Findings in objects that were first reported within five minutes, by code.",
        "short",
        one("sum by (code) (increase(northgate_problems_total{$}[5m]))", "{{code}}"),
      ),
    ],
  },
  {
    title: "Rows",
    panels: [
      lines(
        "Rows in the cache",
        "Our rows and every logical switch port.",
        "short",
        one("max by (table) (northgate_nb_cache_rows{$})", "{{table}}"),
      ),
      lines(
        "Operations acknowledged",
        "By table and kind; 0 while nothing changes.",
        "ops",
        one(
          "sum by (table, op) (rate(northgate_nb_operations_total{$}[$__rate_interval]))",
          "{{op}} {{table}}",
        ),
      ),
      lines(
        "Rows put right",
        "Policies whose rows were written without an edit, within five minutes.",
        "short",
        [
          { expr: "sum(increase(northgate_drift_repairs_total{$}[5m]))", legend: "changed by others" },
          { expr: "sum(increase(northgate_sweeps_total{$}[5m]))", legend: "of no policy" },
          { expr: "sum(increase(northgate_takeovers_total{$}[5m]))", legend: "of an earlier run" },
        ],
      ),
      lines(
        "Who writes",
        "1: this instance writes. One of those with the same database does.",
        "short",
        one("northgate_leader{$}"),
      ),
    ],
  },
  {
    title: "Speed",
    panels: [
      lines(
        "A pass of the loop",
        "From the first fact read to the end of its commit.",
        "s",
        quantiles("northgate_reconcile_duration_seconds"),
      ),
      lines(
        "A transaction",
        "From sending it to its acknowledgement: the database's time.",
        "s",
        quantiles("northgate_commit_duration_seconds"),
      ),
      lines("Waiting", "Objects that wait to be looked at.", "short", one("northgate_queue_depth{$}")),
      lines("The oldest waits", "0 when none waits.", "s", one("northgate_queue_oldest_seconds{$}")),
    ],
  },
  {
    title: "The process",
    panels: [
      lines(
        "Processor",
        "Of one core; the loop has one thread.",
        "percentunit",
        one("rate(process_cpu_seconds_total{$}[$__rate_interval])"),
      ),
      lines("Memory", "Resident, and used of the heap.", "bytes", [
        { expr: "process_resident_memory_bytes{$}", legend: "{{instance}} resident" },
        { expr: "nodejs_heap_size_used_bytes{$}", legend: "{{instance}} heap" },
      ]),
      lines(
        "Event loop held up",
        "99 of 100 turns are less late than this.",
        "s",
        one("nodejs_eventloop_lag_p99_seconds{$}"),
      ),
      lines("Starts and reconnects", "Within half an hour.", "short", [
        { expr: "sum(changes(process_start_time_seconds{$}[30m]))", legend: "starts" },
        { expr: "sum(increase(northgate_nb_reconnects_total{$}[30m]))", legend: "reconnects" },
        {
          expr: 'sum(increase(northgate_election_transactions_total{$,kind="claim"}[30m]))',
          legend: "claims to write",
        },
      ]),
    ],
  },
  {
    title: "API server (--source kube)",
    panels: [
      lines(
        "Objects held",
        "By resource.",
        "short",
        one("max by (resource) (northgate_source_objects{$})", "{{resource}}"),
      ),
      lines(
        "Resources listed",
        "1 once it has been; a 0 keeps the instance from being ready.",
        "short",
        one("min by (resource) (northgate_source_synced{$})", "{{resource}}"),
      ),
      lines("Requests", "Lists and watches sent, and watches that began.", "ops", [
        { expr: "sum(rate(northgate_source_requests_total{$}[$__rate_interval]))", legend: "requests" },
        { expr: "sum(rate(northgate_source_watches_total{$}[$__rate_interval]))", legend: "watches" },
      ]),
      lines(
        "Conditions and events",
        "What became of writes to the API server.",
        "ops",
        one(
          "sum by (kind, outcome) (rate(northgate_writes_total{$}[$__rate_interval]))",
          "{{kind}} {{outcome}}",
        ),
      ),
    ],
  },
  {
    title: "Rules on nodes (northgate observe-node)",
    panels: [
      lines(
        "Packets denied",
        "Of the ten rules that deny most, in a second; each packet of a client that tries again counts.",
        "ops",
        ofRules(
          `topk(10, sum by (${rule}) (rate(northgate_rule_packets_total{$,action=~"deny|reject"}[$__rate_interval])))`,
        ),
      ),
      lines(
        "Packets allowed",
        "Of the ten rules that allow most, in a second.",
        "ops",
        ofRules(
          `topk(10, sum by (${rule}) (rate(northgate_rule_packets_total{$,action="allow"}[$__rate_interval])))`,
        ),
      ),
      lines(
        "Rules without a packet",
        "Of those that nodes count: no packet since the readers began. northgate lint --hits names them.",
        "short",
        one(`count(sum by (${rule}) (northgate_rule_packets_total{$}) == 0)`, "rules"),
      ),
      lines(
        "Samples by what became of them",
        "While a program watches. What is lost is missing in northgate observe, not in the counts.",
        "ops",
        one("sum by (result) (rate(northgate_samples_total{$}[$__rate_interval]))", "{{result}}"),
      ),
      lines(
        "Last reading of the switch",
        "How long ago; -1: none yet.",
        "s",
        one("northgate_switch_reading_age_seconds{$}"),
      ),
    ],
  },
];

/** The panel of this title. Throws where there is none. */
export function panelNamed(title: string): DashboardPanel {
  const panel = dashboardRows.flatMap(({ panels }) => panels).find((one) => one.title === title);
  if (panel === undefined) throw new Error(`the dashboard has no panel ${title}`);
  return panel;
}
