package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/lab/soak/server"
	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// streamFaults returns the faults on a stream shared by all messages.
func streamFaults() []action {
	return []action{
		{name: "cancelled call", isFault: true, weight: 8, do: cancelCall},
		{name: "hostile message", isFault: true, weight: 6, do: hostile},
		{name: "message that is too large", isFault: true, weight: 1, do: oversized},
		{name: "notification of an unknown request", isFault: true, weight: 2, do: unsolicited},
		{name: "client that reads slowly", isFault: true, weight: 1, do: readSlowly},
	}
}

// cancelCall cancels a call after a random time.
func cancelCall(ctx context.Context, v *scenario) error {
	n := v.Int64()
	params := object{"name": "nap", "arguments": object{"n": n, "ms": v.IntN(200)}}
	if v.IntN(3) == 0 {
		params = object{"name": "report", "arguments": object{"steps": 100, "ms": 2}}
	}
	v.sent = encode(params)
	r, err := v.cancel(ctx, time.Duration(v.IntN(150))*time.Millisecond, "tools/call", params)
	if err != nil || r == nil {
		return err
	}
	v.checked++
	result, err := readResult(r)
	if err != nil || params["name"] != "nap" {
		return err
	}
	return result.is(v.rev, server.Number{N: n})
}

// malformed are malformed messages with the expected error codes.
var malformed = []struct {
	text string
	code int
}{
	{`not json at all`, -32700},
	{`{"jsonrpc":"2.0","id":` + malformedID + `,"method":"tools/list"`, -32700},
	{"{\"jsonrpc\":\"2.0\",\"id\":" + malformedID + ",\"method\":\"pi\xffng\"}", -32700},
	{`{"jsonrpc":"2.0","id":` + malformedID + `,"method":"x"} {"jsonrpc":"2.0"}`, -32700},
	{`17`, -32600},
	{`{}`, -32600},
	{`{"jsonrpc":"2.0","id":1e10000000,"method":"tools/list"}`, -32600},
	{`{"jsonrpc":"2.0","id":{},"method":"tools/list"}`, -32600},
	{`{"jsonrpc":"2.0","id":null,"method":"tools/list"}`, -32600},
	{`{"jsonrpc":"2.0","id":6,"id":7,"method":"tools/list"}`, -32600},
	{strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), -32600},
	{`{"jsonrpc":"2.0","id":` + malformedID + `,"method":"x","params":` + strings.Repeat(`{"a":`, 10_000) + `1` + strings.Repeat(`}`, 10_000) + `}`, -32600},
	{strings.Repeat("[", 100_000), -32600},
}

// hostile sends a malformed message.
func hostile(ctx context.Context, v *scenario) error {
	bad := malformed[v.IntN(len(malformed))]
	v.sent = []byte(bad.text)
	answers, err := v.askRaw(ctx, v.sent)
	if err != nil {
		return err
	}
	v.checked++
	return refusedWith(bad.code, answers[0].Result, answers[0].Error)
}

// oversized sends a message above the size limit. Over HTTP, the response has a status instead of the code, or the
// server closes the connection before the message is complete, as it may.
func oversized(ctx context.Context, v *scenario) error {
	v.sent = large()
	answers, err := v.askRaw(ctx, v.sent)
	if hungUp(ctx, err) {
		return nil
	}
	v.checked++
	if status, ok := errors.AsType[*client.StatusError](err); ok && status.Status == http.StatusRequestEntityTooLarge {
		return nil
	}
	if err != nil {
		return err
	}
	return refusedWith(-32600, answers[0].Result, answers[0].Error)
}

// hungUp reports whether an HTTP request failed because the server closed the connection.
func hungUp(ctx context.Context, err error) bool {
	_, ok := errors.AsType[*url.Error](err)
	return ok && ctx.Err() == nil
}

// large returns a call with arguments above the size limit.
func large() []byte {
	return []byte(`{"jsonrpc":"2.0","id":` + malformedID + `,"method":"tools/call","params":{"name":"digest","arguments":{"text":"` +
		strings.Repeat("x", server.MaxMessage) + `"}}}`)
}

// unsolicited sends notifications and responses without a subject, which must not be answered.
func unsolicited(ctx context.Context, v *scenario) error {
	for _, text := range []string{
		`{"jsonrpc":"2.0","method":"notifications/no/such","params":[1]}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":999999999}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`,
		`{"jsonrpc":"2.0","id":999999999,"result":{}}`,
		`{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"x"}}`,
	} {
		v.sent = []byte(text)
		if err := v.sendRaw(ctx, v.sent); err != nil {
			return err
		}
	}
	return add(ctx, v)
}

// readSlowly requests large results and stops reading for a while.
func readSlowly(ctx context.Context, v *scenario) error {
	n, seed := 2000, v.Int64N(1e6)
	want := rowsOf(n, seed)
	args := object{"n": n, "seed": seed}
	v.sent = encode(args)
	const requests = 5
	failed := make(chan error, requests)
	for range requests {
		side := &scenario{session: v.session}
		go func() { failed <- side.gives(ctx, "rows", args, want) }()
	}
	err := v.pauseReading(ctx, time.Duration(100+v.IntN(300))*time.Millisecond)
	for range requests {
		err = errors.Join(err, <-failed)
	}
	v.checked += requests
	return err
}
