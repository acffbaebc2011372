// The downward API: what a container's environment may say of its own pod. It refuses every other source of a value.

package main

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
)

func (p *podRun) field(variable v1.EnvVar) (string, error) {
	if variable.ValueFrom.FieldRef == nil {
		return "", fmt.Errorf("env %s: only a fieldRef can be a value's source here", variable.Name)
	}
	path := variable.ValueFrom.FieldRef.FieldPath
	for prefix, values := range map[string]map[string]string{
		"metadata.labels['": p.pod.Labels, "metadata.annotations['": p.pod.Annotations,
	} {
		if name, found := strings.CutPrefix(path, prefix); found {
			return values[strings.TrimSuffix(name, "']")], nil
		}
	}
	value, known := map[string]string{
		"metadata.name":           p.pod.Name,
		"metadata.namespace":      p.pod.Namespace,
		"metadata.uid":            string(p.pod.UID),
		"spec.nodeName":           p.pod.Spec.NodeName,
		"spec.serviceAccountName": p.pod.Spec.ServiceAccountName,
		"status.hostIP":           p.node.spec.InternalIPs[0],
		"status.hostIPs":          strings.Join(p.node.spec.InternalIPs, ","),
		"status.podIP":            p.ips[0],
		"status.podIPs":           strings.Join(p.ips, ","),
	}[path]
	if !known {
		return "", fmt.Errorf("env %s: the node agent does not know the field %s", variable.Name, path)
	}
	return value, nil
}
