// One pod's life on its node: its sandbox, its place on the network, its containers, and its status in the API. It is
// Ready while all its containers run and the network says that its packets are treated as they should.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

const retryPause = time.Second

type podRun struct {
	agent *agent
	node  *node
	pod   *v1.Pod
	ips   []string
	// outer is the agent's context, ctx the pod's: done when the pod is to end.
	outer, ctx context.Context
	cancel     context.CancelFunc
	done       chan struct{}
	changes    chan struct{}

	mu         sync.Mutex
	sandbox    *sandbox
	connected  bool
	started    metav1.Time
	failure    string
	containers []*container
}

func newPodRun(outer context.Context, a *agent, n *node, pod *v1.Pod) *podRun {
	ctx, cancel := context.WithCancel(outer)
	p := &podRun{
		agent: a, node: n, pod: pod, outer: outer, ctx: ctx, cancel: cancel,
		done: make(chan struct{}), changes: make(chan struct{}, 1), started: metav1.Now(),
	}
	for i := range pod.Spec.Containers {
		p.containers = append(p.containers, newContainer(p, &pod.Spec.Containers[i]))
	}
	return p
}

// run returns when nothing of the pod is left.
func (p *podRun) run() {
	defer close(p.done)
	published := make(chan struct{})
	go func() { defer close(published); p.publish() }()
	var containers sync.WaitGroup
	if reason := unsupported(p.pod); reason != "" {
		p.fail(reason)
	} else if p.begin() {
		for _, c := range p.containers {
			containers.Add(1)
			go func() { defer containers.Done(); c.run() }()
		}
	}
	<-p.ctx.Done()
	<-published
	p.leave()
	containers.Wait()
	if p.outer.Err() == nil {
		forget(p.outer, p.agent.client, p.pod)
	}
}

// begin makes the sandbox and connects it, again until that works; false: the pod ended before.
func (p *podRun) begin() bool {
	for p.ctx.Err() == nil {
		err := p.connect()
		if err == nil {
			return true
		}
		if p.ctx.Err() != nil {
			break
		}
		log.Printf("%s/%s: %v", p.pod.Namespace, p.pod.Name, err)
		p.endSandbox()
		select {
		case <-p.ctx.Done():
		case <-time.After(retryPause):
		}
	}
	return false
}

func (p *podRun) connect() error {
	netns := 0
	if p.pod.Spec.HostNetwork {
		netns = p.node.spec.NetnsPID
		p.ips = p.node.spec.InternalIPs
	} else if p.ips == nil {
		if p.ips = ipsOf(p.pod); p.ips == nil {
			ips, err := p.node.allocate()
			if err != nil {
				return err
			}
			p.ips = ips
		}
	}
	sandbox, err := startSandbox(p.agent.options.root, p.hostname(), netns)
	if err != nil {
		return err
	}
	p.change(func() { p.sandbox = sandbox })
	if !p.pod.Spec.HostNetwork {
		if err := p.agent.network.attach(p.ctx, p.attachment()); err != nil {
			return err
		}
	}
	p.change(func() { p.connected = true })
	return nil
}

func (p *podRun) attachment() attachment {
	netns := ""
	if p.sandbox != nil {
		netns = fmt.Sprintf("/proc/%d/ns/net", p.sandbox.pid)
	}
	return attachment{p.pod.Namespace, p.pod.Name, p.node.spec.Name, p.ips, netns}
}

func (p *podRun) hostname() string {
	name := p.pod.Name
	if p.pod.Spec.HostNetwork {
		name = p.node.spec.Name
	} else if p.pod.Spec.Hostname != "" {
		name = p.pod.Spec.Hostname
	}
	return strings.TrimRight(name[:min(len(name), 63)], "-.")
}

// leave ends every process. When the agent itself ends, the network forgets the pod by itself or is asked again.
func (p *podRun) leave() {
	if !p.pod.Spec.HostNetwork && p.outer.Err() == nil {
		if err := p.agent.network.detach(p.outer, p.attachment()); err != nil && p.outer.Err() == nil {
			log.Printf("%s/%s: %v", p.pod.Namespace, p.pod.Name, err)
		}
		p.node.release(p.ips)
	}
	p.endSandbox()
}

func (p *podRun) endSandbox() {
	p.mu.Lock()
	sandbox := p.sandbox
	p.sandbox, p.connected = nil, false
	p.mu.Unlock()
	if sandbox != nil {
		sandbox.end()
	}
}

// unsupported says what the pod asks for and cannot have here; empty: nothing.
func unsupported(pod *v1.Pod) string {
	if len(pod.Spec.InitContainers) > 0 {
		return "the node agent runs no init containers"
	}
	if len(pod.Spec.Volumes) > 0 {
		return "the node agent has no volumes"
	}
	for _, c := range pod.Spec.Containers {
		switch {
		case c.ReadinessProbe != nil || c.LivenessProbe != nil || c.StartupProbe != nil:
			return "the node agent makes no probes: container " + c.Name
		case !strings.Contains(c.Image, "/agnhost:"):
			return "the node agent has no image but agnhost: container " + c.Name
		case c.WorkingDir != "" || c.TTY || c.Lifecycle != nil || len(c.EnvFrom) > 0:
			return "the node agent knows no workingDir, tty, lifecycle and envFrom: container " + c.Name
		}
	}
	return ""
}

func (p *podRun) fail(reason string) {
	log.Printf("%s/%s: %s", p.pod.Namespace, p.pod.Name, reason)
	p.change(func() { p.failure = reason })
}

// change changes what the status is made of.
func (p *podRun) change(how func()) {
	p.mu.Lock()
	how()
	p.mu.Unlock()
	select {
	case p.changes <- struct{}{}:
	default:
	}
}

// publish keeps the pod's status in the API as it is here, until the pod is to end.
func (p *podRun) publish() {
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-p.changes:
		}
		for p.ctx.Err() == nil {
			err := p.patch()
			if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
				break // not found, or another pod of this name: this one was deleted
			}
			if !errors.Is(err, context.Canceled) {
				log.Printf("%s/%s: its status: %v", p.pod.Namespace, p.pod.Name, err)
			}
			time.Sleep(retryPause)
		}
	}
}

func (p *podRun) patch() error {
	patch := map[string]any{"metadata": map[string]any{"uid": p.pod.UID}, "status": p.status()}
	text, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	pods := p.agent.client.CoreV1().Pods(p.pod.Namespace)
	_, err = pods.Patch(p.ctx, p.pod.Name, types.StrategicMergePatchType, text, metav1.PatchOptions{}, "status")
	return err
}

// forget deletes a pod that has ended.
func forget(ctx context.Context, client kubernetes.Interface, pod *v1.Pod) {
	now := int64(0)
	options := metav1.DeleteOptions{GracePeriodSeconds: &now, Preconditions: &metav1.Preconditions{UID: &pod.UID}}
	for ctx.Err() == nil {
		err := client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, options)
		if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
			return
		}
		log.Printf("%s/%s: deleting it: %v", pod.Namespace, pod.Name, err)
		time.Sleep(retryPause)
	}
}

// id is how statuses name a container: made up, but another one after each start.
func (c *container) id() string {
	return fmt.Sprintf("node-agent://%s-%s-%d", c.pod.pod.UID, c.spec.Name, c.restarts)
}
