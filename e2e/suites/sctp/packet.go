// What is on the wire: SCTP packets and their chunks, RFC 9260 section 3. Reading refuses what is cut short or has a wrong
// checksum; it never panics, whatever the bytes are. Invariant: decode(encode(p)) is p.

package sctp

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// protocolNumber is SCTP's in the IP header.
const protocolNumber = 132

type chunkType uint8

// Types of chunks, RFC 9260 section 3.2.
const (
	typeData             chunkType = 0
	typeInit             chunkType = 1
	typeInitAck          chunkType = 2
	typeSack             chunkType = 3
	typeHeartbeat        chunkType = 4
	typeHeartbeatAck     chunkType = 5
	typeAbort            chunkType = 6
	typeShutdown         chunkType = 7
	typeShutdownAck      chunkType = 8
	typeError            chunkType = 9
	typeCookieEcho       chunkType = 10
	typeCookieAck        chunkType = 11
	typeShutdownComplete chunkType = 14
)

const (
	// flagReflected: the verification tag is the one of the packet that is answered (the T bit of ABORT and SHUTDOWN COMPLETE).
	flagReflected = 1
	// flagEnd and flagBegin: the last and the first fragment of a message (DATA).
	flagEnd   = 1
	flagBegin = 2
)

const (
	headerBytes      = 12
	chunkHeaderBytes = 4
	// parameterCookie is the State Cookie of an INIT ACK; causeStaleCookie is in an ERROR.
	parameterCookie  = 7
	causeStaleCookie = 3
)

var (
	errShort    = errors.New("sctp: a packet is cut short")
	errChecksum = errors.New("sctp: a packet's checksum is wrong")
	castagnoli  = crc32.MakeTable(crc32.Castagnoli)
)

// chunk is one chunk without its header and padding.
type chunk struct {
	kind  chunkType
	flags uint8
	value []byte
}

// packet is an SCTP packet: the common header and its chunks.
type packet struct {
	source, destination uint16
	tag                 uint32
	chunks              []chunk
}

func (p packet) encode() []byte {
	out := make([]byte, headerBytes, 128)
	binary.BigEndian.PutUint16(out, p.source)
	binary.BigEndian.PutUint16(out[2:], p.destination)
	binary.BigEndian.PutUint32(out[4:], p.tag)
	for _, c := range p.chunks {
		out = append(out, byte(c.kind), c.flags)
		out = binary.BigEndian.AppendUint16(out, uint16(chunkHeaderBytes+len(c.value)))
		out = append(out, c.value...)
		for len(out)%4 != 0 {
			out = append(out, 0)
		}
	}
	// The CRC goes out with its lowest byte first, RFC 9260 appendix A.
	binary.LittleEndian.PutUint32(out[8:], crc32.Checksum(out, castagnoli))
	return out
}

// decode reads a packet. Its chunks share the memory of bytes.
func decode(bytes []byte) (packet, error) {
	if len(bytes) < headerBytes {
		return packet{}, errShort
	}
	if binary.LittleEndian.Uint32(bytes[8:]) != checksum(bytes) {
		return packet{}, errChecksum
	}
	p := packet{
		source:      binary.BigEndian.Uint16(bytes),
		destination: binary.BigEndian.Uint16(bytes[2:]),
		tag:         binary.BigEndian.Uint32(bytes[4:]),
	}
	for rest := bytes[headerBytes:]; len(rest) > 0; {
		if len(rest) < chunkHeaderBytes {
			return packet{}, errShort
		}
		length := int(binary.BigEndian.Uint16(rest[2:]))
		if length < chunkHeaderBytes || length > len(rest) {
			return packet{}, errShort
		}
		p.chunks = append(p.chunks, chunk{chunkType(rest[0]), rest[1], rest[chunkHeaderBytes:length]})
		rest = rest[min(padded(length), len(rest)):]
	}
	return p, nil
}

// checksum is the CRC32c of the packet as if its checksum were zero.
func checksum(bytes []byte) uint32 {
	crc := crc32.Update(0, castagnoli, bytes[:8])
	crc = crc32.Update(crc, castagnoli, make([]byte, 4))
	return crc32.Update(crc, castagnoli, bytes[headerBytes:])
}

func padded(length int) int { return (length + 3) &^ 3 }

// initiation is the value of an INIT or an INIT ACK.
type initiation struct {
	tag, window, tsn uint32
	// cookie is nil but in an INIT ACK.
	cookie []byte
}

func (i initiation) encode() []byte {
	out := binary.BigEndian.AppendUint32(nil, i.tag)
	out = binary.BigEndian.AppendUint32(out, i.window)
	// One stream each way: all messages are in order.
	out = append(out, 0, 1, 0, 1)
	out = binary.BigEndian.AppendUint32(out, i.tsn)
	if i.cookie != nil {
		out = append(out, 0, parameterCookie)
		out = binary.BigEndian.AppendUint16(out, uint16(chunkHeaderBytes+len(i.cookie)))
		out = append(out, i.cookie...)
	}
	return out
}

func decodeInitiation(value []byte) (initiation, error) {
	if len(value) < 16 {
		return initiation{}, errShort
	}
	i := initiation{
		tag:    binary.BigEndian.Uint32(value),
		window: binary.BigEndian.Uint32(value[4:]),
		tsn:    binary.BigEndian.Uint32(value[12:]),
	}
	if i.tag == 0 {
		return initiation{}, errors.New("sctp: an initiate tag is zero")
	}
	// Other parameters are about addresses and extensions that we do without.
	for rest := value[16:]; len(rest) >= chunkHeaderBytes; {
		length := int(binary.BigEndian.Uint16(rest[2:]))
		if length < chunkHeaderBytes || length > len(rest) {
			return initiation{}, errShort
		}
		if binary.BigEndian.Uint16(rest) == parameterCookie {
			i.cookie = rest[chunkHeaderBytes:length]
		}
		rest = rest[min(padded(length), len(rest)):]
	}
	return i, nil
}

// data is the value of a DATA chunk, with its flags.
type data struct {
	tsn     uint32
	flags   uint8
	payload []byte
}

// sequence numbers the messages of the one stream.
func (d data) chunk(sequence uint16) chunk {
	out := binary.BigEndian.AppendUint32(nil, d.tsn)
	out = append(out, 0, 0)
	out = binary.BigEndian.AppendUint16(out, sequence)
	out = append(out, 0, 0, 0, 0)
	return chunk{typeData, d.flags, append(out, d.payload...)}
}

func decodeData(c chunk) (data, error) {
	if len(c.value) <= 12 {
		return data{}, errShort
	}
	return data{binary.BigEndian.Uint32(c.value), c.flags, c.value[12:]}, nil
}

// sack is the value of a SACK without gaps: everything up to tsn has come, nothing behind it is kept.
func sack(tsn, window uint32) []byte {
	out := binary.BigEndian.AppendUint32(nil, tsn)
	out = binary.BigEndian.AppendUint32(out, window)
	return append(out, 0, 0, 0, 0)
}

// before says whether a sequence number comes before another, RFC 9260 section 1.6: they wrap around.
func before(a, b uint32) bool { return int32(a-b) < 0 }
