// SCTPAddr, an address with a port, and how one is read from text. Names are looked up as the system does.

package sctp

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
)

// SCTPAddr is an SCTP endpoint. Of several addresses the first is used: there is no multihoming.
type SCTPAddr struct {
	IPAddrs []net.IPAddr
	Port    int
}

// Network is "sctp".
func (a *SCTPAddr) Network() string { return "sctp" }

// String is HOST:PORT.
func (a *SCTPAddr) String() string {
	host := ""
	if len(a.IPAddrs) > 0 {
		host = a.IPAddrs[0].String()
	}
	return net.JoinHostPort(host, strconv.Itoa(a.Port))
}

// ResolveSCTPAddr reads HOST:PORT. network is "sctp", "sctp4" or "sctp6"; an empty host is every address.
func ResolveSCTPAddr(network, address string) (*SCTPAddr, error) {
	family, err := familyOf(network)
	if err != nil {
		return nil, err
	}
	tcp, err := net.ResolveTCPAddr("tcp"+family, address)
	if err != nil {
		return nil, err
	}
	resolved := &SCTPAddr{Port: tcp.Port}
	if tcp.IP != nil {
		resolved.IPAddrs = []net.IPAddr{{IP: tcp.IP, Zone: tcp.Zone}}
	}
	return resolved, nil
}

// familyOf is "4", "6", or "" for both.
func familyOf(network string) (string, error) {
	switch network {
	case "sctp", "sctp4", "sctp6":
		return network[len("sctp"):], nil
	default:
		return "", fmt.Errorf("sctp: unknown network %q", network)
	}
}

func addrOf(endpoint netip.AddrPort) *SCTPAddr {
	ip := net.IPAddr{IP: endpoint.Addr().AsSlice(), Zone: endpoint.Addr().Zone()}
	return &SCTPAddr{[]net.IPAddr{ip}, int(endpoint.Port())}
}

// first is the address itself; the unspecified one of a missing one.
func (a *SCTPAddr) first() netip.Addr {
	if a == nil || len(a.IPAddrs) == 0 {
		return netip.Addr{}
	}
	addr, _ := netip.AddrFromSlice(a.IPAddrs[0].IP)
	return addr.Unmap().WithZone(a.IPAddrs[0].Zone)
}
