package sctp

import (
	"bytes"
	"encoding/hex"
	"reflect"
	"testing"
	"time"
)

func TestAPacketIsReadAsItWasWritten(t *testing.T) {
	p := packet{9003, 40000, 0xdeadbeef, []chunk{
		{typeInit, 0, initiation{tag: 1, window: 2, tsn: 3}.encode()},
		data{tsn: 7, flags: flagBegin | flagEnd, payload: []byte("foo")}.chunk(1),
		{kind: typeAbort, flags: flagReflected, value: []byte{}},
	}}
	got, err := decode(p.encode())
	if err != nil || !reflect.DeepEqual(got, p) {
		t.Fatalf("%v, %v", got, err)
	}
	if len(p.encode())%4 != 0 {
		t.Fatal("not padded")
	}
}

// The sum and the order of its bytes, calculated otherwise than in packet.go.
func TestTheChecksumIsTheOneOfTheStandard(t *testing.T) {
	p := packet{1, 2, 3, []chunk{{kind: typeCookieAck}}}
	got := hex.EncodeToString(p.encode())
	crc := bitwiseCRC32c(append([]byte{0, 1, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0}, 11, 0, 0, 4))
	want := "0001000200000003" + hex.EncodeToString([]byte{byte(crc), byte(crc >> 8), byte(crc >> 16), byte(crc >> 24)}) + "0b000004"
	if got != want {
		t.Fatalf("%s, not %s", got, want)
	}
}

// bitwiseCRC32c is the sum as RFC 9260 appendix A defines it: bit by bit, reflected.
func bitwiseCRC32c(input []byte) uint32 {
	crc := ^uint32(0)
	for _, b := range input {
		crc ^= uint32(b)
		for range 8 {
			if crc&1 != 0 {
				crc = crc>>1 ^ 0x82f63b78
			} else {
				crc >>= 1
			}
		}
	}
	return ^crc
}

func TestAnyFlippedBitIsNoticed(t *testing.T) {
	whole := packet{9003, 40000, 5, []chunk{{typeCookieEcho, 0, []byte("cookie")}}}.encode()
	for bit := range len(whole) * 8 {
		broken := bytes.Clone(whole)
		broken[bit/8] ^= 1 << (bit % 8)
		if _, err := decode(broken); err == nil {
			t.Fatalf("bit %d", bit)
		}
	}
}

func FuzzNothingThatComesBreaksTheReader(f *testing.F) {
	f.Add(packet{1, 2, 3, []chunk{{typeInit, 0, initiation{tag: 1, cookie: []byte("abc")}.encode()}}}.encode())
	f.Add([]byte{0, 1})
	f.Add(append(packet{}.encode(), 0, 0, 0, 3))
	f.Fuzz(func(t *testing.T, input []byte) {
		if len(input) >= headerBytes {
			crc := checksum(input)
			input[8], input[9], input[10], input[11] = byte(crc), byte(crc>>8), byte(crc>>16), byte(crc>>24)
		}
		p, err := decode(input)
		if err != nil {
			return
		}
		for _, c := range p.chunks {
			_, _ = decodeInitiation(c.value)
			_, _ = decodeData(c)
		}
		for s := cookieWait; s <= shutdownAckSent; s++ {
			a := newAssociation(p.destination, p.source, time.Hour, func([]byte) error { return nil })
			a.localTag, a.state = p.tag, s
			a.receive(p)
			a.fail(nil)
		}
	})
}

func TestACookieIsTheListenersOwn(t *testing.T) {
	key := newCookieKey()
	local, remote := initiation{tag: 1, window: 2, tsn: 3}, initiation{tag: 4, window: 5, tsn: 6}
	ends := pair{endpoint("10.0.0.1:9003"), endpoint("10.0.0.2:40000")}
	now := time.Unix(1000, 0)
	cookie := key.bake(local, remote, ends, now)

	gotLocal, gotRemote, ok, stale := key.taste(cookie, ends, now.Add(cookieLife))
	if !ok || stale || !reflect.DeepEqual(gotLocal, local) || !reflect.DeepEqual(gotRemote, remote) {
		t.Fatal(gotLocal, gotRemote, ok, stale)
	}
	if _, _, ok, stale := key.taste(cookie, ends, now.Add(cookieLife+1)); !ok || !stale {
		t.Fatal("an old cookie is fresh")
	}
	for bit := range len(cookie) * 8 {
		forged := bytes.Clone(cookie)
		forged[bit/8] ^= 1 << (bit % 8)
		if _, _, ok, _ := key.taste(forged, ends, now); ok {
			t.Fatalf("bit %d", bit)
		}
	}
	others := pair{ends.local, endpoint("10.0.0.3:40000")}
	if _, _, ok, _ := key.taste(cookie, others, now); ok {
		t.Fatal("someone else's cookie")
	}
	if _, _, ok, _ := newCookieKey().taste(cookie, ends, now); ok {
		t.Fatal("another listener's cookie")
	}
}
