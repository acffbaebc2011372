// Services: each one's virtual addresses and the ready endpoints behind them, given to the network as load balancers.
// What is given is always the whole, made of the objects as they are now; equal to the last one, it is not given.

package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/labels"
	v1listers "k8s.io/client-go/listers/core/v1"
	discoverylisters "k8s.io/client-go/listers/discovery/v1"
	"k8s.io/client-go/tools/cache"
)

const settle = 20 * time.Millisecond

type balancers struct {
	network  *network
	services v1listers.ServiceLister
	slices   discoverylisters.EndpointSliceLister
	changes  chan struct{}
}

func newBalancers(n *network, services v1listers.ServiceLister, slices discoverylisters.EndpointSliceLister) *balancers {
	return &balancers{n, services, slices, make(chan struct{}, 1)}
}

func (b *balancers) handler() cache.ResourceEventHandler {
	saw := func() {
		select {
		case b.changes <- struct{}{}:
		default:
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { saw() }, UpdateFunc: func(any, any) { saw() }, DeleteFunc: func(any) { saw() },
	}
}

func (b *balancers) run(ctx context.Context) {
	given := []balancer{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.changes:
		}
		time.Sleep(settle) // many come at once
		wanted, err := b.wanted()
		for err == nil && !reflect.DeepEqual(given, wanted) {
			if err = b.network.balance(ctx, wanted); err == nil {
				given = wanted
			}
		}
		if err != nil && ctx.Err() == nil {
			log.Printf("services: %v", err)
			time.Sleep(retryPause)
			select {
			case b.changes <- struct{}{}:
			default:
			}
		}
	}
}

func (b *balancers) wanted() ([]balancer, error) {
	services, err := b.services.List(labels.Everything())
	if err != nil {
		return nil, err
	}
	all := []balancer{}
	for _, service := range services {
		owned := labels.SelectorFromSet(labels.Set{discovery.LabelServiceName: service.Name})
		slices, err := b.slices.EndpointSlices(service.Namespace).List(owned)
		if err != nil {
			return nil, err
		}
		byProtocol := map[string]map[string][]string{}
		for _, ip := range service.Spec.ClusterIPs {
			if net.ParseIP(ip) == nil {
				continue // headless
			}
			for _, port := range service.Spec.Ports {
				protocol := strings.ToLower(string(port.Protocol))
				if byProtocol[protocol] == nil {
					byProtocol[protocol] = map[string][]string{}
				}
				byProtocol[protocol][join(ip, port.Port)] = behind(ip, port, slices)
			}
		}
		for protocol, vips := range byProtocol {
			name := fmt.Sprintf("service_%s_%s_%s", service.Namespace, service.Name, protocol)
			all = append(all, balancer{name, protocol, vips})
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all, nil
}

// behind is the sorted endpoints of a port, of the virtual address's family.
func behind(ip string, port v1.ServicePort, slices []*discovery.EndpointSlice) []string {
	found := map[string]bool{}
	for _, slice := range slices {
		if (slice.AddressType == discovery.AddressTypeIPv6) != strings.Contains(ip, ":") {
			continue
		}
		for _, target := range slice.Ports {
			if target.Name == nil || *target.Name != port.Name || target.Port == nil {
				continue
			}
			for _, endpoint := range slice.Endpoints {
				if endpoint.Conditions.Ready == nil || *endpoint.Conditions.Ready {
					for _, address := range endpoint.Addresses {
						found[join(address, *target.Port)] = true
					}
				}
			}
		}
	}
	all := []string{}
	for address := range found {
		all = append(all, address)
	}
	sort.Strings(all)
	return all
}

func join(ip string, port int32) string {
	return net.JoinHostPort(ip, strconv.Itoa(int(port)))
}
