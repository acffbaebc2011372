// A pod's status, made of what runs. The words are those of k8s.io/api/core/v1, PodStatus.

package main

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (p *podRun) status() v1.PodStatus {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := v1.PodStatus{Phase: p.phase(), StartTime: &p.started, Message: p.failure, QOSClass: v1.PodQOSBestEffort}
	if p.failure != "" {
		s.Reason = "Unsupported"
	}
	s.HostIP = p.node.spec.InternalIPs[0]
	for _, ip := range p.node.spec.InternalIPs {
		s.HostIPs = append(s.HostIPs, v1.HostIP{IP: ip})
	}
	if p.sandbox != nil {
		s.PodIP = p.ips[0]
		for _, ip := range p.ips {
			s.PodIPs = append(s.PodIPs, v1.PodIP{IP: ip})
		}
	}
	ready := p.connected && s.Phase == v1.PodRunning
	for _, c := range p.containers {
		status := c.status()
		ready = ready && status.Ready
		s.ContainerStatuses = append(s.ContainerStatuses, status)
	}
	s.Conditions = []v1.PodCondition{
		condition(v1.PodReadyToStartContainers, p.connected),
		condition(v1.PodInitialized, true),
		condition(v1.ContainersReady, ready),
		condition(v1.PodReady, ready),
		condition(v1.PodScheduled, true),
	}
	return s
}

// phase is Running from the first moment that every container has been started, and over when none will be again.
func (p *podRun) phase() v1.PodPhase {
	if p.failure != "" {
		return v1.PodFailed
	}
	started, over, failed := true, true, false
	for _, c := range p.containers {
		started = started && c.started
		over = over && c.over
		failed = failed || (c.over && c.state.Terminated != nil && c.state.Terminated.ExitCode != 0)
	}
	switch {
	case !started:
		return v1.PodPending
	case over && failed:
		return v1.PodFailed
	case over:
		return v1.PodSucceeded
	}
	return v1.PodRunning
}

func condition(of v1.PodConditionType, holds bool) v1.PodCondition {
	status := v1.ConditionFalse
	if holds {
		status = v1.ConditionTrue
	}
	return v1.PodCondition{Type: of, Status: status, LastTransitionTime: metav1.Now()}
}

func (c *container) status() v1.ContainerStatus {
	running := c.state.Running != nil
	return v1.ContainerStatus{
		Name: c.spec.Name, Image: c.spec.Image, ImageID: c.spec.Image, ContainerID: c.id(),
		State: c.state, LastTerminationState: c.last, RestartCount: c.restarts,
		Ready: running, Started: &running,
	}
}
