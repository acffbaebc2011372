// The State Cookie, RFC 9260 section 5.1.3: all of a handshake that a listener must remember, signed, so that it keeps nothing
// for who has not shown that packets reach him. Refuses what another listener or nobody signed, and what is too old.

package sctp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"time"
)

// cookieLife is Valid.Cookie.Life of RFC 9260 section 16.
const cookieLife = 60 * time.Second

type cookieKey [32]byte

func newCookieKey() (key cookieKey) {
	_, _ = rand.Read(key[:])
	return key
}

const cookieBytes = 8 + 6*4

// bake makes the cookie of a handshake between these ends.
func (k cookieKey) bake(local, remote initiation, ends pair, now time.Time) []byte {
	out := binary.BigEndian.AppendUint64(nil, uint64(now.UnixNano()))
	for _, word := range []uint32{local.tag, local.window, local.tsn, remote.tag, remote.window, remote.tsn} {
		out = binary.BigEndian.AppendUint32(out, word)
	}
	return append(out, k.sign(out, ends)...)
}

func (k cookieKey) sign(content []byte, ends pair) []byte {
	mac := hmac.New(sha256.New, k[:])
	mac.Write(content)
	mac.Write([]byte(ends.remote.String() + " " + ends.local.String()))
	return mac.Sum(nil)
}

// taste reads a cookie. ok: it is this listener's, for these ends. stale: it was, and is too old.
func (k cookieKey) taste(cookie []byte, ends pair, now time.Time) (local, remote initiation, ok, stale bool) {
	if len(cookie) != cookieBytes+sha256.Size || !hmac.Equal(cookie[cookieBytes:], k.sign(cookie[:cookieBytes], ends)) {
		return initiation{}, initiation{}, false, false
	}
	word := func(n int) uint32 { return binary.BigEndian.Uint32(cookie[8+4*n:]) }
	local = initiation{tag: word(0), window: word(1), tsn: word(2)}
	remote = initiation{tag: word(3), window: word(4), tsn: word(5)}
	baked := time.Unix(0, int64(binary.BigEndian.Uint64(cookie)))
	return local, remote, true, now.Sub(baked) > cookieLife
}
