package main

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func (s *story) terminate(t *testing.T) {
	t.Helper()
	ada := s.token("ada", "acme")
	s.report = s.begin(t, ada, "report", "{}")
	called, ended := make(chan string, 1), make(chan error, 1)
	go func() { called <- s.ada[revisions[0]].call(t, "report", nil) }()
	next(t, s.ada[revisions[0]].progress)
	go func() { ended <- s.instance.Stop() }()
	for s.ready(t) == http.StatusOK {
		time.Sleep(time.Millisecond) // the signal arrives soon, and the call takes seconds
	}
	if _, err := s.request(t, ada, "tools/call", "report", `"name":"report","arguments":{}`); err == nil {
		t.Error("a new call is served")
	} else {
		want(t, "a new call", err.Error(), "503")
	}
	for _, id := range []string{s.report, s.export} {
		if state, err := s.get(t, ada, id); err != nil || state.Status != "working" {
			t.Errorf("tasks/get during the shutdown: %+v %v", state, err)
		}
	}
	want(t, "the running call", next(t, called), "acme has 1 tickets")
	if err := next(t, ended); err != nil {
		t.Errorf("the process after SIGTERM: %v", err)
	}
}

func (s *story) resume(t *testing.T) {
	t.Helper()
	s.start(t, "-export", "1ms")
	for _, u := range []*user{s.ada[revisions[0]], s.bob[revisions[0]], s.spy[revisions[0]]} {
		if _, err := u.ListTools(t.Context(), nil); err != nil {
			t.Errorf("a session from before the restart: %v", err)
		}
	}
	s.log.find(t, "session resumed")
	want(t, "a ticket of acme, for globex", s.spy[revisions[0]].read(t, 2), "not found")
}

func (s *story) subscribeAgain(t *testing.T) {
	t.Helper()
	for _, revision := range revisions {
		for _, u := range []*user{s.bob[revision], s.spy[revision]} {
			for _, id := range []int{1, 3} {
				_ = u.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: ticketURI(id)}) // the client of the SDK has not noticed
			}
		}
	}
	s.update(t)
}

// answerAfterRestart answers a question about a title, which has been renamed again since the restart.
func (s *story) answerAfterRestart(t *testing.T) {
	t.Helper()
	want(t, "ada of globex", s.reply(t, s.spy[modern], s.open), "invalid or expired")
	want(t, "ada of acme", s.reply(t, s.asking, s.open), "closed")
}

func (s *story) reportAfterRestart(t *testing.T) {
	t.Helper()
	want(t, "the result", s.result(t, s.report), "acme has 1 tickets")
}

// result waits for the text of a task of ada.
func (s *story) result(t *testing.T, id string) string {
	t.Helper()
	state := s.await(t, s.token("ada", "acme"), id, "completed")
	if len(state.Result.Content) != 1 {
		t.Fatalf("got %+v, want one text", state)
	}
	return state.Result.Content[0].Text
}

func (s *story) exportAfterRestart(t *testing.T) {
	t.Helper()
	if state, err := s.get(t, s.token("ada", "globex"), s.export); err == nil {
		t.Errorf("ada of globex gets %+v", state)
	}
	want(t, "the result", s.result(t, s.export), "acme has exported: a printer is out")
}

func (s *story) refundAfterRestart(t *testing.T) {
	t.Helper()
	ada := s.token("ada", "acme")
	state := s.await(t, ada, s.refund, "input_required")
	if err := s.answer(t, s.token("ada", "globex"), s.refund, state); err == nil {
		t.Error("ada of globex may answer")
	}
	if err := s.answer(t, ada, s.refund, state); err != nil {
		t.Fatal(err)
	}
	want(t, "the result", s.result(t, s.refund), "acme has refunded 500 cents")
}

// unanswered starts a process in which questions are open for a second, with all tickets.
func (s *story) unanswered(t *testing.T) {
	t.Helper()
	s.stop(t)
	s.start(t, "-answer", "1s", "-grace", "500ms")
	ada := s.ada[revisions[0]]
	ada.answers = func(ctx context.Context, _ *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	want(t, "close", ada.call(t, "close_ticket", map[string]any{"id": 1}), "no answer")
	want(t, "the ticket after that", ada.read(t, 1), "a printer is on fire")
}

func (s *story) tooLate(t *testing.T) {
	t.Helper()
	open := s.ask(t)
	time.Sleep(1500 * time.Millisecond) // the client has no signal
	want(t, "the answer", s.reply(t, s.asking, open), "invalid or expired")
	want(t, "the ticket after that", s.ada[modern].read(t, 1), "a printer is on fire")
}

// waiting ends the process while it asks ada, who does not answer.
func (s *story) waiting(t *testing.T) {
	t.Helper()
	ada := s.ada[revisions[0]]
	asked, result := make(chan struct{}, 1), make(chan string, 1)
	ada.answers = func(ctx context.Context, _ *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		asked <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	go func() { result <- ada.call(t, "close_ticket", map[string]any{"id": 1}) }()
	next(t, asked)
	s.stop(t)
	want(t, "the call", next(t, result), "the server is shutting down")
}

// otherKeys starts a process without the files of the others, like one without StateKeys.
func (s *story) otherKeys(t *testing.T) {
	t.Helper()
	dir := s.dir
	s.dir = t.TempDir()
	defer func() { s.dir = dir }()
	before := s.log.String()
	s.start(t)
	id := s.bob[revisions[0]].ID()
	if got := s.status(t, s.token("bob", "acme"), id); got != http.StatusNotFound {
		t.Errorf("got status %d, want 404", got)
	}
	s.stop(t) // after which the log is complete
	if log := strings.TrimPrefix(s.log.String(), before); !strings.Contains(log, "Server.StateKeys") {
		t.Errorf("the log does not name Server.StateKeys:\n%s", log)
	}
}

// ready returns the status of the readiness probe.
func (s *story) ready(t *testing.T) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(s.url(), "/mcp")+"/readyz", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}
