{{/* What selects its pods. One release a cluster: the names are fixed. */}}
{{- define "northgate.selector" -}}
app.kubernetes.io/name: northgate
{{- end }}

{{- define "northgate.labels" -}}
{{ include "northgate.selector" . }}
{{ include "northgate.release" . }}
{{- end }}

{{- define "northgate.release" -}}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "northgate.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{- define "northgate.kind" -}}
{{ ternary "Deployment" "DaemonSet" (eq .Values.mode "central") }}
{{- end }}

{{- define "northgate.account" -}}
- kind: ServiceAccount
  name: northgate
  namespace: {{ .Release.Namespace }}
{{- end }}

{{/* Whether the DNS servers send what they answer. */}}
{{- define "northgate.dnstap" -}}
{{ eq (.Values.settings.names | default "off") "dnstap" }}
{{- end }}

{{/* The user of the pods. */}}
{{- define "northgate.user" -}}
{{- if kindIs "invalid" .Values.runAsUser }}{{ ternary 65532 0 (eq .Values.mode "central") }}{{ else }}{{ int .Values.runAsUser }}{{ end }}
{{- end }}

{{/* Which values have no meaning in the mode: settings of what it does not write, and a database where there is none. */}}
{{- define "northgate.check-mode" -}}
{{- $ofRows := list "named-ports" "address-sets" "anp-priorities" "observe" "observe-set-id" "observe-percent" "wait" "wait-timeout" "antrea-log-severity" "antrea-persist-established" }}
{{- $ofFilter := list "deny" "established" "ip-range" "iptables" "mark" "nflog-group" "node-addresses" }}
{{- $filter := eq .Values.mode "netfilter" }}
{{- if and (eq (include "northgate.dnstap" .) "true") (ne .Values.mode "central") }}
{{- fail (printf "settings.names: dnstap: in mode %s each pod would need all answers, and a DNS server sends them to one: choose poll, or mode central" .Values.mode) }}
{{- end }}
{{- if .Values.observeNode.enabled }}
{{- if ne .Values.mode "node" }}
{{- fail (printf "observeNode.enabled: in mode %s no node has databases of OVN of its own: manifests/components/observe-node says how a reader names central ones" .Values.mode) }}
{{- else if .Values.nb.remotes }}
{{- fail "observeNode.enabled: has no meaning with nb.remotes: the reader asks the sockets in nb.hostPath" }}
{{- end }}
{{- end }}
{{- range ternary $ofRows $ofFilter $filter }}
{{- if hasKey $.Values.settings . }}
{{- fail (printf "settings.%s: has no meaning in mode %s, which writes %s" . $.Values.mode (ternary "no rows of OVN" "no packet filter" $filter)) }}
{{- end }}
{{- end }}
{{- if $filter }}
{{- range $name := list "remotes" "tlsSecret" }}
{{- if index $.Values.nb $name }}
{{- fail (printf "nb.%s: has no meaning in mode netfilter, which has no database" $name) }}
{{- end }}
{{- end }}
{{- if eq .Values.netfilter.tool "nftables" }}
{{- range list "iptables" "mark" }}
{{- if hasKey $.Values.settings . }}
{{- fail (printf "settings.%s: has no meaning with netfilter.tool nftables" .) }}
{{- end }}
{{- end }}
{{- end }}
{{- if ne (include "northgate.user" .) "0" }}
{{- fail (printf "runAsUser: %s: in mode netfilter the tools ask for root, 0" (include "northgate.user" .)) }}
{{- end }}
{{- end }}
{{- end }}

{{/* What does not go with Calico's model: the program would end. */}}
{{- define "northgate.check-model" -}}
{{- if eq (toString .Values.policyModel) "calico" }}
{{- if eq .Values.mode "netfilter" }}{{ fail "policyModel: calico: has no meaning in mode netfilter, whose packet filter has no tiers of Calico" }}{{ end }}
{{- if .Values.followAntreaPolicy }}{{ fail "policyModel: calico: followAntreaPolicy has no place among Calico's tiers" }}{{ end }}
{{- else }}
{{- range list "calico-api" "calico-tier-zero" }}
{{- if hasKey $.Values.settings . }}{{ fail (printf "settings.%s: has no meaning without policyModel: calico" .) }}{{ end }}
{{- end }}
{{- end }}
{{- end }}

{{/* What no schema says in a clear sentence: each pod can reach the database that is meant, and in mode node only its own node's. */}}
{{- define "northgate.check" -}}
{{- include "northgate.check-mode" . }}
{{- include "northgate.check-model" . }}
{{- $node := eq .Values.mode "node" }}
{{- range compact (splitList "," .Values.nb.remotes) }}
{{- if and (hasPrefix "unix:" .) (not $node) }}
{{- fail (printf "nb.remotes: %s: in mode central no folder of a node is mounted, so that no socket can be reached: name the database by tcp: or ssl:" .) }}
{{- else if and (hasPrefix "unix:" .) (not (hasPrefix (printf "unix:%s/" (trimSuffix "/" $.Values.nb.hostPath)) .)) }}
{{- fail (printf "nb.remotes: %s: only nb.hostPath, %s, is mounted: set it to the socket's folder" . $.Values.nb.hostPath) }}
{{- else if and $node (not (hasPrefix "unix:" .)) (not (regexMatch "^(tcp|ssl):(127[.][0-9.]+|\\[::1\\]|\\$\\(NODE_IP\\)|\\[\\$\\(NODE_IP\\)\\]):[0-9]+$" .)) }}
{{- fail (printf "nb.remotes: %s: in mode node each pod writes the rows of its own node alone, and this is the same database for all of them: name each node's own by unix:, 127.0.0.1, [::1] or $(NODE_IP), or choose mode central" .) }}
{{- end }}
{{- end }}
{{- end }}

{{/* What `run` and `cleanup` have in common: the settings, and the files that they name. */}}
{{- define "northgate.surroundings" -}}
env:
  - name: NORTHGATE_LOG_FORMAT
    value: {{ index .Values.settings "log-format" | default "json" | quote }}
  {{- if contains "$(NODE_IP)" .Values.nb.remotes }}
  - name: NODE_IP
    valueFrom: { fieldRef: { apiVersion: v1, fieldPath: status.hostIP } }
  {{- end }}
  {{- if eq .Values.mode "netfilter" }}
  - { name: NORTHGATE_BACKEND, value: {{ .Values.netfilter.tool }} }
  {{- else }}
  - name: NORTHGATE_NB
    value: {{ .Values.nb.remotes | default (printf "unix:%s/ovnnb_db.sock" .Values.nb.hostPath) | quote }}
  {{- end }}
  {{- if ne .Values.mode "central" }}
  - name: NORTHGATE_ZONE
    valueFrom: { fieldRef: { apiVersion: v1, fieldPath: spec.nodeName } }
  {{- end }}
  {{- if .Values.nb.tlsSecret }}
  - { name: NORTHGATE_NB_PRIVATE_KEY, value: /etc/northgate/nb/tls.key }
  - { name: NORTHGATE_NB_CERTIFICATE, value: /etc/northgate/nb/tls.crt }
  - { name: NORTHGATE_NB_CA_CERT, value: /etc/northgate/nb/ca.crt }
  {{- end }}
  {{- if .Values.followNetworkPolicy }}
  - { name: NORTHGATE_ENABLE_NETWORK_POLICY, value: "true" }
  {{- end }}
  {{- if .Values.followAntreaPolicy }}
  - { name: NORTHGATE_ENABLE_ANTREA_POLICY, value: "true" }
  {{- end }}
  {{- if eq (toString .Values.policyModel) "calico" }}
  - { name: NORTHGATE_POLICY_MODEL, value: calico }
  {{- /* In this model it has to be said: the rows of every kind depend on it. */}}
  {{- if not .Values.followNetworkPolicy }}
  - { name: NORTHGATE_ENABLE_NETWORK_POLICY, value: "false" }
  {{- end }}
  {{- end }}
  {{- if eq .Values.metrics.auth "token" }}
  - { name: NORTHGATE_METRICS_BIND_ADDRESS, value: "[::]:{{ .Values.metrics.port }}" }
  - { name: NORTHGATE_METRICS_AUTH, value: token }
  - { name: NORTHGATE_METRICS_CERT, value: /etc/northgate/metrics/tls.crt }
  - { name: NORTHGATE_METRICS_KEY, value: /etc/northgate/metrics/tls.key }
  {{- else }}
  - { name: NORTHGATE_METRICS_BIND_ADDRESS, value: "127.0.0.1:{{ .Values.metrics.port }}" }
  {{- end }}
  {{- if eq (include "northgate.dnstap" .) "true" }}
  - { name: NORTHGATE_NAMES_BIND_ADDRESS, value: "[::]:{{ .Values.names.port }}" }
  {{- if .Values.names.tlsSecret }}
  - { name: NORTHGATE_NAMES_TLS_CERT, value: /etc/northgate/names/tls.crt }
  - { name: NORTHGATE_NAMES_TLS_KEY, value: /etc/northgate/names/tls.key }
  {{- end }}
  {{- end }}
  {{- range $flag, $value := omit .Values.settings "log-format" }}
  - name: NORTHGATE_{{ $flag | upper | replace "-" "_" }}
    value: {{ $value | quote }}
  {{- end }}
volumeMounts:
  {{- if eq .Values.mode "node" }}
  - { name: ovn, mountPath: {{ .Values.nb.hostPath | quote }}, readOnly: true }
  {{- else if eq .Values.mode "netfilter" }}
  - { name: xtables-lock, mountPath: /run/xtables.lock }
  {{- end }}
  {{- if .Values.nb.tlsSecret }}
  - { name: nb, mountPath: /etc/northgate/nb, readOnly: true }
  {{- end }}
  {{- if eq .Values.metrics.auth "token" }}
  - { name: metrics, mountPath: /etc/northgate/metrics, readOnly: true }
  {{- end }}
  {{- if and (eq (include "northgate.dnstap" .) "true") .Values.names.tlsSecret }}
  - { name: names, mountPath: /etc/northgate/names, readOnly: true }
  {{- end }}
image: {{ include "northgate.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
resources: {{- toYaml .Values.resources | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL]{{ if eq .Values.mode "netfilter" }}, add: [NET_ADMIN, NET_RAW]{{ end }} }
{{- end }}

{{/* On loopback only the node itself can ask. */}}
{{- define "northgate.probe" -}}
port: metrics
{{- if eq .Values.metrics.auth "token" }}
scheme: HTTPS
{{- else }}
host: 127.0.0.1
{{- end }}
{{- end }}
