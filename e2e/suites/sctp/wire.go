// Packets of IP protocol 132 through a raw socket, which sees all of its network namespace: the caller picks its own. Needs
// the right to raw sockets. Invariant: an answer leaves from the address that was asked.

package sctp

import (
	"errors"
	"net"
	"net/netip"
	"strconv"
	"syscall"
	"unsafe"
)

const mostPacketBytes = 1 << 16

// wire is one family's raw socket of a listener.
type wire struct {
	socket *net.IPConn
	isV6   bool
}

// openWire receives what is sent to one address, or to every one when it is unspecified.
func openWire(at netip.Addr) (*wire, error) {
	ip := at.AsSlice()
	socket, err := net.ListenIP(ipNetwork(at), &net.IPAddr{IP: ip, Zone: at.Zone()})
	if err != nil {
		return nil, err
	}
	w := &wire{socket, at.Is6()}
	if w.isV6 {
		err = control(socket, func(descriptor int) error {
			return syscall.SetsockoptInt(descriptor, syscall.IPPROTO_IPV6, syscall.IPV6_RECVPKTINFO, 1)
		})
	}
	if err != nil {
		socket.Close()
		return nil, err
	}
	return w, nil
}

func ipNetwork(at netip.Addr) string {
	if at.Is6() {
		return "ip6:" + strconv.Itoa(protocolNumber)
	}
	return "ip4:" + strconv.Itoa(protocolNumber)
}

func control(socket *net.IPConn, set func(descriptor int) error) error {
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	var refused error
	err = raw.Control(func(descriptor uintptr) { refused = set(int(descriptor)) })
	return errors.Join(err, refused)
}

// read gives an SCTP packet's bytes, whence it came and to which address.
func (w *wire) read(buffer []byte) (bytes []byte, from, to netip.Addr, err error) {
	var ancillary [128]byte
	for {
		n, extra, _, sender, err := w.socket.ReadMsgIP(buffer, ancillary[:])
		if err != nil {
			return nil, from, to, err
		}
		from, _ = netip.AddrFromSlice(sender.IP)
		from = from.Unmap().WithZone(sender.Zone)
		if w.isV6 {
			to = sentTo(ancillary[:extra])
			return buffer[:n], from, to, nil
		}
		// IPv4 raw sockets give the IP header too.
		if bytes, to = withoutHeader(buffer[:n]); bytes != nil {
			return bytes, from, to, nil
		}
	}
}

// withoutHeader is nil for what is no IPv4 packet.
func withoutHeader(ip []byte) ([]byte, netip.Addr) {
	if len(ip) < 20 || ip[0]>>4 != 4 {
		return nil, netip.Addr{}
	}
	length := int(ip[0]&0x0f) * 4
	if length < 20 || length > len(ip) {
		return nil, netip.Addr{}
	}
	return ip[length:], netip.AddrFrom4([4]byte(ip[16:20]))
}

func sentTo(ancillary []byte) netip.Addr {
	messages, _ := syscall.ParseSocketControlMessage(ancillary)
	for _, m := range messages {
		if m.Header.Level == syscall.IPPROTO_IPV6 && m.Header.Type == syscall.IPV6_PKTINFO && len(m.Data) >= 16 {
			return netip.AddrFrom16([16]byte(m.Data[:16]))
		}
	}
	return netip.IPv6Unspecified()
}

// write sends an SCTP packet's bytes from one of this machine's addresses.
func (w *wire) write(bytes []byte, from, to netip.Addr) error {
	target := &net.IPAddr{IP: to.AsSlice(), Zone: to.Zone()}
	_, _, err := w.socket.WriteMsgIP(bytes, leaveFrom(from), target)
	return err
}

// leaveFrom is the control message that names a packet's source: in_pktinfo of ip(7), in6_pktinfo of ipv6(7).
func leaveFrom(from netip.Addr) []byte {
	if from.IsUnspecified() {
		return nil
	}
	if from.Is4() {
		addr := from.As4()
		info := append(make([]byte, 4), addr[:]...)
		return ancillaryMessage(syscall.IPPROTO_IP, syscall.IP_PKTINFO, append(info, 0, 0, 0, 0))
	}
	addr := from.As16()
	return ancillaryMessage(syscall.IPPROTO_IPV6, syscall.IPV6_PKTINFO, append(addr[:], 0, 0, 0, 0))
}

func ancillaryMessage(level, kind int, data []byte) []byte {
	out := make([]byte, syscall.CmsgSpace(len(data)))
	header := (*syscall.Cmsghdr)(unsafe.Pointer(&out[0]))
	header.Level, header.Type = int32(level), int32(kind)
	header.SetLen(syscall.CmsgLen(len(data)))
	copy(out[syscall.CmsgLen(0):], data)
	return out
}

// Ports are shared by all processes of a network namespace, but the kernel counts only those of protocols that it knows. Who
// uses one holds an abstract unix socket of its name: such names are of the network namespace too, and end with the process.
type hold struct{ socket *net.UnixConn }

func portName(use string, port uint16) *net.UnixAddr {
	return &net.UnixAddr{Name: "@northgate-sctp/" + use + "/" + strconv.Itoa(int(port)), Net: "unixgram"}
}

// holdPort fails with EADDRINUSE where another has it for the same use.
func holdPort(use string, port uint16) (*hold, error) {
	socket, err := net.ListenUnixgram("unixgram", portName(use, port))
	if err != nil {
		return nil, err
	}
	return &hold{socket}, nil
}

func (h *hold) release() { h.socket.Close() }

// isHeld asks without taking it.
func isHeld(use string, port uint16) bool {
	socket, err := net.DialUnix("unixgram", nil, portName(use, port))
	if err != nil {
		return !errors.Is(err, syscall.ECONNREFUSED)
	}
	socket.Close()
	return true
}

// ephemeral takes a port of the range that the kernel uses for those who name none.
func ephemeral() (*hold, uint16, error) {
	const lowest, count = 32768, 28232
	var err error
	for range 64 {
		port := uint16(lowest + randomTag()%count)
		var h *hold
		if h, err = holdPort("dial", port); err == nil {
			return h, port, nil
		}
	}
	return nil, 0, err
}
