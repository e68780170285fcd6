// Package seal protects state that a client stores and returns: the client cannot read it, change it, or use it for
// another purpose.
//
// A sealed text is URL-safe base64 of
//
//	version (1) | salt (16) | nonce (12) | AES-256-GCM of expiry (8) and payload, with tag (16)
//
// The key is derived from a key of the Sealer and the salt by HKDF-SHA256, so that nonces may be random regardless of
// the amount of sealed data. The version and the [Binding] are authenticated with it, so a text can be opened only for
// its binding. The package keeps no state and does not prevent a text from being opened more than once.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"
)

// version is the first byte of a sealed text; it identifies the whole format.
const version = 1

const (
	saltSize   = 16
	expirySize = 8
	headSize   = 1 + saltSize
	extraSize  = 12 + 16 // of AES-GCM: the nonce and the tag
)

// ErrInvalid is the error for a text that cannot be opened. It does not include the reason, which would help only
// attackers. For the log, [Sealer.Open] wraps it with the reason, as far as it is known.
var ErrInvalid = errors.New("the state is invalid or expired")

// ErrForeign is the reason for a text that is well-formed but cannot be decrypted: it was sealed with another key or for
// another binding, or has been changed.
var ErrForeign = fmt.Errorf("%w: it cannot be decrypted with the keys of this server, or belongs to another request", ErrInvalid)

var (
	errExpired = fmt.Errorf("%w: it has expired", ErrInvalid)
	errShape   = fmt.Errorf("%w: it is malformed", ErrInvalid)
)

// Key is a secret of full entropy.
type Key = [32]byte

// Binding is the purpose of a sealed text. It must be equal when the text is opened.
type Binding struct {
	Server    string // server name
	Transport string // kind of connection
	Tenant    string // that the caller acts for; "" if there is none
	Principal string // verified caller; "" if unauthenticated
	Method    string
	Name      string // tool name
	Digest    []byte // digest of the request
}

// Sealer seals and opens. It is safe for concurrent use.
type Sealer struct{ keys []Key }

// New returns a Sealer that seals with the first key and opens with any. Without keys it generates a random one.
func New(keys ...Key) *Sealer {
	if len(keys) == 0 {
		var own Key
		_, _ = rand.Read(own[:]) // never fails
		keys = []Key{own}
	}
	return &Sealer{keys: append([]Key(nil), keys...)}
}

// Size returns the length of the sealed text for a payload of the given size.
func Size(payload int) int {
	return base64.RawURLEncoding.EncodedLen(headSize + extraSize + expirySize + payload)
}

// Seal returns the payload as a text that can be opened for the binding until expires, with millisecond precision.
func (s *Sealer) Seal(b Binding, expires time.Time, payload []byte) string {
	sealed := make([]byte, headSize, headSize+extraSize+expirySize+len(payload))
	sealed[0] = version
	_, _ = rand.Read(sealed[1:]) // never fails
	plain := binary.BigEndian.AppendUint64(make([]byte, 0, expirySize+len(payload)), uint64(expires.UnixMilli()))
	sealed = aead(s.keys[0], sealed[1:]).Seal(sealed, nil, append(plain, payload...), b.append(sealed[:1:1])) //nolint:gosec // the AEAD makes the nonce itself
	return base64.RawURLEncoding.EncodeToString(sealed)
}

// Open returns the payload of a text that was sealed for the binding and has not expired at now. The error is or wraps
// [ErrInvalid].
func (s *Sealer) Open(text string, b Binding, now time.Time) ([]byte, error) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(sealed) < headSize+extraSize+expirySize || sealed[0] != version || strings.ContainsAny(text, "\r\n") { // ignored in decoding
		return nil, errShape
	}
	bound := b.append(sealed[:1:1])
	for _, key := range s.keys {
		plain, err := aead(key, sealed[1:headSize]).Open(nil, nil, sealed[headSize:], bound)
		if err != nil {
			continue
		}
		if now.UnixMilli() > int64(binary.BigEndian.Uint64(plain)) { //nolint:gosec // sealed from an int64
			return nil, errExpired
		}
		return plain[expirySize:], nil
	}
	return nil, ErrForeign
}

// append appends an unambiguous encoding of the binding: each part after its length.
func (b Binding) append(dst []byte) []byte {
	for _, part := range []string{b.Server, b.Transport, b.Tenant, b.Principal, b.Method, b.Name, string(b.Digest)} {
		dst = append(binary.BigEndian.AppendUint64(dst, uint64(len(part))), part...)
	}
	return dst
}

// aead returns the cipher for one text.
func aead(key Key, salt []byte) cipher.AEAD {
	drawn, err := hkdf.Key(sha256.New, key[:], salt, "mcptool state", len(key))
	impossible(err)
	block, err := aes.NewCipher(drawn)
	impossible(err)
	gcm, err := cipher.NewGCMWithRandomNonce(block)
	impossible(err)
	return gcm
}

// impossible panics if a cipher rejects the constant sizes used here.
func impossible(err error) {
	if err != nil {
		panic(err) //nolint:forbidigo // the sizes are valid
	}
}
