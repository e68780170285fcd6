package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/lab/soak/server"
)

// linkFaults are what goes wrong on a stream that all messages share.
func linkFaults() []act[*link] {
	return []act[*link]{
		{name: "cancelled call", weight: 8, do: cancelCall},
		{name: "hostile message", weight: 6, do: hostile},
		{name: "message that is too large", weight: 1, do: oversized},
		{name: "notification of nothing", weight: 2, do: murmur},
		{name: "client that reads slowly", weight: 1, do: dawdle},
	}
}

// cancelCall cancels a call, at some time or other.
func cancelCall(ctx context.Context, v *visit, l *link) error {
	n := v.Int64()
	params := object{"name": "nap", "arguments": object{"n": n, "ms": v.IntN(200)}}
	if v.IntN(3) == 0 {
		params = object{"name": "report", "arguments": object{"steps": 100, "ms": 2}}
	}
	x, err := l.begin(ctx, "tools/call", params)
	if err != nil {
		return err
	}
	v.last = x.sent
	time.Sleep(time.Duration(v.IntN(150)) * time.Millisecond)
	r, err := l.cancel(ctx, x)
	if err != nil || r == nil {
		return err
	}
	v.checked++
	result, err := readResult(r)
	if err != nil || params["name"] != "nap" {
		return err
	}
	return result.is(v.revision(), server.Number{N: n})
}

// flaws are texts that are no messages, and the code of the error that they bring about.
var flaws = []struct {
	text string
	code int
}{
	{`not json at all`, -32700},
	{`{"jsonrpc":"2.0","id":"flaw","method":"tools/list"`, -32700},
	{"{\"jsonrpc\":\"2.0\",\"id\":\"flaw\",\"method\":\"pi\xffng\"}", -32700},
	{`{"jsonrpc":"2.0","id":"flaw","method":"x"} {"jsonrpc":"2.0"}`, -32700},
	{`17`, -32600},
	{`{}`, -32600},
	{`{"jsonrpc":"2.0","id":1e10000000,"method":"tools/list"}`, -32600},
	{`{"jsonrpc":"2.0","id":{},"method":"tools/list"}`, -32600},
	{`{"jsonrpc":"2.0","id":null,"method":"tools/list"}`, -32600},
	{`{"jsonrpc":"2.0","id":6,"id":7,"method":"tools/list"}`, -32600},
	{strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), -32600},
	{`{"jsonrpc":"2.0","id":"flaw","method":"x","params":` + strings.Repeat(`{"a":`, 10_000) + `1` + strings.Repeat(`}`, 10_000) + `}`, -32600},
	{strings.Repeat("[", 100_000), -32600},
}

// hostile sends what is no message.
func hostile(ctx context.Context, v *visit, l *link) error {
	flaw := flaws[v.IntN(len(flaws))]
	v.last = []byte(flaw.text)
	m, err := l.flaw(ctx, v.last)
	if err != nil {
		return err
	}
	v.checked++
	return m.refusedWith(flaw.code)
}

// oversized sends more than is taken. Over HTTP, the answer has a status in place of the code, or the server hangs up
// before all of it was written, as it may.
func oversized(ctx context.Context, v *visit, l *link) error {
	v.last = large()
	m, err := l.flaw(ctx, v.last)
	if hungUp(ctx, err) {
		return nil
	}
	v.checked++
	if status, ok := errors.AsType[*statusError](err); ok && status.got == http.StatusRequestEntityTooLarge {
		return nil
	}
	if err != nil {
		return err
	}
	return m.refusedWith(-32600)
}

// hungUp reports whether a request over HTTP has failed because the server hung up.
func hungUp(ctx context.Context, err error) bool {
	_, ok := errors.AsType[*url.Error](err)
	return ok && ctx.Err() == nil
}

// large is a call whose arguments are too large.
func large() []byte {
	return []byte(`{"jsonrpc":"2.0","id":"flaw","method":"tools/call","params":{"name":"digest","arguments":{"text":"` +
		strings.Repeat("x", server.MaxMessage) + `"}}}`)
}

// murmur sends notifications and responses that mean nothing, and are not answered.
func murmur(ctx context.Context, v *visit, l *link) error {
	for _, text := range []string{
		`{"jsonrpc":"2.0","method":"notifications/no/such","params":[1]}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":999999999}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`,
		`{"jsonrpc":"2.0","id":999999999,"result":{}}`,
		`{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"x"}}`,
	} {
		v.last = []byte(text)
		if err := l.send(ctx, v.last); err != nil {
			return err
		}
	}
	return add(ctx, v, l)
}

// dawdle asks for much and reads nothing for a while.
func dawdle(ctx context.Context, v *visit, l *link) error {
	var all []*exchange
	n, seed := 2000, v.Int64N(1e6)
	want := rowsOf(n, seed)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		l.dawdle(ctx, time.Duration(100+v.IntN(300))*time.Millisecond)
	}()
	for range 5 {
		x, err := l.begin(ctx, "tools/call", object{"name": "rows", "arguments": object{"n": n, "seed": seed}})
		if err != nil {
			return err
		}
		v.last = x.sent
		all = append(all, x)
	}
	<-stopped
	for _, x := range all {
		r, err := l.rest(ctx, x)
		if err != nil {
			return err
		}
		v.checked++
		result, err := readResult(r)
		if err != nil {
			return err
		}
		if err := result.is(v.revision(), want); err != nil {
			return err
		}
	}
	return nil
}
