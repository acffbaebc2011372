package sctp

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net/netip"
	"sync"
	"syscall"
	"testing"
	"time"
)

func endpoint(text string) netip.AddrPort { return netip.MustParseAddrPort(text) }

// cable joins two associations in memory. What carries says no to is lost.
type cable struct {
	mutex   sync.Mutex
	carries func(p packet) bool
	sent    []packet
}

func (c *cable) end(to func() *association) func([]byte) error {
	queue := make(chan []byte, 4096)
	go func() {
		for bytes := range queue {
			p, err := decode(bytes)
			if err != nil {
				panic(err)
			}
			to().receive(p)
		}
	}()
	return func(bytes []byte) error {
		p, err := decode(bytes)
		if err != nil {
			return err
		}
		c.mutex.Lock()
		defer c.mutex.Unlock()
		c.sent = append(c.sent, p)
		if c.carries(p) {
			queue <- append([]byte(nil), bytes...)
		}
		return nil
	}
}

func (c *cable) count(kind chunkType) int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	n := 0
	for _, p := range c.sent {
		for _, ch := range p.chunks {
			if ch.kind == kind {
				n++
			}
		}
	}
	return n
}

const soon = 2 * time.Millisecond

// joined are two associations that stand. The handshake before it was the listener's; socket_test.go has it.
func joined(c *cable) (client, server *association) { return joinedWith(c, soon) }

func joinedWith(c *cable, timeout time.Duration) (client, server *association) {
	client = newAssociation(40000, 9003, timeout, c.end(func() *association { return server }))
	server = newAssociation(9003, 40000, timeout, c.end(func() *association { return client }))
	ofClient := initiation{tag: 11, window: receiveBytes, tsn: 0xfffffff0}
	ofServer := initiation{tag: 22, window: receiveBytes, tsn: 5}
	client.resume(ofClient, ofServer)
	server.resume(ofServer, ofClient)
	return client, server
}

func run(wait *sync.WaitGroup, f func()) {
	wait.Add(1)
	go func() {
		defer wait.Done()
		f()
	}()
}

func perfect(packet) bool { return true }

func lossy(seed uint64, lost float64) func(packet) bool {
	random := rand.New(rand.NewPCG(seed, 1))
	return func(packet) bool { return random.Float64() >= lost }
}

func message(seed int, length int) []byte {
	out := make([]byte, length)
	for i := range out {
		out[i] = byte(seed + i*7)
	}
	return out
}

// A packet of ten is lost in each direction; the sequence numbers wrap around.
func TestMessagesArriveWholeInOrderAndOnceWhateverIsLost(t *testing.T) {
	lengths := []int{1, 3, fragmentBytes, fragmentBytes + 1, 5 * fragmentBytes, 17, 40_000}
	for seed := range uint64(8) {
		c := &cable{carries: lossy(seed, 0.1)}
		client, server := joined(c)
		go func() {
			for i, length := range lengths {
				if _, err := client.write(message(i, length)); err != nil {
					t.Error(err)
				}
			}
			client.close(0)
		}()
		buffer := make([]byte, 50_000)
		for i, length := range lengths {
			n, err := server.read(buffer)
			if err != nil || !bytes.Equal(buffer[:n], message(i, length)) {
				t.Fatalf("seed %d, message %d: %d bytes, %v", seed, i, n, err)
			}
		}
		if _, err := server.read(buffer); !errors.Is(err, io.EOF) {
			t.Fatalf("seed %d: %v at the end", seed, err)
		}
	}
}

func TestBothEndsSpeakAndCloseAtOnce(t *testing.T) {
	for seed := range uint64(8) {
		client, server := joined(&cable{carries: lossy(seed, 0.1)})
		var wait sync.WaitGroup
		for _, a := range []*association{client, server} {
			run(&wait, func() {
				for i := range 20 {
					if _, err := a.write(message(i, 700)); err != nil {
						t.Error(err)
					}
				}
				buffer := make([]byte, 1000)
				for i := range 20 {
					n, err := a.read(buffer)
					if err != nil || !bytes.Equal(buffer[:n], message(i, 700)) {
						t.Errorf("seed %d, message %d: %v", seed, i, err)
					}
				}
			})
		}
		wait.Wait()
		run(&wait, func() { client.close(time.Minute) })
		run(&wait, func() { server.close(time.Minute) })
		wait.Wait()
		if client.state != closed || server.state != closed || client.err != nil && !errors.Is(client.err, errTimeout) {
			t.Fatalf("seed %d: %v %v", seed, client.state, server.state)
		}
	}
}

func TestWhatWasWrittenBeforeCloseArrives(t *testing.T) {
	client, server := joined(&cable{carries: perfect})
	if _, err := client.write([]byte("foo")); err != nil {
		t.Fatal(err)
	}
	client.close(time.Minute)
	buffer := make([]byte, 10)
	if n, err := server.read(buffer); err != nil || string(buffer[:n]) != "foo" {
		t.Fatal(n, err)
	}
	if _, err := server.read(buffer); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if _, err := server.write([]byte("late")); err == nil {
		t.Fatal("written behind the shutdown")
	}
	if _, err := client.write([]byte("late")); err == nil {
		t.Fatal("written behind the close")
	}
}

// A server that speaks first and closes, as agnhost's, and a client that is slow to answer: the shutdown waits for the
// acknowledgement, which goes with the answer.
func TestAnAnswerIsNotForbiddenByAShutdownBehindTheQuestion(t *testing.T) {
	c := &cable{carries: perfect}
	client, server := joinedWith(c, time.Hour)
	if _, err := server.write([]byte("foo")); err != nil {
		t.Fatal(err)
	}
	server.close(0)
	if n, err := client.read(make([]byte, 10)); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	if count := c.count(typeSack) + c.count(typeShutdown); count != 0 {
		t.Fatalf("%d acknowledgements or shutdowns before the answer", count)
	}
	if _, err := client.write([]byte("answer")); err != nil {
		t.Fatal(err)
	}
	if n, err := server.read(make([]byte, 10)); n != 6 || err != nil {
		t.Fatal(n, err)
	}
	if _, err := client.read(make([]byte, 10)); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
}

func TestASecondPacketIsAcknowledgedAtOnceAndAnOddOneToo(t *testing.T) {
	c := &cable{carries: perfect}
	client, server := joinedWith(c, time.Hour)
	for range 2 {
		_, _ = server.write([]byte("foo"))
	}
	server.mutex.Lock()
	server.await(time.Time{}, func() bool { return len(server.outstanding) == 0 })
	server.mutex.Unlock()
	if c.count(typeSack) != 1 {
		t.Fatalf("%d acknowledgements", c.count(typeSack))
	}
	late := data{tsn: 100, flags: flagBegin | flagEnd, payload: []byte("late")}
	client.receive(packet{9003, 40000, 11, []chunk{late.chunk(0)}})
	if c.count(typeSack) != 2 {
		t.Fatalf("%d acknowledgements", c.count(typeSack))
	}
}

func TestAReaderWhoDoesNotReadHoldsTheWriterUpAndLosesNothing(t *testing.T) {
	client, server := joined(&cable{carries: perfect})
	const count = 400
	go func() {
		for i := range count {
			_, _ = client.write(message(i, fragmentBytes))
		}
	}()
	for {
		client.mutex.Lock()
		isFull := len(client.outstanding) >= mostWaiting && client.remoteWindow < fragmentBytes
		client.mutex.Unlock()
		if isFull {
			break
		}
		time.Sleep(time.Millisecond)
	}
	server.mutex.Lock()
	kept := server.kept
	server.mutex.Unlock()
	if kept > receiveBytes {
		t.Fatalf("%d bytes are kept", kept)
	}
	buffer := make([]byte, 2*fragmentBytes)
	for i := range count {
		n, err := server.read(buffer)
		if err != nil || !bytes.Equal(buffer[:n], message(i, fragmentBytes)) {
			t.Fatal(i, err)
		}
	}
}

func TestWhoIsNeverAnsweredGivesUpAfterTheTriesOfTheStandard(t *testing.T) {
	c := &cable{carries: func(packet) bool { return false }}
	client := newAssociation(40000, 9003, 10*time.Microsecond, c.end(func() *association { panic("nothing comes") }))
	client.initiate()
	if err := client.opened(); !errors.Is(err, syscall.ETIMEDOUT) {
		t.Fatal(err)
	}
	if tries := c.count(typeInit); tries != 1+maxInitTries {
		t.Fatalf("%d times", tries)
	}
}

func TestAnAbortNeedsTheRightTag(t *testing.T) {
	for _, c := range []struct {
		name  string
		tag   uint32
		flags uint8
		ends  bool
	}{
		{"ours", 11, 0, true},
		{"theirs, reflected", 22, flagReflected, true},
		{"theirs", 22, 0, false},
		{"ours, said to be reflected", 11, flagReflected, false},
		{"none", 0, flagReflected, false},
	} {
		client, _ := joined(&cable{carries: perfect})
		client.receive(packet{9003, 40000, c.tag, []chunk{{kind: typeAbort, flags: c.flags}}})
		_, err := client.write([]byte("foo"))
		if c.ends != errors.Is(err, syscall.ECONNRESET) || !c.ends && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestAnUnknownChunkIsSteppedOverOrEndsThePacketAsItsTypeSays(t *testing.T) {
	for kind, isRead := range map[chunkType]bool{0x80: true, 0xc0: true, 0x3f: false, 0x7f: false} {
		client, _ := joined(&cable{carries: perfect})
		foo := data{tsn: 5, flags: flagBegin | flagEnd, payload: []byte("foo")}
		client.receive(packet{9003, 40000, 11, []chunk{{kind: kind}, foo.chunk(0)}})
		client.setReadDeadline(time.Now().Add(time.Millisecond))
		_, err := client.read(make([]byte, 10))
		if isRead != (err == nil) {
			t.Errorf("type %#x: %v", kind, err)
		}
	}
}

func TestAHeartbeatComesBack(t *testing.T) {
	c := &cable{carries: perfect}
	client, _ := joined(c)
	client.receive(packet{9003, 40000, 11, []chunk{{typeHeartbeat, 0, []byte("12345678")}}})
	if c.count(typeHeartbeatAck) != 1 {
		t.Fatal("no answer")
	}
}
