// SCTPConn, one end of an association as a program uses it, and DialSCTP. As with the kernel's sockets, Close lets a shutdown
// go on behind it; a process that ends at once may leave the other end to its retries.

package sctp

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"
)

const (
	// firstTimeout until something is sent again: RTO.Initial of RFC 9260 section 16.
	firstTimeout = time.Second
	// lingering is how long Close waits for the shutdown, which is two packets each way.
	lingering = 250 * time.Millisecond
)

// SCTPConn is an association. Its methods may be called at the same time.
type SCTPConn struct {
	association   *association
	local, remote netip.AddrPort
}

// Write sends one message.
func (c *SCTPConn) Write(message []byte) (int, error) {
	n, err := c.association.write(message)
	return n, c.wrapped("write", err)
}

// Read gives one message, or a part of one that is longer than the buffer. io.EOF: the other end has shut down.
func (c *SCTPConn) Read(buffer []byte) (int, error) {
	n, err := c.association.read(buffer)
	return n, c.wrapped("read", err)
}

// SetReadDeadline makes reads fail with os.ErrDeadlineExceeded from then on; the zero time takes it back.
func (c *SCTPConn) SetReadDeadline(deadline time.Time) error {
	c.association.setReadDeadline(deadline)
	return nil
}

// Close sends what was written, then shuts down.
func (c *SCTPConn) Close() error {
	c.association.close(lingering)
	return nil
}

// SCTPRemoteAddr is the other end. There are no others to be numbered.
func (c *SCTPConn) SCTPRemoteAddr(int) (*SCTPAddr, error) { return addrOf(c.remote), nil }

// SCTPLocalAddr is this end.
func (c *SCTPConn) SCTPLocalAddr(int) (*SCTPAddr, error) { return addrOf(c.local), nil }

// wrapped leaves io.EOF as it is: readers compare it.
func (c *SCTPConn) wrapped(operation string, err error) error {
	if err == nil || !(errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, net.ErrClosed) || isErrno(err)) {
		return err
	}
	return &net.OpError{Op: operation, Net: "sctp", Source: addrOf(c.local), Addr: addrOf(c.remote), Err: err}
}

func isErrno(err error) bool {
	var errno syscall.Errno
	return errors.As(err, &errno)
}

// DialSCTP makes an association and waits until it stands, or the other end refuses, or nobody answers: 8 tries with doubled
// waiting. laddr nil: any address and port of this machine.
func DialSCTP(network string, laddr, raddr *SCTPAddr) (*SCTPConn, error) {
	conn, err := dial(network, laddr, raddr)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Addr: raddr, Err: err}
	}
	return conn, nil
}

func dial(network string, laddr, raddr *SCTPAddr) (*SCTPConn, error) {
	if _, err := familyOf(network); err != nil {
		return nil, err
	}
	to := raddr.first()
	if !to.IsValid() || raddr.Port < 1 || raddr.Port > 65535 {
		return nil, syscall.EADDRNOTAVAIL
	}
	held, port, err := localPort(laddr)
	if err != nil {
		return nil, err
	}
	var bound *net.IPAddr
	if at := laddr.first(); at.IsValid() {
		bound = &net.IPAddr{IP: at.AsSlice(), Zone: at.Zone()}
	}
	// Connected, so that the kernel says where packets leave from, and of what it refuses by ICMP.
	socket, err := net.DialIP(ipNetwork(to), bound, &net.IPAddr{IP: to.AsSlice(), Zone: to.Zone()})
	if err != nil {
		held.release()
		return nil, err
	}
	from, _ := netip.AddrFromSlice(socket.LocalAddr().(*net.IPAddr).IP)
	send := func(bytes []byte) error { _, err := socket.Write(bytes); return err }
	a := newAssociation(port, uint16(raddr.Port), firstTimeout, send)
	a.ended = func() {
		socket.Close()
		held.release()
	}
	go listenTo(socket, to.Is4(), a)
	a.initiate()
	if err := a.opened(); err != nil {
		return nil, err
	}
	remote := netip.AddrPortFrom(to, uint16(raddr.Port))
	return &SCTPConn{a, netip.AddrPortFrom(from.Unmap(), port), remote}, nil
}

func localPort(laddr *SCTPAddr) (*hold, uint16, error) {
	if laddr == nil || laddr.Port == 0 {
		return ephemeral()
	}
	held, err := holdPort("dial", uint16(laddr.Port))
	return held, uint16(laddr.Port), err
}

// listenTo gives an association its packets, until its socket is closed.
func listenTo(socket *net.IPConn, isV4 bool, a *association) {
	buffer := make([]byte, mostPacketBytes)
	for {
		n, err := socket.Read(buffer)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// What an ICMP error says, once: nobody speaks SCTP there.
			a.refused(err)
			continue
		}
		bytes := buffer[:n]
		if isV4 {
			bytes, _ = withoutHeader(bytes)
		}
		if p, err := decode(bytes); err == nil && p.source == a.remotePort && p.destination == a.localPort {
			a.receive(p)
		}
	}
}

// opened waits until the handshake is over.
func (a *association) opened() error {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.await(time.Time{}, func() bool { return a.state >= established })
	if a.state == closed {
		return a.err
	}
	return nil
}

// refused ends a handshake; an association that stands is not ended by what anyone could have sent.
func (a *association) refused(err error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.state == cookieWait || a.state == cookieEchoed {
		var errno syscall.Errno
		if errors.As(err, &errno) {
			err = errno
		}
		a.end(err)
	}
}
