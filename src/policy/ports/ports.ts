// Ports of one end of a connection, as rules name them: values of the IR without variants.

/** start <= port <= end. */
export interface PortRange {
  readonly start: number;
  readonly end: number;
}

/** Ports of a connection's source. */
export interface SourceRange extends PortRange {
  /** A part of what a rule leaves of all ports by naming some that it does not mean: a port that no rule names is among these. */
  readonly isRest?: true;
}

/** Ports by number, and by the names under which the pod at that end declares them. */
export interface PortList {
  readonly ranges: readonly PortRange[];
  readonly names: readonly string[];
}

/** Any of the ports, and none of `except`. */
export interface EndPorts extends PortList {
  readonly except: PortList;
}
