// What an association sends and receives: messages cut into DATA chunks, few of them under way at once, each in order. What
// comes out of order is dropped and comes again: no gaps are kept. Invariant: outstanding holds what no one acknowledged,
// the first inFlight of it are sent, and its last has the sequence number nextTSN-1.

package sctp

import (
	"crypto/rand"
	"encoding/binary"
	"io"
	"net"
	"os"
	"time"
)

const (
	// fragmentBytes of a message go into one packet: it fits into every path of 1,280 bytes.
	fragmentBytes = 1200
	// mostUnderway packets are sent before one is acknowledged; one after a loss.
	mostUnderway = 4
	// mostWaiting chunks are taken from a writer ahead of their acknowledgement.
	mostWaiting = 64
	// receiveBytes are kept for a reader that does not read.
	receiveBytes = 1 << 16
)

type outbound struct {
	nextTSN      uint32
	sequence     uint16
	outstanding  []waiting
	inFlight     int
	window       int
	remoteWindow uint32
}

type waiting struct {
	data
	sequence uint16
}

type inbound struct {
	// received is the last sequence number of those that all came.
	received uint32
	// owed packets with data were not acknowledged yet; isOdd: one was not what should have come.
	owed     int
	isOdd    bool
	later    *time.Timer
	partial  []byte
	messages [][]byte
	kept     int
	deadline time.Time
}

// write takes one message. It waits while too much is unacknowledged.
func (a *association) write(message []byte) (int, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if len(message) == 0 {
		return 0, nil
	}
	a.await(time.Time{}, func() bool { return a.state != established || len(a.outstanding) < mostWaiting })
	if a.state != established {
		return 0, a.reason(net.ErrClosed)
	}
	for at := 0; at < len(message); at += fragmentBytes {
		end := min(at+fragmentBytes, len(message))
		d := data{tsn: a.nextTSN, payload: append([]byte(nil), message[at:end]...)}
		if at == 0 {
			d.flags |= flagBegin
		}
		if end == len(message) {
			d.flags |= flagEnd
		}
		a.outstanding = append(a.outstanding, waiting{d, a.sequence})
		a.nextTSN++
	}
	a.sequence++
	if a.inFlight == 0 {
		a.window = mostUnderway
	}
	a.transmit()
	return len(message), nil
}

func (a *association) reason(otherwise error) error {
	if a.err != nil {
		return a.err
	}
	return otherwise
}

// transmit sends what may be sent. One packet may always be under way, to learn when the other end reads again.
func (a *association) transmit() {
	underway := 0
	for _, w := range a.outstanding[:a.inFlight] {
		underway += len(w.payload)
	}
	sent := false
	for a.inFlight < len(a.outstanding) && a.inFlight < max(a.window, 1) {
		w := a.outstanding[a.inFlight]
		if a.inFlight > 0 && underway+len(w.payload) > int(a.remoteWindow) {
			break
		}
		if a.owed > 0 {
			a.emit(a.settle(), w.chunk(w.sequence))
		} else {
			a.emit(w.chunk(w.sequence))
		}
		underway += len(w.payload)
		a.inFlight++
		sent = true
	}
	if sent && a.timer == nil {
		a.arm()
	}
}

// takeAcknowledgement is about a SACK or a SHUTDOWN: everything up to tsn has come.
func (a *association) takeAcknowledgement(tsn, window uint32) {
	first := a.nextTSN - uint32(len(a.outstanding))
	if a.state < established || before(tsn, first-1) || !before(tsn, a.nextTSN) {
		return
	}
	a.remoteWindow = window
	count := int(tsn - (first - 1))
	if count > 0 {
		a.outstanding = a.outstanding[count:]
		a.inFlight = max(0, a.inFlight-count)
		a.window = mostUnderway
	}
	// Who says that there is no room lives.
	if a.state < shutdownSent || a.state == shutdownReceived {
		if count > 0 || window == 0 {
			a.tries = 0
		}
		if count > 0 {
			a.disarm()
			if a.inFlight > 0 {
				a.arm()
			}
		}
		a.transmit()
		a.advance()
	}
}

// takeData keeps what is next. True: the other end is to be told how far we are.
func (a *association) takeData(c chunk) bool {
	d, err := decodeData(c)
	if err != nil || a.state < established || a.state > shutdownSent {
		return false
	}
	if d.tsn != a.received+1 || a.kept+len(d.payload) > receiveBytes {
		a.isOdd = true
		return true
	}
	a.received = d.tsn
	if d.flags&flagBegin != 0 {
		a.kept -= len(a.partial)
		a.partial = nil
	}
	a.partial = append(a.partial, d.payload...)
	a.kept += len(d.payload)
	if d.flags&flagEnd != 0 {
		a.messages = append(a.messages, a.partial)
		a.partial = nil
	}
	return true
}

// acknowledgeSoon waits for data to go with, for a second packet or for a fifth of the timeout, which is 200 ms: RFC 9260
// section 6.2. That also leaves a program the time to answer what it was sent before the other end's shutdown forbids it.
func (a *association) acknowledgeSoon() {
	a.owed++
	if a.owed > 1 || a.isOdd || a.state != established {
		a.acknowledge()
		return
	}
	a.later = time.AfterFunc(a.timeout/5, func() {
		a.mutex.Lock()
		defer a.mutex.Unlock()
		if a.owed > 0 && a.state != closed {
			a.acknowledge()
		}
	})
}

func (a *association) acknowledge() {
	if a.state == shutdownSent {
		a.resend()
		a.arm()
		return
	}
	a.emit(a.settle())
}

// settle is the SACK of all that came; nothing is owed behind it.
func (a *association) settle() chunk {
	if a.later != nil {
		a.later.Stop()
	}
	a.later, a.owed, a.isOdd = nil, 0, false
	return chunk{typeSack, 0, sack(a.received, uint32(receiveBytes-a.kept))}
}

// read gives the next message, or what is left of one that was longer than the buffer; io.EOF after a shutdown.
func (a *association) read(buffer []byte) (int, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	came := a.awaitMessage()
	if len(a.messages) == 0 {
		if !came {
			return 0, os.ErrDeadlineExceeded
		}
		return 0, a.reason(io.EOF)
	}
	n := copy(buffer, a.messages[0])
	a.messages[0] = a.messages[0][n:]
	if len(a.messages[0]) == 0 {
		a.messages = a.messages[1:]
	}
	wasTight := receiveBytes-a.kept < receiveBytes/4
	a.kept -= n
	if wasTight && receiveBytes-a.kept >= receiveBytes/4 && a.state == established {
		a.acknowledge()
	}
	return n, nil
}

func (a *association) awaitMessage() bool {
	for {
		deadline := a.deadline
		moved := func() bool { return !a.deadline.Equal(deadline) }
		done := func() bool { return len(a.messages) > 0 || a.state > shutdownPending }
		if !a.await(deadline, func() bool { return done() || moved() }) {
			return false
		}
		if done() {
			return true
		}
	}
}

func (a *association) setReadDeadline(deadline time.Time) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.deadline = deadline
	a.changed.Broadcast()
}

// randomTag is never zero, which means "no tag".
func randomTag() uint32 {
	var bytes [4]byte
	for {
		_, _ = rand.Read(bytes[:])
		if tag := binary.BigEndian.Uint32(bytes[:]); tag != 0 {
			return tag
		}
	}
}
