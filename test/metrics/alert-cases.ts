// When each alert fires, and worlds in which none does, as series that promtool plays: minute by minute, for an hour. A series
// that a case does not name is as in the healthy world.

/** Series to their values, in promtool's notation: "1x60" is 1 for an hour, "0+1x60" grows by 1 each minute. */
type World = Readonly<Record<string, string>>;

export interface AlertCase {
  readonly alert: string;
  /** What differs from the healthy world; null: the series is not there. */
  readonly fires: Readonly<Record<string, string | null>>;
  /** The minute by which it fires; one that it has not fired yet is `notAt`. */
  readonly at: number;
  readonly notAt: number;
  /** What looks like it and must not fire: shorter, fewer, or of an instance that stands by. */
  readonly quiet: Readonly<Record<string, string | null>>;
}

const hour = (value: number): string => `${value}x60`;
const growing = (each: number): string => `0+${each}x60`;
/** A value for some minutes of the hour, and another before and after. */
const during = (from: number, minutes: number, value: number, otherwise: number): string =>
  `${otherwise}x${from - 1} ${value}x${minutes - 1} ${otherwise}x${59 - from - minutes + 1}`;

function ofReader(name: string, result: string | null = null): string {
  const labels = result === null ? "" : `,result="${result}"`;
  return `${name}{job="northgate-system/northgate-observe-node"${labels}}`;
}

/** An instance that writes, and has nothing to tell. */
export const healthy: World = {
  up: hour(1),
  northgate_build_info: hour(1),
  process_start_time_seconds: hour(1000),
  northgate_ready: hour(1),
  northgate_nb_connected: hour(1),
  northgate_held_back: hour(0),
  northgate_leader: hour(1),
  northgate_standby: hour(0),
  // A change now and then; one that waits is taken within seconds.
  northgate_queue_oldest_seconds: "0 2 0 0 5 0x55",
  nodejs_eventloop_lag_p99_seconds: "0.02x60",
  'northgate_policies_not_in_force{reason="RowRefused"}': hour(0),
  // A new policy a quarter past: acknowledged by the next scrape.
  'northgate_policies_not_in_force{reason="Pending"}': during(15, 1, 1, 0),
  'northgate_policies_not_in_force{reason="PodsNotConnected"}': hour(0),
  'northgate_policies_not_in_force{reason="InvalidField"}': hour(0),
  'northgate_missing_kind_policies{crd="adminnetworkpolicies.policy.networking.k8s.io"}': hour(0),
  // Names that a new policy has, until the first answer.
  northgate_names_unresolved: during(15, 2, 1, 0),
  northgate_names_servers_away: hour(0),
  northgate_names_taps_away: hour(0),
  'northgate_names_refused_total{reason="loopback"}': hour(0),
  'northgate_names_limited_total{limit="addresses of a name"}': hour(0),
  northgate_contested_policies: hour(0),
  'northgate_election_transactions_total{kind="claim"}': hour(1),
  'northgate_election_transactions_total{kind="renewal"}': growing(15),
  northgate_drift_repairs_total: "0x20 1x40",
  northgate_nb_reconnects_total: "0x20 1x40",
  'northgate_commit_duration_seconds_bucket{le="0.1"}': growing(10),
  'northgate_commit_duration_seconds_bucket{le="10"}': growing(10),
  'northgate_commit_duration_seconds_bucket{le="+Inf"}': growing(10),
  'northgate_writes_total{kind="status",outcome="failed"}': hour(0),
  // The reader of a node, as a target of its own; one record in fifty is lost.
  [ofReader("up")]: hour(1),
  [ofReader("northgate_build_info")]: hour(1),
  [ofReader("northgate_switch_reading_age_seconds")]: "3 14 8 0x57",
  [ofReader("northgate_samples_total", "read")]: growing(60_000),
  [ofReader("northgate_samples_total", "lost")]: growing(1_200),
};

/** Other worlds in which nobody is to be called. */
export const alsoHealthy: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  "stands by: nothing of its own is confirmed": {
    northgate_leader: hour(0),
    northgate_standby: hour(1),
    'northgate_policies_not_in_force{reason="Pending"}': hour(7),
    'northgate_election_transactions_total{kind="claim"}': hour(0),
    'northgate_election_transactions_total{kind="renewal"}': hour(0),
  },
  "stands by, and no DNS server sends it what it answers": {
    northgate_leader: hour(0),
    northgate_standby: hour(1),
    northgate_names_taps_away: hour(2),
    northgate_names_unresolved: hour(1),
    'northgate_election_transactions_total{kind="claim"}': hour(0),
    'northgate_election_transactions_total{kind="renewal"}': hour(0),
  },
  "has policies in force in part, of which alerts about names speak": {
    'northgate_policies_not_in_force{reason="NameNotResolved"}': hour(1),
    'northgate_policies_not_in_force{reason="NameSourceAway"}': hour(1),
  },
  "is switched off: nothing is followed, and it says ready": {
    northgate_nb_connected: hour(0),
    northgate_leader: hour(0),
    'northgate_election_transactions_total{kind="claim"}': hour(0),
  },
  "is upgraded: away for two minutes, then another process, another version": {
    up: during(20, 2, 0, 1),
    northgate_build_info: `${hour(1).replace("60", "18")} _x1 1x39`,
    process_start_time_seconds: "1000x20 2200x39",
    northgate_nb_connected: during(20, 2, 0, 1),
    northgate_ready: during(20, 3, 0, 1),
  },
};

const pending = 'northgate_policies_not_in_force{reason="Pending"}';
const refused = 'northgate_policies_not_in_force{reason="RowRefused"}';
const claims = 'northgate_election_transactions_total{kind="claim"}';
const missing = 'northgate_missing_kind_policies{crd="adminnetworkpolicies.policy.networking.k8s.io"}';
const failed = 'northgate_writes_total{kind="status",outcome="failed"}';
const unconnected = 'northgate_policies_not_in_force{reason="PodsNotConnected"}';
const invalid = 'northgate_policies_not_in_force{reason="InvalidField"}';
const refusedAddresses = 'northgate_names_refused_total{reason="loopback"}';
const limited = 'northgate_names_limited_total{limit="addresses of a name"}';
const away = { northgate_ready: hour(0), northgate_nb_connected: hour(0) };

export const alertCases: readonly AlertCase[] = [
  {
    alert: "NorthgateDown",
    fires: { northgate_build_info: null },
    ...{ at: 6, notAt: 4 },
    quiet: { northgate_build_info: "1x10 _x3 1x45" },
  },
  {
    alert: "NorthgateTargetDown",
    fires: { up: hour(0) },
    ...{ at: 11, notAt: 9 },
    quiet: { up: during(10, 9, 0, 1) },
  },
  {
    alert: "NorthgateNotReady",
    fires: { northgate_ready: hour(0) },
    ...{ at: 11, notAt: 9 },
    // The database's absence and an empty source have alerts of their own.
    quiet: away,
  },
  {
    alert: "NorthgateSourceLost",
    fires: { 'northgate_source_last_contact_seconds{resource="pods"}': "0+60x60" },
    ...{ at: 5, notAt: 1 },
    // Probes in a quiet cluster; an API server that is away for a moment.
    quiet: { 'northgate_source_last_contact_seconds{resource="pods"}': "3x10 63 5x48" },
  },
  {
    alert: "NorthgateNorthboundUnreachable",
    fires: away,
    ...{ at: 6, notAt: 4 },
    quiet: { northgate_nb_connected: during(10, 4, 0, 1), northgate_ready: during(10, 4, 0, 1) },
  },
  {
    alert: "NorthgateHeldBack",
    fires: { northgate_held_back: hour(1), northgate_ready: hour(0) },
    ...{ at: 6, notAt: 4 },
    quiet: { northgate_held_back: during(10, 4, 1, 0), northgate_ready: during(10, 4, 0, 1) },
  },
  {
    alert: "NorthgateNoWriter",
    fires: { northgate_leader: hour(0) },
    ...{ at: 3, notAt: 1 },
    // Between one writer and the next; and without the database, which has an alert of its own.
    quiet: { northgate_leader: during(10, 1, 0, 1), ...away },
  },
  {
    alert: "NorthgateStale",
    fires: { northgate_queue_oldest_seconds: "0+60x60" },
    ...{ at: 5, notAt: 2 },
    quiet: { northgate_queue_oldest_seconds: "0+60x60", ...away },
  },
  {
    alert: "NorthgateRestartLoop",
    fires: { process_start_time_seconds: "0+60x60" },
    ...{ at: 5, notAt: 2 },
    quiet: { process_start_time_seconds: "1000x10 1600x10 2200x39" },
  },
  {
    alert: "NorthgateEventLoopStalled",
    fires: { nodejs_eventloop_lag_p99_seconds: hour(2) },
    ...{ at: 11, notAt: 9 },
    quiet: { nodejs_eventloop_lag_p99_seconds: during(5, 8, 2, 0) },
  },
  {
    alert: "NorthgateRowsRefused",
    fires: { [refused]: hour(2) },
    ...{ at: 6, notAt: 4 },
    quiet: { [refused]: during(5, 4, 2, 0) },
  },
  {
    alert: "NorthgatePoliciesPending",
    fires: { [pending]: hour(1) },
    ...{ at: 11, notAt: 9 },
    quiet: { [pending]: during(5, 9, 1, 0) },
  },
  {
    alert: "NorthgatePoliciesWithoutEffect",
    fires: { [unconnected]: hour(1) },
    ...{ at: 11, notAt: 9 },
    quiet: { [unconnected]: during(5, 9, 1, 0) },
  },
  {
    alert: "NorthgatePoliciesRejected",
    fires: { [invalid]: hour(1) },
    ...{ at: 11, notAt: 9 },
    quiet: { [invalid]: during(5, 9, 1, 0) },
  },
  {
    alert: "NorthgateMissingKind",
    fires: { [missing]: hour(3) },
    ...{ at: 11, notAt: 9 },
    quiet: { [missing]: during(5, 9, 3, 0) },
  },
  {
    alert: "NorthgateNameSourceAway",
    fires: { northgate_names_servers_away: hour(1) },
    ...{ at: 6, notAt: 4 },
    quiet: { northgate_names_taps_away: during(5, 4, 1, 0) },
  },
  {
    alert: "NorthgateNamesUnresolved",
    fires: { northgate_names_unresolved: hour(1) },
    ...{ at: 16, notAt: 14 },
    quiet: { northgate_names_unresolved: during(5, 14, 1, 0) },
  },
  {
    alert: "NorthgateNamesRefused",
    fires: { [refusedAddresses]: "0x5 1x54" },
    ...{ at: 7, notAt: 4 },
    // It was so once, before this hour.
    quiet: { [refusedAddresses]: hour(3) },
  },
  {
    alert: "NorthgateNamesLimited",
    fires: { [limited]: "0x5 20x54" },
    ...{ at: 7, notAt: 4 },
    quiet: { [limited]: hour(20) },
  },
  {
    alert: "NorthgateContested",
    fires: { northgate_contested_policies: hour(1) },
    ...{ at: 3, notAt: 1 },
    quiet: { northgate_contested_policies: during(5, 1, 1, 0) },
  },
  {
    alert: "NorthgateWriterChanges",
    fires: { [claims]: growing(1) },
    ...{ at: 10, notAt: 3 },
    // Two upgrades in a row.
    quiet: { [claims]: "0x5 1x10 2x44" },
  },
  {
    alert: "NorthgateDriftRepairs",
    fires: { northgate_drift_repairs_total: growing(1) },
    ...{ at: 20, notAt: 5 },
    quiet: { northgate_drift_repairs_total: "0x10 5x20 8x29" },
  },
  {
    alert: "NorthgateReconnects",
    fires: { northgate_nb_reconnects_total: growing(1) },
    ...{ at: 15, notAt: 3 },
    quiet: { northgate_nb_reconnects_total: "0x10 2x20 4x29" },
  },
  {
    alert: "NorthgateCommitsSlow",
    fires: { 'northgate_commit_duration_seconds_bucket{le="0.1"}': hour(0) },
    ...{ at: 20, notAt: 10 },
    // One slow one in some hundreds.
    quiet: { 'northgate_commit_duration_seconds_bucket{le="0.1"}': "0+9.95x60" },
  },
  {
    alert: "NorthgateStatusNotWritten",
    fires: { [failed]: growing(1) },
    ...{ at: 30, notAt: 10 },
    quiet: { [failed]: "0x10 4x49" },
  },
  {
    alert: "NorthgateNodeReaderAway",
    fires: { [ofReader("up")]: hour(0) },
    ...{ at: 11, notAt: 9 },
    quiet: { [ofReader("up")]: during(10, 9, 0, 1) },
  },
  {
    alert: "NorthgateNodeReadingOld",
    fires: { [ofReader("northgate_switch_reading_age_seconds")]: "0+60x60" },
    ...{ at: 14, notAt: 11 },
    // It has started; later a database is away for a while.
    quiet: { [ofReader("northgate_switch_reading_age_seconds")]: "-1x8 5x20 0+60x9 3x20" },
  },
  {
    alert: "NorthgateSamplesLost",
    fires: { [ofReader("northgate_samples_total", "lost")]: growing(4_000) },
    ...{ at: 13, notAt: 9 },
    // A few of a few, and a flood that ends.
    quiet: {
      [ofReader("northgate_samples_total", "read")]: growing(3),
      [ofReader("northgate_samples_total", "lost")]: "0x20 0+2x40",
    },
  },
];
