// A node: its Node object and the addresses that its pods have. It refuses to give an address twice.

package main

import (
	"context"
	"fmt"
	"net/netip"
	"sync"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

type node struct {
	spec     nodeSpec
	labels   map[string]string
	prefixes []netip.Prefix
	mu       sync.Mutex
	taken    map[netip.Addr]bool
}

func newNode(spec nodeSpec) (*node, error) {
	n := &node{spec: spec, taken: map[netip.Addr]bool{}}
	n.labels = map[string]string{
		"kubernetes.io/hostname": spec.Name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
	}
	for _, text := range spec.PodCIDRs {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, err
		}
		n.prefixes = append(n.prefixes, prefix)
	}
	return n, nil
}

// allocate gives a pod an address of each of the node's networks. The first of a network is the gateway's.
func (n *node) allocate() ([]string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var ips []string
	for _, prefix := range n.prefixes {
		address := prefix.Masked().Addr().Next().Next()
		for n.taken[address] {
			address = address.Next()
		}
		if !prefix.Contains(address) {
			return nil, fmt.Errorf("%s has no address left", prefix)
		}
		n.taken[address] = true
		ips = append(ips, address.String())
	}
	return ips, nil
}

func (n *node) take(ips []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, ip := range ips {
		if address, err := netip.ParseAddr(ip); err == nil {
			n.taken[address] = true
		}
	}
}

func (n *node) release(ips []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, ip := range ips {
		if address, err := netip.ParseAddr(ip); err == nil {
			delete(n.taken, address)
		}
	}
}

// publish creates the Node, or finds it, and says that it is ready. The API server reaches the agent at localhost.
func (n *node) publish(ctx context.Context, client kubernetes.Interface, port int) error {
	nodes := client.CoreV1().Nodes()
	object := &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: n.spec.Name, Labels: n.labels},
		Spec:       v1.NodeSpec{PodCIDR: n.spec.PodCIDRs[0], PodCIDRs: n.spec.PodCIDRs},
	}
	if _, err := nodes.Create(ctx, object, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	object, err := nodes.Get(ctx, n.spec.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	now := metav1.Now()
	addresses := []v1.NodeAddress{
		{Type: v1.NodeHostName, Address: n.spec.Name}, {Type: v1.NodeInternalDNS, Address: "localhost"},
	}
	for _, ip := range n.spec.InternalIPs {
		addresses = append(addresses, v1.NodeAddress{Type: v1.NodeInternalIP, Address: ip})
	}
	object.Status.Addresses = addresses
	object.Status.Conditions = []v1.NodeCondition{{
		Type: v1.NodeReady, Status: v1.ConditionTrue, Reason: "NodeAgentReady",
		LastHeartbeatTime: now, LastTransitionTime: now,
	}}
	object.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(port)
	object.Status.NodeInfo.OperatingSystem = "linux"
	object.Status.NodeInfo.KubeletVersion = "node-agent"
	_, err = nodes.UpdateStatus(ctx, object, metav1.UpdateOptions{})
	return err
}
