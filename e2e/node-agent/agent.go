// Which pods the agent runs: every pod that is bound to one of its nodes, from its binding to its deletion. A pod that
// was here before the agent is started anew at its old address, as after a node's restart.

package main

import (
	"context"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	v1listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

type agent struct {
	options options
	client  kubernetes.Interface
	network *network
	nodes   []*node
	pods    v1listers.PodLister
	// unbound says that there may be pods without a node.
	unbound chan struct{}

	mu      sync.Mutex
	running map[types.UID]*podRun
	// last is the latest run of a namespace and name: the next one waits for its end.
	last map[string]*podRun
	runs sync.WaitGroup
}

func newAgent(o options, client kubernetes.Interface, network *network) *agent {
	return &agent{
		options: o, client: client, network: network, unbound: make(chan struct{}, 1),
		running: map[types.UID]*podRun{}, last: map[string]*podRun{},
	}
}

func (a *agent) nodeOf(pod *v1.Pod) *node {
	for _, n := range a.nodes {
		if n.spec.Name == pod.Spec.NodeName {
			return n
		}
	}
	return nil
}

// adopt takes the addresses that pods have already.
func (a *agent) adopt() {
	pods, _ := a.pods.List(labels.Everything())
	for _, pod := range pods {
		if n := a.nodeOf(pod); n != nil && !isOver(pod) && !pod.Spec.HostNetwork {
			n.take(ipsOf(pod))
		}
	}
}

func ipsOf(pod *v1.Pod) []string {
	var ips []string
	for _, ip := range pod.Status.PodIPs {
		ips = append(ips, ip.IP)
	}
	return ips
}

func (a *agent) handler(ctx context.Context) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { a.saw(ctx, object.(*v1.Pod)) },
		UpdateFunc: func(_, object any) { a.saw(ctx, object.(*v1.Pod)) },
		DeleteFunc: func(object any) {
			if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = unknown.Obj
			}
			if pod, ok := object.(*v1.Pod); ok {
				a.end(pod.UID)
			}
			a.wakeBinder() // there may be room now
		},
	}
}

func (a *agent) wakeBinder() {
	select {
	case a.unbound <- struct{}{}:
	default:
	}
}

func (a *agent) saw(ctx context.Context, pod *v1.Pod) {
	if pod.Spec.NodeName == "" {
		a.wakeBinder()
		return
	}
	n := a.nodeOf(pod)
	if n == nil || ctx.Err() != nil {
		return
	}
	if pod.DeletionTimestamp != nil {
		if !a.end(pod.UID) {
			go forget(ctx, a.client, pod)
		}
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running[pod.UID] != nil || isOver(pod) {
		return
	}
	key := pod.Namespace + "/" + pod.Name
	run := newPodRun(ctx, a, n, pod)
	previous := a.last[key]
	a.running[pod.UID], a.last[key] = run, run
	a.runs.Add(1)
	go func() {
		defer a.runs.Done()
		if previous != nil {
			<-previous.done
		}
		run.run()
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.running, pod.UID)
		if a.last[key] == run {
			delete(a.last, key)
		}
	}()
}

// end answers whether the pod was running; then its run deletes it.
func (a *agent) end(uid types.UID) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	run := a.running[uid]
	if run != nil {
		run.cancel()
	}
	return run != nil
}

// find is the latest run of a namespace and name; nil: there is none.
func (a *agent) find(namespace, name string) *podRun {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.last[namespace+"/"+name]
}

// wait returns when no pod runs any more; the agent's context must be done.
func (a *agent) wait() {
	a.runs.Wait()
}
