// Which node a pod without one goes to: the one with the fewest pods among those whose labels its nodeSelector matches
// and where no other pod on the host network has one of its ports. Nothing else that a scheduler looks at is looked at.

package main

import (
	"context"
	"log"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

const bindPause = 20 * time.Millisecond

// bindAll binds one pod after the other until ctx is done.
func (a *agent) bindAll(ctx context.Context) {
	assumed := map[types.UID]*v1.Pod{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.unbound:
		}
		for a.bindSome(ctx, assumed) {
			// A pod that no node can take waits for others to go.
			select {
			case <-ctx.Done():
				return
			case <-time.After(bindPause):
			}
		}
	}
}

// bindSome answers whether a pod is left without a node.
func (a *agent) bindSome(ctx context.Context, assumed map[types.UID]*v1.Pod) bool {
	pods, err := a.pods.List(labels.Everything())
	if err != nil {
		return true
	}
	known := map[types.UID]bool{}
	placed, waiting := []*v1.Pod{}, []*v1.Pod{}
	for _, pod := range pods {
		known[pod.UID] = true
		switch bound := assumed[pod.UID]; {
		case pod.Spec.NodeName != "":
			delete(assumed, pod.UID)
			placed = append(placed, pod)
		case bound != nil:
			placed = append(placed, bound)
		case pod.DeletionTimestamp == nil:
			waiting = append(waiting, pod)
		}
	}
	for uid := range assumed {
		if !known[uid] {
			delete(assumed, uid)
		}
	}
	left := false
	for _, pod := range waiting {
		n := a.choose(pod, placed)
		if n == nil {
			left = true
			continue
		}
		binding := &v1.Binding{
			ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
			Target:     v1.ObjectReference{Kind: "Node", Name: n.spec.Name},
		}
		if err := a.client.CoreV1().Pods(pod.Namespace).Bind(ctx, binding, metav1.CreateOptions{}); err != nil {
			log.Printf("binding %s/%s: %v", pod.Namespace, pod.Name, err)
			left = true
			continue
		}
		bound := pod.DeepCopy()
		bound.Spec.NodeName = n.spec.Name
		assumed[pod.UID] = bound
		placed = append(placed, bound)
	}
	return left
}

func (a *agent) choose(pod *v1.Pod, placed []*v1.Pod) *node {
	var best *node
	fewest := 0
	for _, n := range a.nodes {
		if !labels.SelectorFromSet(pod.Spec.NodeSelector).Matches(labels.Set(n.labels)) {
			continue
		}
		count, fits := 0, true
		for _, other := range placed {
			if other.Spec.NodeName != n.spec.Name || isOver(other) {
				continue
			}
			count++
			fits = fits && !portsConflict(pod, other)
		}
		if fits && (best == nil || count < fewest) {
			best, fewest = n, count
		}
	}
	return best
}

func portsConflict(one, other *v1.Pod) bool {
	type port struct {
		protocol v1.Protocol
		number   int32
	}
	of := func(pod *v1.Pod) map[port]bool {
		ports := map[port]bool{}
		for _, container := range pod.Spec.Containers {
			for _, p := range container.Ports {
				if p.HostPort != 0 { // the API server sets it on the host network
					ports[port{p.Protocol, p.HostPort}] = true
				}
			}
		}
		return ports
	}
	theirs := of(other)
	for p := range of(one) {
		if theirs[p] {
			return true
		}
	}
	return false
}

// isOver says that the pod will not run again; its address is free.
func isOver(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}
