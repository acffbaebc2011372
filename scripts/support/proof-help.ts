// What `make proof HELP=1` prints.

export const proofHelp = `make proof [WORLDS=1000] [SEED=…] [NETWORK_POLICY=others] [ANTREA=no] [CALICO=no] [NAMES=no] [SAMPLES=no] [ZONE=no]
           [NAMED_PORTS=list] [ADDRESS_SETS=rule] [LABORATORIES=2] [BACKEND=ovn]

Judges random worlds of policies, pods and packets: the meaning of the policies against the rows, against ovn-trace, and against
packets through a real datapath (docs/correctness.md). Prints progress, and one line that sums up.

  WORLDS          how many; a world has 128 packets
  SEED            makes the same run again; printed when it is not given
  NETWORK_POLICY  whose the rows of NetworkPolicies are: others, as beside OVN-Kubernetes, or ours; with CALICO=yes ours unless given
  ANTREA          yes: Antrea's kinds beside all others
  CALICO          yes: Calico's kinds in one stack (--policy-model calico), and walks of changes
  NAMES           yes: rules of domain names, as DNS answered
  SAMPLES         yes: rows with samples, which must name the rules that packets meet
  ZONE            yes: the rows of one node (--zone)
  NAMED_PORTS     list or sets, as --named-ports
  ADDRESS_SETS    rule or shared, as --address-sets
  LABORATORIES    databases that share the worlds, each with a seed of its own, counted up from SEED
  BACKEND         ovn, iptables or nftables: what enforces the policies. Not ovn: packets between network namespaces; needs root

Exit codes: 0 the judges agree, 1 they do not, 2 an argument is wrong, 3 this machine lacks what it needs.
`;
