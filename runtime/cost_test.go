//go:build !race && unix

package runtime_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestCallCost compares the processor time of a call with that of a handwritten implementation with encoding/json and no
// checks. It takes the least ratio of several rounds, and the limits are about twice the usual ratio, to find only large
// regressions on a busy machine. internal/lab/throughput measures smaller ones.
func TestCallCost(t *testing.T) {
	typed, params := quoteTool(t), quoteParams
	for _, test := range []struct {
		name, text string
		limit      float64
	}{
		{"legacy", legacy("1000", "tools/call", params), 0.6},
		{"modern", modern("1000", "tools/call", ","+params), 0.6},
		{"wrong", legacy("1000", "tools/call", strings.Replace(params, "lots", "lot", 1)), 2.5},
		{"ping", legacy("1000", "ping", ""), 0.15},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLoop(test.text)
			session := l.start(t, serve(t, typed))
			right := []byte(legacy("1000", "tools/call", params))
			const calls = 2000
			l.run(t, session, calls)
			var ratios []float64
			for range 15 {
				ours := processorTime(t, func() { l.run(t, session, calls) })
				byHand := processorTime(t, func() {
					for range calls {
						if answer, err := quoteByHand(right); err != nil || len(answer) == 0 {
							t.Fatal(err)
						}
					}
				})
				ratios = append(ratios, float64(ours)/float64(byHand))
			}
			least := slices.Min(ratios)
			t.Logf("ratio to the handwritten loop: %.2f to %.2f", least, slices.Max(ratios))
			if least > test.limit {
				t.Errorf("ratio to the handwritten loop = %.2f, want at most %.2f", least, test.limit)
			}
		})
	}
}

// quoteByHand answers a call of quote_of like a program with this one tool.
func quoteByHand(request []byte) ([]byte, error) {
	var call struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"params"`
	}
	if err := json.Unmarshal(request, &call); err != nil {
		return nil, err
	}
	var in quoteIn
	if err := json.Unmarshal(call.Params.Arguments, &in); err != nil {
		return nil, err
	}
	out, err := quoteOf(context.Background(), in)
	if err != nil {
		return nil, err
	}
	structured, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	type block struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	type result struct {
		Content    []block         `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
	}
	return json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  result          `json:"result"`
	}{"2.0", call.ID, result{[]block{{"text", string(structured)}}, structured}})
}

// processorTime returns the processor time that the process uses during fn.
func processorTime(t *testing.T, fn func()) time.Duration {
	t.Helper()
	before := rusage(t)
	fn()
	return rusage(t) - before
}

func rusage(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
