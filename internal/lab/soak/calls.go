package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/lab/soak/server"
	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// An action is a kind of client activity: a call, or a fault.
type action struct {
	name    string
	weight  int // frequency relative to the others
	isFault bool
	since   revision
	until   revision
	do      func(ctx context.Context, v *scenario) error
}

// calls returns the actions of all clients that are not faults; some are expected to be rejected.
func calls() []action {
	return []action{
		{name: "quick call", weight: 30, do: add},
		{name: "call with a text", weight: 15, do: digest},
		{name: "slow call", weight: 10, do: nap},
		{name: "call with progress", weight: 8, do: report},
		{name: "call that asks twice", weight: 6, do: ask},
		{name: "large result", weight: 2, do: rows},
		{name: "task", weight: 3, do: export},
		{name: "task, cancelled", weight: 1, since: "2025-11-25", do: cancelTask},
		{name: "tools/list", weight: 3, do: list},
		{name: "batch", weight: 20, since: "2025-03-26", until: "2025-03-26", do: batch},
		{name: "call that fails", weight: 4, do: fail},
		{name: "call that panics", weight: 2, do: crash},
		{name: "call that times out", weight: 1, do: late},
		{name: "invalid arguments", weight: 4, do: misfit},
		{name: "unknown tool or method", weight: 3, do: unknown},
		{name: "calls above a rate limit", weight: 1, do: limited},
		{name: "calls above a concurrency limit", weight: 1, do: narrow},
		{name: "changes of the list", weight: 1, do: change},
		{name: "storm of changes", weight: 1, do: storm},
	}
}

func add(ctx context.Context, v *scenario) error {
	a, b := v.Int64N(2e12)-1e12, v.Int64N(2e12)-1e12
	return v.gives(ctx, "add", object{"a": a, "b": b}, server.Sum{Sum: a + b})
}

// words are the parts of texts: characters that JSON, HTTP and SSE treat specially, and multi-byte ones.
var words = []string{"plain", "\"quoted\"", "back\\slash", "line\nend", "\r\n\r\n", "data: x", "<b>&amp;</b>", "naïve", "日本", "🦜", "\u2028", "\t", "{}"}

func (v *scenario) text() string {
	var b strings.Builder
	for range v.IntN(200) {
		b.WriteString(words[v.IntN(len(words))])
		b.WriteByte(' ')
	}
	return b.String()
}

func digest(ctx context.Context, v *scenario) error {
	text := v.text()
	sum, runes := sha256.Sum256([]byte(text)), []rune(text)
	want := server.Digest{SHA256: hex.EncodeToString(sum[:]), Runes: len(runes), Begins: string(runes[:min(len(runes), 40)])}
	result, _, err := v.call(ctx, "digest", object{"text": text})
	if err != nil {
		return err
	}
	var got server.Digest
	if len(result.Content) == 1 {
		// The server may escape characters in any way, if both places are equal.
		if err := json.Unmarshal([]byte(result.Content[0].Text), &got); err != nil {
			return err
		}
	}
	if got != want || v.rev >= "2025-06-18" && string(result.Structured) != result.Content[0].Text {
		return fmt.Errorf("got %s, want %s", shorten(encode(result)), encode(want))
	}
	return nil
}

func nap(ctx context.Context, v *scenario) error {
	n, ms := v.Int64(), v.IntN(400)
	begun := time.Now()
	if err := v.gives(ctx, "nap", object{"n": n, "ms": ms}, server.Number{N: n}); err != nil {
		return err
	}
	if took := time.Since(begun); took < time.Duration(ms)*time.Millisecond {
		return fmt.Errorf("a call that waits %d ms took %v", ms, took)
	}
	return nil
}

func report(ctx context.Context, v *scenario) error {
	steps := v.IntN(20)
	result, r, err := v.call(ctx, "report", object{"steps": steps, "ms": v.IntN(15)})
	if err != nil {
		return err
	}
	if err := progressed(r.notes, steps); err != nil {
		return err
	}
	return result.is(v.rev, server.Reported{Steps: steps})
}

// progressed checks that progress increases up to the last step, which is always reported.
func progressed(notes []json.RawMessage, steps int) error {
	last := 0
	for _, params := range notes {
		var p struct{ Progress, Total int }
		if err := json.Unmarshal(params, &p); err != nil {
			return err
		}
		if p.Progress <= last || p.Total != steps {
			return fmt.Errorf("progress %s after %d of %d", params, last, steps)
		}
		last = p.Progress
	}
	if last != steps {
		return fmt.Errorf("last progress %d of %d", last, steps)
	}
	return nil
}

func ask(ctx context.Context, v *scenario) error {
	n := v.Int64N(1e12)
	args := encode(object{"n": n})
	v.sent = args
	called, err := v.Call(withFault(ctx), "ask", args)
	if err != nil {
		v.expectLate(ctx)
		return v.mayBeLost(err)
	}
	v.checked++
	result := &toolResult{}
	if err := json.Unmarshal(called.Raw, result); err != nil {
		return err
	}
	if v.rev < "2025-06-18" {
		return result.failed(containing("elicitation"))
	}
	want := n
	for range 2 {
		if times := v.timesAsked(want); times != 1 {
			return fmt.Errorf("got %d elicitations for %d", times, want)
		}
		want += addend(want)
	}
	if v.timesAsked(want) > 0 {
		return errors.New("got a third elicitation")
	}
	return result.is(v.rev, server.Sum{Sum: want})
}

// rowsOf returns the expected result of rows.
func rowsOf(n int, seed int64) server.Rows {
	rows := server.Rows{Rows: []server.Row{}}
	for i := range n {
		rows.Rows = append(rows.Rows, server.Row{ID: i, Name: fmt.Sprintf("row %q of <%d>", fmt.Sprint(i), seed), Value: int64(i) * seed})
	}
	return rows
}

func rows(ctx context.Context, v *scenario) error {
	n, seed := v.IntN(3000), v.Int64N(1e6)
	return v.gives(ctx, "rows", object{"n": n, "seed": seed}, rowsOf(n, seed))
}

func fail(ctx context.Context, v *scenario) error {
	text := fmt.Sprintf("the disk %d is full", v.Int())
	result, _, err := v.call(ctx, "fail", object{"text": text})
	if err != nil {
		return err
	}
	return result.failed(exactly(text))
}

func crash(ctx context.Context, v *scenario) error {
	how := []string{"value", "index", "nil"}[v.IntN(3)]
	result, _, err := v.call(ctx, "crash", object{"how": how})
	if err != nil {
		return err
	}
	return result.failed(func(text string) bool {
		return strings.HasPrefix(text, "the tool failed with an internal error (reference ") && !strings.Contains(text, how)
	})
}

func late(ctx context.Context, v *scenario) error {
	result, _, err := v.call(ctx, "late", object{"ms": 1500 + v.IntN(500)})
	if err != nil {
		return err
	}
	return result.failed(containing("30ms"))
}

func misfit(ctx context.Context, v *scenario) error {
	args := []object{{"a": 1}, {"a": "1", "b": 2}, {"a": 1.5, "b": 2}, {"a": 1, "b": 2, "c": 3}, {"a": 2e12, "b": 0}, {}}[v.IntN(6)]
	result, _, err := v.call(ctx, "add", args)
	if err != nil {
		return err
	}
	return result.failed(containing("add: invalid arguments\n"))
}

func unknown(ctx context.Context, v *scenario) error {
	if v.IntN(2) == 0 {
		return v.refused(ctx, -32601, "no/such/method", nil)
	}
	return v.refused(ctx, -32602, "tools/call", object{"name": fmt.Sprintf("no_such_tool_%d", v.Int())})
}

// limited calls a tool more often than its rate limit allows.
func limited(ctx context.Context, v *scenario) error {
	for range 30 {
		n := v.Int64()
		result, _, err := v.call(ctx, "limited", object{"n": n})
		if err != nil {
			return err
		}
		if result.IsError {
			if err := result.failed(containing("too many calls", "call it again")); err != nil {
				return err
			}
			continue
		}
		var got server.Limited
		if err := json.Unmarshal([]byte(result.Content[0].Text), &got); err != nil {
			return err
		}
		if most := 10 + 20*float64(got.Since)/1000 + 1; got.N != n || float64(got.Runs) > most {
			return fmt.Errorf("got %+v: more runs than %.0f", got, most)
		}
	}
	return nil
}

// narrow makes concurrent calls of a tool with a low concurrency limit.
func narrow(ctx context.Context, v *scenario) error {
	const crowd = 8
	failed := make(chan error, crowd)
	for range crowd {
		n := v.Int64()
		side := &scenario{session: v.session}
		go func() { failed <- side.gives(ctx, "narrow", object{"n": n}, server.Number{N: n}) }()
	}
	var err error
	for range crowd {
		err = errors.Join(err, <-failed)
	}
	v.checked += crowd
	return err
}

func list(ctx context.Context, v *scenario) error {
	names, err := v.list(ctx)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, "extra_") && name != halfATool })
	want := []string{"add", "ask", "crash", "digest", "export", "fail", "late", "learn", "limited", "nap", "narrow", "report", "rows"}
	if !slices.Equal(names, want) {
		return fmt.Errorf("got tools %v, want %v", names, want)
	}
	return nil
}

// halfATool is the name of a tool that never exists, see halfRequest.
const halfATool = "extra_of_half_a_request"

// list returns the names of the tools.
func (v *scenario) list(ctx context.Context) ([]string, error) {
	v.sent = []byte("tools/list")
	tools, err := v.Tools(withFault(ctx))
	if err != nil {
		v.expectLate(ctx)
		return nil, v.mayBeLost(err)
	}
	v.checked++
	names := make([]string, len(tools))
	for i := range tools {
		names[i] = tools[i].Name
	}
	return names, nil
}

func batch(ctx context.Context, v *scenario) error {
	requests, sums := make([]json.RawMessage, 1+v.IntN(5)), map[string]int64{}
	for i := range requests {
		a, b := v.Int64N(1e12), v.Int64N(1e12)
		var err error
		if requests[i], err = v.rawRequest("tools/call", object{"name": "add", "arguments": object{"a": a, "b": b}}); err != nil {
			return err
		}
		var m message
		if err := json.Unmarshal(requests[i], &m); err != nil {
			return err
		}
		sums[string(m.ID)] = a + b
	}
	v.sent = encode(requests)
	answers, err := v.askBatch(ctx, v.sent)
	if err != nil {
		return err
	}
	for i := range answers {
		v.checked++
		result, err := readResult(&reply{Result: answers[i].Result, Error: answers[i].Error})
		if err != nil {
			return err
		}
		sum, asked := sums[string(answers[i].ID)]
		if !asked {
			return fmt.Errorf("%s: unexpected or second response", answers[i].ID)
		}
		delete(sums, string(answers[i].ID))
		if err := result.is(v.rev, server.Sum{Sum: sum}); err != nil {
			return err
		}
	}
	if len(sums) > 0 {
		return fmt.Errorf("%d of %d requests without response", len(sums), len(requests))
	}
	return nil
}

// change adds a tool, calls it, and removes it, and expects a notification of each change.
func change(ctx context.Context, v *scenario) error {
	w, err := v.Subscribe(ctx, "")
	if err != nil {
		return err
	}
	name := fmt.Sprintf("extra_%d", v.Uint64())
	a, b := v.Int64N(1e9), v.Int64N(1e9)
	for _, forget := range []bool{false, true} {
		if err := v.learn(ctx, name, forget); err != nil {
			return err
		}
		if err := awaitChange(ctx, w); err != nil {
			return err
		}
		names, err := v.list(ctx)
		if err != nil {
			return err
		}
		if slices.Contains(names, name) == forget {
			return fmt.Errorf("forgotten: %t, and the tools are %v", forget, names)
		}
		if forget {
			err = v.refused(ctx, -32602, "tools/call", object{"name": name, "arguments": object{"a": a, "b": b}})
		} else {
			err = v.gives(ctx, name, object{"a": a, "b": b}, server.Sum{Sum: a - b})
		}
		if err != nil {
			return err
		}
	}
	return closeSubscription(w)
}

// learn adds or removes a tool.
func (v *scenario) learn(ctx context.Context, name string, forget bool) error {
	return v.gives(ctx, "learn", object{"name": name, "forget": forget}, struct{}{})
}

// awaitChange waits for the notification of a change.
func awaitChange(ctx context.Context, w *client.Subscription) error {
	select {
	case _, told := <-w.Changed():
		if !told {
			return errors.Join(errors.New("subscription ended"), w.Err())
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("no change notification: %w", context.Cause(ctx))
	}
}

// closeSubscription closes a subscription, which must not have ended before.
func closeSubscription(w *client.Subscription) error {
	select {
	case _, told := <-w.Changed():
		if !told {
			return errors.Join(errors.New("subscription ended"), w.Err())
		}
	default:
	}
	return w.Close()
}

// storm changes the tools faster than subscribers read.
func storm(ctx context.Context, v *scenario) error {
	w, err := v.Subscribe(ctx, "")
	if err != nil {
		return err
	}
	name := fmt.Sprintf("extra_%d", v.Uint64())
	for i := range 20 {
		if err := v.learn(ctx, name, i%2 == 1); err != nil {
			return err
		}
	}
	if err := awaitChange(ctx, w); err != nil {
		return err
	}
	return closeSubscription(w)
}
