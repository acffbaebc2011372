// One end of an association: its states, RFC 9260 sections 4, 5 and 9, and what it answers to each chunk. Where packets go and
// come from is the caller's matter, so that tests can lose some. Left out: multihoming, several streams, gaps in SACKs,
// partial reliability. Invariant: whoever waits is woken by every change, and nothing is sent after the end.

package sctp

import (
	"encoding/binary"
	"errors"
	"sync"
	"syscall"
	"time"
)

type state int

const (
	cookieWait state = iota
	cookieEchoed
	established
	shutdownPending
	shutdownSent
	shutdownReceived
	shutdownAckSent
	closed
)

// errTimeout: the other end did not answer for as long as RFC 9260 asks to try.
var errTimeout = error(syscall.ETIMEDOUT)

// Limits of RFC 9260 section 16. The timeout doubles with every try; it is not measured.
const (
	maxInitTries = 8
	maxTries     = 10
	maxTimeout   = 60 * time.Second
)

type association struct {
	mutex   sync.Mutex
	changed *sync.Cond
	state   state
	// err is why it ended; nil after a shutdown.
	err error

	localPort, remotePort uint16
	localTag, remoteTag   uint32
	cookie                []byte
	timeout               time.Duration
	// send must not keep the bytes; an error of it is a lost packet.
	send func([]byte) error
	// ended is called once, with the mutex held.
	ended func()

	outbound
	inbound
	retry
}

// retry is the timer of what the other end has not answered.
type retry struct {
	tries int
	timer *time.Timer
	// round tells an alarm that was stopped too late from the present one.
	round int
}

func newAssociation(localPort, remotePort uint16, timeout time.Duration, send func([]byte) error) *association {
	a := &association{localPort: localPort, remotePort: remotePort, timeout: timeout, send: send, ended: func() {}}
	a.changed = sync.NewCond(&a.mutex)
	return a
}

// initiate begins the handshake of four packets.
func (a *association) initiate() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.localTag, a.nextTSN = randomTag(), randomTag()
	a.state = cookieWait
	a.resend()
	a.arm()
}

// resume is the other end's start: what a cookie says of a handshake that it proves.
func (a *association) resume(local, remote initiation) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.localTag, a.nextTSN = local.tag, local.tsn
	a.meet(remote)
	a.state = established
	a.emit(chunk{kind: typeCookieAck})
}

func (a *association) meet(remote initiation) {
	a.remoteTag, a.remoteWindow = remote.tag, remote.window
	a.received = remote.tsn - 1
}

func (a *association) receive(p packet) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.state == closed || !a.isOurs(p) {
		return
	}
	answer := false
	for _, c := range p.chunks {
		if c.kind == typeData {
			answer = a.takeData(c) || answer
		} else if !a.take(c) {
			break
		}
	}
	if answer && a.state != closed {
		a.acknowledgeSoon()
	}
	a.changed.Broadcast()
}

// isOurs is about the verification tag, RFC 9260 section 8.5.
func (a *association) isOurs(p packet) bool {
	if len(p.chunks) == 0 {
		return false
	}
	first := p.chunks[0]
	if (first.kind == typeAbort || first.kind == typeShutdownComplete) && first.flags&flagReflected != 0 {
		return a.remoteTag != 0 && p.tag == a.remoteTag
	}
	return p.tag == a.localTag
}

// take acts on a chunk that is no DATA. False: the rest of the packet is not looked at.
func (a *association) take(c chunk) bool {
	switch c.kind {
	case typeInitAck:
		a.takeInitAck(c)
	case typeCookieAck:
		if a.state == cookieEchoed {
			a.state = established
			a.answered()
			a.transmit()
		}
	case typeSack:
		if len(c.value) >= 8 {
			a.takeAcknowledgement(binary.BigEndian.Uint32(c.value), binary.BigEndian.Uint32(c.value[4:]))
		}
	case typeHeartbeat:
		a.emit(chunk{typeHeartbeatAck, 0, c.value})
	case typeAbort:
		a.end(abortError(a.state))
	case typeError:
		if a.state == cookieEchoed && len(c.value) >= 2 && binary.BigEndian.Uint16(c.value) == causeStaleCookie {
			a.end(syscall.ETIMEDOUT)
		}
	case typeShutdown, typeShutdownAck, typeShutdownComplete:
		a.takeShutdown(c)
	default:
		// The upper bit of an unknown type says whether the chunks behind it are read, RFC 9260 section 3.2.
		return c.kind <= typeShutdownComplete || c.kind&0x80 != 0
	}
	return a.state != closed
}

func abortError(s state) error {
	if s == cookieWait || s == cookieEchoed {
		return syscall.ECONNREFUSED
	}
	return syscall.ECONNRESET
}

func (a *association) takeInitAck(c chunk) {
	remote, err := decodeInitiation(c.value)
	if a.state != cookieWait || err != nil || remote.cookie == nil {
		return
	}
	a.meet(remote)
	a.cookie = append([]byte(nil), remote.cookie...)
	a.state = cookieEchoed
	a.answered()
	a.resend()
	a.arm()
}

func (a *association) takeShutdown(c chunk) {
	switch c.kind {
	case typeShutdown:
		if len(c.value) >= 4 {
			a.takeAcknowledgement(binary.BigEndian.Uint32(c.value), a.remoteWindow)
		}
		switch a.state {
		case established, shutdownPending:
			a.state = shutdownReceived
			a.advance()
		case shutdownSent, shutdownAckSent:
			a.turn(shutdownAckSent)
		}
	case typeShutdownAck:
		if a.state == shutdownSent || a.state == shutdownAckSent {
			a.emit(chunk{kind: typeShutdownComplete})
			a.end(nil)
		}
	case typeShutdownComplete:
		if a.state == shutdownAckSent {
			a.end(nil)
		}
	}
}

// advance goes on with a shutdown once all that was written has been acknowledged.
func (a *association) advance() {
	if len(a.outstanding) > 0 {
		return
	}
	switch a.state {
	case shutdownPending:
		a.turn(shutdownSent)
	case shutdownReceived:
		a.turn(shutdownAckSent)
	}
}

func (a *association) turn(to state) {
	a.state = to
	a.answered()
	a.resend()
	a.arm()
}

// close begins the shutdown and waits for its end at most so long; it goes on behind that while the process lives.
func (a *association) close(patience time.Duration) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	switch a.state {
	case cookieWait, cookieEchoed:
		a.end(errors.New("sctp: closed before it was open"))
	case established:
		a.state = shutdownPending
		a.advance()
	}
	a.changed.Broadcast()
	a.await(time.Now().Add(patience), func() bool { return a.state == closed })
}

// await sleeps until a condition holds. False: the deadline came first; the zero time is none.
func (a *association) await(deadline time.Time, holds func() bool) bool {
	if !deadline.IsZero() {
		alarm := time.AfterFunc(time.Until(deadline), a.wake)
		defer alarm.Stop()
	}
	for !holds() {
		if !deadline.IsZero() && !time.Now().Before(deadline) {
			return false
		}
		a.changed.Wait()
	}
	return true
}

func (a *association) wake() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.changed.Broadcast()
}

// fail ends it for a reason from outside: the way there is closed, or another association took its place.
func (a *association) fail(err error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.end(err)
}

func (a *association) end(err error) {
	if a.state == closed {
		return
	}
	a.state, a.err = closed, err
	a.answered()
	a.settle()
	a.changed.Broadcast()
	a.ended()
}

func (a *association) emit(chunks ...chunk) {
	tag := a.remoteTag
	_ = a.send(packet{a.localPort, a.remotePort, tag, chunks}.encode())
}

// resend says once more what the present state waits to be answered.
func (a *association) resend() {
	switch a.state {
	case cookieWait:
		i := initiation{tag: a.localTag, window: receiveBytes, tsn: a.nextTSN}
		a.emit(chunk{typeInit, 0, i.encode()})
	case cookieEchoed:
		a.emit(chunk{typeCookieEcho, 0, a.cookie})
	case established, shutdownPending, shutdownReceived:
		a.inFlight, a.window = 0, 1
		a.transmit()
	case shutdownSent:
		a.settle()
		a.emit(chunk{typeShutdown, 0, binary.BigEndian.AppendUint32(nil, a.received)})
	case shutdownAckSent:
		a.emit(chunk{kind: typeShutdownAck})
	}
}

// arm starts the timer of what was just sent.
func (a *association) arm() {
	a.disarm()
	round := a.round
	wait := min(a.timeout<<a.tries, maxTimeout)
	a.timer = time.AfterFunc(wait, func() { a.expired(round) })
}

func (a *association) disarm() {
	if a.timer != nil {
		a.timer.Stop()
	}
	a.timer = nil
	a.round++
}

// answered: the other end lives, and nothing more is waited for.
func (a *association) answered() {
	a.disarm()
	a.tries = 0
}

func (a *association) expired(round int) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if round != a.round || a.state == closed {
		return
	}
	a.tries++
	limit := maxTries
	if a.state == cookieWait || a.state == cookieEchoed {
		limit = maxInitTries
	}
	if a.tries > limit {
		a.emit(chunk{kind: typeAbort})
		a.end(errTimeout)
		return
	}
	a.resend()
	a.arm()
}
