// SCTPListener: handshakes that come in, packets to the associations that they became, and what is said to the rest. For ports
// that nobody in the network namespace listens on, every listener there sends the ABORT that a kernel would send once; where
// there is no listener at all, the kernel answers that it does not know the protocol.

package sctp

import (
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"
)

// mostUnaccepted associations wait for Accept; further handshakes go unanswered.
const mostUnaccepted = 128

// pair is the two ends of an association, as this side sees them.
type pair struct{ local, remote netip.AddrPort }

// SCTPListener accepts associations at a port.
type SCTPListener struct {
	port  uint16
	wires []*wire
	held  *hold
	key   cookieKey

	accepted chan *SCTPConn
	closing  chan struct{}

	mutex        sync.Mutex
	associations map[pair]*association
	isClosed     bool
}

// ListenSCTP listens at a port of one address. None, or the unspecified one, is every address of the network's families.
func ListenSCTP(network string, laddr *SCTPAddr) (*SCTPListener, error) {
	l, err := listen(network, laddr)
	if err != nil {
		return nil, &net.OpError{Op: "listen", Net: network, Addr: laddr, Err: err}
	}
	return l, nil
}

func listen(network string, laddr *SCTPAddr) (*SCTPListener, error) {
	family, err := familyOf(network)
	if err != nil {
		return nil, err
	}
	if laddr == nil || laddr.Port < 1 || laddr.Port > 65535 {
		return nil, syscall.EADDRNOTAVAIL
	}
	l := &SCTPListener{
		port:         uint16(laddr.Port),
		key:          newCookieKey(),
		accepted:     make(chan *SCTPConn, mostUnaccepted),
		closing:      make(chan struct{}),
		associations: map[pair]*association{},
	}
	if l.held, err = holdPort("listen", l.port); err != nil {
		return nil, err
	}
	var refused error
	for _, at := range listenedAddresses(family, laddr.first()) {
		w, err := openWire(at)
		if err != nil {
			refused = errors.Join(refused, err)
			continue
		}
		l.wires = append(l.wires, w)
	}
	// A machine may lack one of the families.
	if len(l.wires) == 0 {
		l.held.release()
		return nil, refused
	}
	for _, w := range l.wires {
		go l.serve(w)
	}
	return l, nil
}

func listenedAddresses(family string, at netip.Addr) []netip.Addr {
	if at.IsValid() && !at.IsUnspecified() {
		return []netip.Addr{at}
	}
	switch family {
	case "4":
		return []netip.Addr{netip.IPv4Unspecified()}
	case "6":
		return []netip.Addr{netip.IPv6Unspecified()}
	default:
		return []netip.Addr{netip.IPv4Unspecified(), netip.IPv6Unspecified()}
	}
}

// AcceptSCTP waits for the next association.
func (l *SCTPListener) AcceptSCTP() (*SCTPConn, error) {
	select {
	case conn := <-l.accepted:
		return conn, nil
	case <-l.closing:
		return nil, &net.OpError{Op: "accept", Net: "sctp", Err: net.ErrClosed}
	}
}

// Close ends listening. Associations that were accepted go on.
func (l *SCTPListener) Close() error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.isClosed {
		return net.ErrClosed
	}
	l.isClosed = true
	close(l.closing)
	l.held.release()
	l.closeIdleWires()
	return nil
}

func (l *SCTPListener) closeIdleWires() {
	if !l.isClosed || len(l.associations) > 0 {
		return
	}
	for _, w := range l.wires {
		w.socket.Close()
	}
}

func (l *SCTPListener) serve(w *wire) {
	buffer := make([]byte, mostPacketBytes)
	for {
		bytes, from, to, err := w.read(buffer)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		if p, err := decode(bytes); err == nil && len(p.chunks) > 0 {
			ends := pair{netip.AddrPortFrom(to, p.destination), netip.AddrPortFrom(from, p.source)}
			l.take(w, p, ends)
		}
	}
}

func (l *SCTPListener) take(w *wire, p packet, ends pair) {
	first := p.chunks[0]
	if p.destination != l.port || l.hasEnded() {
		if first.kind == typeInit && !isHeld("listen", p.destination) {
			l.refuse(w, p, ends)
		}
		if p.destination != l.port {
			return
		}
	}
	switch first.kind {
	case typeInit:
		l.takeInit(w, p, ends)
	case typeCookieEcho:
		l.takeCookie(w, p, ends)
	default:
		if a := l.find(ends); a != nil {
			a.receive(p)
		} else if !l.isReplaced() {
			l.answerStranger(w, p, ends)
		}
	}
}

func (l *SCTPListener) hasEnded() bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.isClosed
}

// isReplaced: it was closed and another listener has the port, whose associations it does not know and must not abort.
func (l *SCTPListener) isReplaced() bool {
	return l.hasEnded() && isHeld("listen", l.port)
}

func (l *SCTPListener) find(ends pair) *association {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.associations[ends]
}

func (l *SCTPListener) takeInit(w *wire, p packet, ends pair) {
	remote, err := decodeInitiation(p.chunks[0].value)
	if err != nil || p.tag != 0 || len(p.chunks) > 1 || l.hasEnded() {
		return
	}
	local := initiation{tag: randomTag(), window: receiveBytes, tsn: randomTag()}
	local.cookie = l.key.bake(local, remote, ends, time.Now())
	answer(w, ends, remote.tag, chunk{typeInitAck, 0, local.encode()})
}

// refuse answers an INIT to a port without a listener, RFC 9260 section 8.4.
func (l *SCTPListener) refuse(w *wire, p packet, ends pair) {
	if remote, err := decodeInitiation(p.chunks[0].value); err == nil {
		answer(w, ends, remote.tag, chunk{kind: typeAbort})
	}
}

func (l *SCTPListener) takeCookie(w *wire, p packet, ends pair) {
	local, remote, ok, stale := l.key.taste(p.chunks[0].value, ends, time.Now())
	if !ok || p.tag != local.tag {
		return
	}
	a := l.find(ends)
	isSame := a != nil && a.localTag == local.tag && a.remoteTag == remote.tag
	if stale && !isSame {
		// How stale it is, in microseconds, is not told.
		cause := binary.BigEndian.AppendUint16(nil, causeStaleCookie)
		answer(w, ends, remote.tag, chunk{typeError, 0, append(cause, 0, 8, 0, 0, 0, 0)})
		return
	}
	if isSame {
		answer(w, ends, remote.tag, chunk{kind: typeCookieAck})
	} else if a = l.admit(w, local, remote, ends); a == nil {
		return
	}
	if len(p.chunks) > 1 {
		p.chunks = p.chunks[1:]
		a.receive(p)
	}
}

// admit makes the association that a cookie proves. One between the same ends is from before the other side was started again.
func (l *SCTPListener) admit(w *wire, local, remote initiation, ends pair) *association {
	if old := l.find(ends); old != nil {
		old.fail(syscall.ECONNRESET)
	}
	send := func(bytes []byte) error { return w.write(bytes, ends.local.Addr(), ends.remote.Addr()) }
	a := newAssociation(l.port, ends.remote.Port(), firstTimeout, send)
	a.ended = func() { l.forget(ends, a) }
	if !l.add(ends, a) {
		return nil
	}
	// It is found before the other end may send, and stands before a program may write.
	a.resume(local, remote)
	select {
	case l.accepted <- &SCTPConn{a, ends.local, ends.remote}:
	default:
		a.fail(syscall.ECONNABORTED)
	}
	return a
}

func (l *SCTPListener) add(ends pair, a *association) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.isClosed || len(l.accepted) == cap(l.accepted) {
		return false
	}
	l.associations[ends] = a
	return true
}

func (l *SCTPListener) forget(ends pair, a *association) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.associations[ends] == a {
		delete(l.associations, ends)
	}
	l.closeIdleWires()
}

// answerStranger is for packets of no association, RFC 9260 section 8.4.
func (l *SCTPListener) answerStranger(w *wire, p packet, ends pair) {
	switch p.chunks[0].kind {
	case typeAbort, typeShutdownComplete, typeCookieAck, typeError, typeInitAck:
	case typeShutdownAck:
		answer(w, ends, p.tag, chunk{kind: typeShutdownComplete, flags: flagReflected})
	default:
		answer(w, ends, p.tag, chunk{kind: typeAbort, flags: flagReflected})
	}
}

func answer(w *wire, ends pair, tag uint32, c chunk) {
	p := packet{ends.local.Port(), ends.remote.Port(), tag, []chunk{c}}
	_ = w.write(p.encode(), ends.local.Addr(), ends.remote.Addr())
}
