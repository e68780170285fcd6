package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// DigestIn holds the arguments of digest.
type DigestIn struct {
	_    struct{} `mcp:"name=digest,title=Digest,readOnly,idempotent,openWorld=false" doc:"SHA-256 of a text"`
	Text string   `json:"text"`
}

// DigestOut holds the result of digest.
type DigestOut struct {
	SHA256 string `json:"sha256" doc:"In hexadecimal"`
}

// Digest depends only on its arguments.
func Digest(_ context.Context, in DigestIn) (DigestOut, error) {
	sum := sha256.Sum256([]byte(in.Text))
	return DigestOut{hex.EncodeToString(sum[:])}, nil
}

// SendIn holds the arguments of send.
type SendIn struct {
	_    struct{} `mcp:"name=send,title=Send,idempotent=false" doc:"Send a text"`
	Text string   `json:"text"`
}

// Send simulates an operation that must not be repeated. It sends nothing, and returns the same as digest.
func Send(ctx context.Context, in SendIn) (DigestOut, error) {
	return Digest(ctx, DigestIn{Text: in.Text})
}

// CountIn holds the arguments of count.
type CountIn struct {
	_  struct{} `mcp:"name=count,title=Count,readOnly,idempotent,openWorld=false" doc:"Count, ten a second, and tell how far it is"`
	To int      `json:"to" jsonschema:"minimum=1,maximum=100"`
}

// CountOut holds the result of count.
type CountOut struct {
	Counted int `json:"counted"`
}

// Count reports its progress.
func Count(ctx context.Context, in CountIn) (CountOut, error) {
	for n := range in.To {
		select {
		case <-ctx.Done():
			return CountOut{}, ctx.Err()
		case <-time.After(100 * time.Millisecond):
			mcptool.Progress(ctx, float64(n+1), float64(in.To), "")
		}
	}
	return CountOut{in.To}, nil
}

// OfferIn holds the arguments of offer.
type OfferIn struct {
	_       struct{} `mcp:"name=offer,title=Offer,idempotent,openWorld=false" doc:"Offer one more tool, extra, or withdraw it; at the instance that serves this call"`
	Offered bool     `json:"offered"`
}

// Offer changes the tools of one instance. Instances do not communicate, so a change for all must be made in each.
func Offer(_ context.Context, in OfferIn) (struct{}, error) {
	extra, err := mcptool.NewRaw("extra", json.RawMessage(`{"type":"object"}`),
		func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil })
	if err != nil {
		return struct{}{}, err
	}
	if !in.Offered {
		mcptool.Default.Remove(extra)
		return struct{}{}, nil
	}
	return struct{}{}, mcptool.Default.Replace(extra)
}

func registerTools() {
	mcptool.Register(Digest)
	mcptool.Register(Send)
	mcptool.Register(Count)
	mcptool.Register(Offer)
}
