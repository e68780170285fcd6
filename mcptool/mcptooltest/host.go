package mcptooltest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/ask"
	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/mcptool"
)

// host is a [Client] with the methods that package mcptool calls.
type host struct{ *Client }

// CallInfo describes the call.
func (h host) CallInfo() mcptool.CallInfo {
	info := mcptool.CallInfo{Client: mcptool.ClientInfo{Name: "mcptooltest"}, Capabilities: h.declared(), Principal: h.Principal}
	if access := h.access(); access != nil {
		info.Tenant, info.Claims = access.Tenant, access.Claims
	}
	return info
}

// Progress records a report.
func (h host) Progress(done, total float64, message string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.begun && done <= h.reports[len(h.reports)-1].Done {
		return
	}
	h.begun = true
	h.reports = append(h.reports, ProgressReport{done, total, message})
}

// LogHandler returns a handler that records what is logged.
func (h host) LogHandler() slog.Handler { return &recorder{client: h.Client} }

// Ask answers the requests, or with Replay records those without an answer.
func (h host) Ask(ctx context.Context, requests []ask.Request) ([]json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if h.open != nil {
		return h.later(requests)
	}
	return h.answerAll(requests)
}

// Once keeps the values of [mcptool.Once] for the call.
func (h host) Once(ctx context.Context, key, goType string, fn func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	h.mu.Lock()
	if h.run == nil { // not in a call by a method of the client
		h.run = replay.NewRun(replay.Log{}, nil)
	}
	run := h.run
	h.mu.Unlock()
	return run.Once(ctx, key, goType, fn)
}

// answerAll answers requests one after the other.
func (h host) answerAll(requests []ask.Request) ([]json.RawMessage, error) {
	answers := make([]json.RawMessage, len(requests))
	for i := range requests {
		var err error
		if answers[i], err = h.answer(&requests[i]); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// later returns the answers that were given before this run, and records the other requests to be answered after it.
func (h host) later(requests []ask.Request) ([]json.RawMessage, error) {
	questions := make([]replay.Question, len(requests))
	for i := range requests {
		r := &requests[i]
		received, err := requestOf(r)
		if err != nil {
			return nil, err
		}
		content, err := json.Marshal(received)
		if err != nil {
			return nil, err
		}
		questions[i] = replay.Question{Key: r.Key, Content: content, Fits: r.Kind.Fits}
		h.mu.Lock()
		h.open[string(content)] = r
		h.mu.Unlock()
	}
	answers, _, err := h.run.Ask(questions)
	return answers, err
}

// requestOf returns a request as the client receives it.
func requestOf(r *ask.Request) (received Request, err error) {
	received = Request{Capability: r.Kind.String(), Key: r.Key, Message: r.Message, URL: r.URL}
	received.Sample, _ = r.Sample.(*mcptool.SampleRequest)
	if r.Form != nil {
		received.Form, err = r.Form.Schema(true)
	}
	return received, err
}

// answer returns the next answer, for a request.
func (h host) answer(r *ask.Request) (json.RawMessage, error) {
	received, err := requestOf(r)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	n := len(h.asked)
	h.asked = append(h.asked, received)
	if n >= len(h.Answers) {
		return nil, fmt.Errorf("no answer to request %d: %s", n+1, r.Message)
	}
	return answerOf(r.Kind, h.Answers[n])
}
