// The pod network as the agent sees it: HTTP over a unix socket, JSON in both directions. The other end is
// ../conformance/network.ts, which answers when what was asked for is in force.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
)

type network struct{ client http.Client }

// attachment is a pod's place on the network. Netns is the path of the network namespace that gets the interface.
type attachment struct {
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	Node      string   `json:"node"`
	IPs       []string `json:"ips"`
	Netns     string   `json:"netns"`
}

// balancer is one Service and protocol: endpoints by virtual address, both as "address:port".
type balancer struct {
	Name     string              `json:"name"`
	Protocol string              `json:"protocol"`
	VIPs     map[string][]string `json:"vips"`
}

func newNetwork(socket string) *network {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}
	return &network{client: http.Client{Transport: &http.Transport{DialContext: dial}}}
}

// attach returns when packets from and to the pod are treated as OVN's rows say.
func (n *network) attach(ctx context.Context, pod attachment) error {
	return n.ask(ctx, http.MethodPut, "/pods", pod)
}

// detach returns when the pod has no port any more. It does nothing for a pod that has none.
func (n *network) detach(ctx context.Context, pod attachment) error {
	return n.ask(ctx, http.MethodDelete, "/pods", pod)
}

// balance makes these the only load balancers.
func (n *network) balance(ctx context.Context, balancers []balancer) error {
	return n.ask(ctx, http.MethodPut, "/balancers", balancers)
}

func (n *network) ask(ctx context.Context, method, path string, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://network"+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	response, err := n.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	said, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode == http.StatusOK {
		return err
	}
	return fmt.Errorf("the network: %s", said)
}
