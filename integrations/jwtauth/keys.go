package jwtauth

import (
	"context"
	"crypto"
	"crypto/rsa"
	"errors"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/json"
)

// maxKeys bounds the published and former keys.
const maxKeys = 64

// key is a public key of the issuer.
type key struct {
	id        string // kid; "" if it has none
	algorithm string // alg; "" if it has none
	public    publicKey
	seen      time.Time // when it was published last
	former    bool      // it was not published since
}

// publicKey is implemented by the public keys of the standard library.
type publicKey interface {
	Equal(other crypto.PublicKey) bool
}

// fetchKeys fetches the published keys, and adds those that were published until recently.
func (v *Verifier) fetchKeys(ctx context.Context, previous []key) ([]key, error) {
	location := v.opt.KeysURL
	if location == "" {
		m, err := v.issuer.metadata(ctx)
		if err != nil {
			return nil, err
		}
		if location, err = v.issuer.sameHost("jwks_uri", m.Keys, "KeysURL"); err != nil {
			return nil, err
		}
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := v.issuer.get(ctx, location, &set); err != nil {
		return nil, err
	}
	if set.Keys == nil {
		return nil, errors.New(location + " has no member keys")
	}
	keys := usable(set.Keys)
	published := func(k key) bool { return !k.former }
	if len(keys) == 0 && (previous == nil || slices.ContainsFunc(previous, published)) { // the issuer may withdraw all of its keys
		v.opt.Logger.Warn("jwtauth: the issuer publishes no usable key", "url", location, "published", len(set.Keys))
	}
	for _, k := range previous {
		k.former = true
		isPublished := slices.ContainsFunc(keys, func(other key) bool { return other.id == k.id && other.public.Equal(k.public) })
		if !isPublished && k.isAccepted() && len(keys) < maxKeys {
			keys = append(keys, k)
		}
	}
	return keys, nil
}

// usable returns the keys that can verify signatures. It ignores unknown types of keys, as RFC 7517
// recommends. The result is not nil.
func usable(set []json.RawMessage) []key {
	keys := []key{}
	for _, text := range set[:min(len(set), maxKeys)] {
		var k jose.JSONWebKey
		if json.Unmarshal(text, &k) != nil || k.Use != "" && k.Use != "sig" {
			continue
		}
		k = k.Public()
		public, ok := k.Key.(publicKey)
		rsaKey, isRSA := k.Key.(*rsa.PublicKey)
		if ok && k.Valid() && (!isRSA || rsaKey.N.BitLen() >= 2048) { // as RFC 7518 requires
			keys = append(keys, key{id: k.KeyID, algorithm: k.Algorithm, public: public, seen: time.Now()})
		}
	}
	return keys
}

// signed verifies the signature of a token. It reports whether a key has made it, and otherwise
// whether a key with the ID in the header is known.
func signed(token *jose.JSONWebSignature, keys []key) (valid, known bool) {
	header := &token.Signatures[0].Protected
	for i := range keys {
		k := &keys[i]
		switch {
		case header.KeyID != "" && header.KeyID != k.id, !k.isAccepted():
			continue
		case k.algorithm == "" || k.algorithm == header.Algorithm:
			if _, err := token.Verify(k.public); err == nil { // which also compares the algorithm with the type of the key
				return true, true
			}
		}
		known = known || header.KeyID != ""
	}
	return false, known
}

// isAccepted reports whether the issuer publishes a key, or has done so until recently.
func (k *key) isAccepted() bool { return !k.former || time.Since(k.seen) < 2*refreshAge }
