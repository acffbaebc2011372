// What ovn-kubernetes' AdminNetworkPolicy controller took for the same events, measured once and kept here as numbers: its
// controller at 8871cd9cec9c, Go 1.26, unmodified, one worker as in production, objects from memory, a real ovsdb-server.
// Medians in milliseconds until all rows were right.

export interface PeerFigures {
  readonly coldMs: number;
  readonly quietMs: number;
  readonly peakRssBytes: number;
  /** By kind of event. */
  readonly allMs: Readonly<Record<string, number>>;
  readonly cpuMs: Readonly<Record<string, number>>;
}

export const peer: Readonly<Record<string, PeerFigures>> = {
  W1: {
    coldMs: 930,
    quietMs: 1_700,
    peakRssBytes: 150e6,
    allMs: {
      "pod added": 287,
      "pod deleted": 351,
      "200 pods added": 595,
      "namespace of 20 pods relabelled": 494,
      "policy added": 51,
      "policy deleted": 9,
    },
    cpuMs: {
      "pod added": 355,
      "pod deleted": 407,
      "pod relabelled without effect": 369,
      "200 pods added": 690,
      "namespace of 20 pods relabelled": 448,
    },
  },
  W2: {
    coldMs: 5_200,
    quietMs: 108_000,
    peakRssBytes: 666e6,
    allMs: {
      "pod added": 3_021,
      "pod deleted": 2_272,
      "200 pods added": 4_735,
      "namespace of 20 pods relabelled": 3_034,
      "policy added": 57,
      "policy deleted": 10,
    },
    cpuMs: {
      "pod added": 3_405,
      "pod deleted": 2_613,
      "200 pods added": 6_100,
      "namespace of 20 pods relabelled": 3_252,
    },
  },
  W3: {
    coldMs: 73_000,
    quietMs: 122_000,
    peakRssBytes: 4.9e9,
    allMs: {},
    cpuMs: {},
  },
};

export const peerNote =
  "ovn-kubernetes: its AdminNetworkPolicy controller at 8871cd9cec9c (Go 1.26, unmodified, one worker as in " +
  "production, objects from memory, no API server in the path), the same workloads on the same kind of machine in a " +
  "run of its own. One address set family, one observer. The machine was noisy then as now: compare magnitudes.";
