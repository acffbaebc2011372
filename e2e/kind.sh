#!/bin/bash
# kind.sh [--keep]: Northgate's image and manifests on a kind cluster, checked with kubectl alone. Needs docker, kind and
# kubectl on the PATH and images from public registries. Makes the cluster of kind-config.yaml, which must not exist yet,
# and deletes it at the end unless --keep is given. No CNI in it speaks OVN: a Northbound server runs on the control plane's
# node, whose rows are what is checked; packets are not. Exit codes: 0 every check passed, 1 one failed, 2 wrong usage,
# 3 something is missing on this machine.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")/.." && pwd)
cluster=northgate
image=northgate:0.1.0
ovn_image=northgate-e2e-ovn:1
pause=registry.k8s.io/pause:3.10
keep=no

say() { printf 'kind: %s\n' "$*" >&2; }
case "${1:-}" in
  "") ;;
  --keep) keep=yes ;;
  *) say "usage: kind.sh [--keep]"; exit 2 ;;
esac
for program in docker kind kubectl; do
  command -v "$program" > /dev/null || { say "$program is needed"; exit 3; }
done
docker info > /dev/null 2>&1 || { say "no Docker engine answers"; exit 3; }
if kind get clusters 2> /dev/null | grep -qx "$cluster"; then
  say "a cluster $cluster exists already: kind delete cluster --name $cluster"
  exit 1
fi

config=$(mktemp)
finish() {
  code=$?
  if [ "$code" != 0 ]; then kubectl -n northgate-system logs daemonset/northgate --tail=50 >&2 || :; fi
  if [ "$keep" = no ]; then kind delete cluster --name "$cluster" >&2 || :; fi
  rm -rf "$config" "${overlay:-}"
  exit "$code"
}
trap finish EXIT
export KUBECONFIG=$config

say "building images"
docker build --quiet --tag "$image" "$here"
docker build --quiet --tag "$ovn_image" - <<'DOCKERFILE'
FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ovn-central && rm -rf /var/lib/apt/lists/*
DOCKERFILE

say "making the cluster"
kind create cluster --config "$here/kind-config.yaml" --kubeconfig "$config" --wait 180s
kind load docker-image --name "$cluster" "$image" "$ovn_image"

say "starting a Northbound database"
kubectl apply -f - <<'YAML'
apiVersion: v1
kind: Pod
metadata:
  name: northbound
  namespace: kube-system
spec:
  nodeSelector: { node-role.kubernetes.io/control-plane: "" }
  tolerations: [{ operator: Exists }]
  containers:
    - name: northbound
      image: northgate-e2e-ovn:1
      command: [sh, -c]
      args:
        - >-
          ovsdb-tool create /tmp/nb.db /usr/share/ovn/ovn-nb.ovsschema &&
          exec ovsdb-server /tmp/nb.db --remote=punix:/var/run/ovn/ovnnb_db.sock --unixctl=/tmp/nb.ctl
      readinessProbe:
        exec: { command: [ovn-nbctl, --timeout=5, show] }
      volumeMounts: [{ name: ovn, mountPath: /var/run/ovn }]
  volumes: [{ name: ovn, hostPath: { path: /var/run/openvswitch, type: DirectoryOrCreate } }]
YAML
kubectl -n kube-system wait --for=condition=Ready pod/northbound --timeout=120s
nbctl() { kubectl -n kube-system exec northbound -- ovn-nbctl --timeout=30 "$@"; }

say "deploying Northgate"
# One database for the whole cluster, on the control-plane node's socket: the DaemonSet on that node alone, without a zone.
overlay=$(mktemp -d)
cp -r "$here/manifests" "$overlay/manifests"
cat > "$overlay/kustomization.yaml" << 'YAML'
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [manifests/overlays/ovn-kubernetes]
patches:
  - target: { kind: DaemonSet, name: northgate }
    patch: |
      apiVersion: apps/v1
      kind: DaemonSet
      metadata: { name: northgate }
      spec:
        template:
          spec:
            nodeSelector: { node-role.kubernetes.io/control-plane: "" }
            containers: [{ name: northgate, env: [{ name: NORTHGATE_ZONE, $patch: delete }] }]
YAML
kubectl create -k "$here/manifests/crds"
kubectl wait --for=condition=Established --timeout=60s -f "$here/manifests/crds/adminnetworkpolicies.yaml" \
  -f "$here/manifests/crds/baselineadminnetworkpolicies.yaml"
kubectl apply -k "$overlay"
kubectl -n northgate-system rollout status daemonset/northgate --timeout=180s

# check WHAT COMMAND...: until the command says yes, for at most a minute.
check() {
  local what=$1 end=$((SECONDS + 60))
  shift
  until "$@" > /dev/null 2>&1; do
    if [ "$SECONDS" -ge "$end" ]; then say "FAILED: $what"; "$@" >&2 || :; exit 1; fi
    sleep 1
  done
  say "ok: $what"
}
ready() { # KIND/NAME: its condition is True for its present generation
  local said
  said=$(kubectl get "$1" -o jsonpath='{.metadata.generation} {.status.conditions[?(@.type=="Ready-In-Zone-global")].observedGeneration} {.status.conditions[?(@.type=="Ready-In-Zone-global")].status}')
  [[ $said =~ ^([0-9]+)\ \1\ True$ ]]
}
acls() { nbctl --bare --columns=_uuid find ACL "external_ids:\"k8s.ovn.org/owner-type\"=$1" | grep -c .; }
has_acls() { [ "$(acls "$1" || :)" = "$2" ]; }
matched() { nbctl --bare --columns=match find ACL "name=\"$1\"" | grep -qF -- "$2"; }
is_in_set() { [ -n "$(nbctl --bare --columns=name find Address_Set "addresses{>=}\"$1\"")" ]; }
is_in_no_set() { ! is_in_set "$1"; }
event_of() { kubectl describe anp "$1" | grep -q "$2"; }

kubectl apply -f "$here/examples/cluster-control/cluster/namespaces.yaml" -f "$here/examples/cluster-control/policies"
check "cluster-control is ready" ready anp/cluster-control
check "the baseline is ready" ready banp/default
check "12 ACLs as documented" has_acls AdminNetworkPolicy 12
check "2 ACLs of the baseline" has_acls BaselineAdminNetworkPolicy 2

kubectl -n restricted run walker --image="$pause" --labels=app=restricted
kubectl -n restricted wait --for=condition=Ready pod/walker --timeout=120s
for ip in $(kubectl -n restricted get pod walker -o jsonpath='{.status.podIPs[*].ip}'); do
  check "the pod's address $ip is in a set" is_in_set "$ip"
done
kubectl -n restricted delete pod walker --wait
check "it leaves with the pod" is_in_no_set "$ip"

kubectl patch anp cluster-control --type=json \
  -p '[{"op": "replace", "path": "/spec/ingress/1/ports/0/portNumber/port", "value": 7565}]'
check "an edited port is in the match" matched "ANP:cluster-control:Ingress:1" "tcp.dst==7565"
check "and is ready again" ready anp/cluster-control

kubectl patch anp cluster-control --type=merge -p '{"spec": {"priority": 100}}'
check "an unsupported priority is told by an event" event_of cluster-control ANPWithUnsupportedPriority
kubectl patch anp cluster-control --type=merge -p '{"spec": {"priority": 34}}'
check "and ready when it is repaired" ready anp/cluster-control

rows=$(nbctl --bare --columns=_uuid list ACL | sort)
kubectl -n northgate-system rollout restart daemonset/northgate
kubectl -n northgate-system rollout status daemonset/northgate --timeout=180s
unchanged() { [ "$(nbctl --bare --columns=_uuid list ACL | sort)" = "$rows" ]; }
check "a restart leaves every row as it is" unchanged

kubectl delete -k "$overlay"
check "the removal leaves the policies" kubectl get anp/cluster-control banp/default
kubectl apply -k "$overlay"
kubectl -n northgate-system rollout status daemonset/northgate --timeout=180s
check "and every row" unchanged

kubectl delete anp,banp --all
check "deleted policies leave no row" has_acls AdminNetworkPolicy 0
check "nor does the baseline" has_acls BaselineAdminNetworkPolicy 0
say "every check passed"
