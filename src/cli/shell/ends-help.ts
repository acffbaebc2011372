// What --from and --to take, for the help of every command that has them.

export const endsHelp =
  "Ends:\n" +
  "  NAMESPACE/POD, NAMESPACE/POD@ADDRESS   a pod, or one of its addresses\n" +
  "  NAMESPACE/KIND/NAME                    KIND: deploy, sts, ds, rs, job, cj (its pods; its template where there are none), pod\n" +
  "  NAMESPACE/svc/NAME[:PORT]              the pods behind a Service, each at the port that the Service's port leads to\n" +
  "  KIND/NAME                              the same in the namespace of -n\n" +
  "  node/NAME, ADDRESS                     a node, an address; an address of a pod is that pod\n" +
  "Many ends have one answer, by groups of what the same rules decide:\n" +
  "  NAMESPACE/*, NAMESPACE/[SELECTOR]      pods and workloads of a namespace; * for NAMESPACE: of every one\n" +
  "  CIDR, internet                         its addresses, an address of a pod being that pod; what is globally reachable\n";
