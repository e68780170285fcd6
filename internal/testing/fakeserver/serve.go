package fakeserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// incoming is a message from a client.
type incoming struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
}

// ServeStdio serves messages until the input ends.
func (s *Server) ServeStdio(in io.Reader, out io.Writer) {
	var mu sync.Mutex
	emit := func(text []byte) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = out.Write(append(text, '\n')) // the client may have exited
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	session := &stream{emit: emit}
	s.open(session, func() {})
	running := map[string]context.CancelFunc{}
	for r := bufio.NewReader(in); ; {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		var m incoming
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		switch {
		case m.Method == "notifications/cancelled":
			var p struct{ RequestID json.RawMessage }
			if json.Unmarshal(m.Params, &p) == nil && running[string(p.RequestID)] != nil {
				running[string(p.RequestID)]()
			}
		case m.ID != nil && m.Method != "":
			requestCtx, cancelRequest := context.WithCancel(ctx)
			running[string(m.ID)] = cancelRequest
			go s.handle(requestCtx, m, "", emit)
		default:
			s.answered(m)
		}
	}
}

// ServeHTTP responds to POST requests with event streams, and to GET with the session stream.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	flusher, _ := w.(http.Flusher)
	var mu sync.Mutex
	emit := func(text []byte) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = fmt.Fprintf(w, "data: %s\n\n", text) // the client may have disconnected
		flusher.Flush()
	}
	if r.Method == http.MethodGet {
		w.Header().Set("Content-Type", "text/event-stream")
		session := &stream{emit: emit}
		s.open(session, func() {
			w.WriteHeader(http.StatusOK)
			flusher.Flush()
		})
		<-r.Context().Done()
		s.shut(session)
		return
	}
	var m incoming
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil || r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if m.ID == nil || m.Method == "" {
		s.answered(m)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	s.handle(r.Context(), m, r.Header.Get("Mcp-Name"), emit)
}

// answered handles the response to an elicitation.
func (s *Server) answered(m incoming) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if to := s.questions[string(m.ID)]; to != nil {
		delete(s.questions, string(m.ID))
		to <- m.Result // buffered; nil for an error
	}
}

// handle responds to a request.
func (s *Server) handle(ctx context.Context, m incoming, header string, emit func([]byte)) {
	s.mu.Lock()
	s.requests = append(s.requests, Request{m.Method, m.Params, header})
	s.mu.Unlock()
	if m.Method == "subscriptions/listen" && s.Results[m.Method] == nil {
		s.listen(ctx, m, emit)
		return
	}
	result, err := s.answer(ctx, m.Method, m.Params, s.asker(ctx, m, emit))
	refused := (*Error)(nil)
	switch {
	case errors.As(err, &refused):
		emit(message(object{"id": m.ID, "error": refused}))
		return
	case err != nil:
		return // the request was cancelled
	case result == nil:
		result = object{"resultType": "input_required", "inputRequests": object{"who": object{"method": "elicitation/create", "params": question}}, "requestState": "asked"}
	}
	if members, ok := result.(object); ok && isModern(m.Params) && members["resultType"] == nil {
		own := object{"resultType": "complete"}
		for name, value := range members {
			own[name] = value
		}
		result = own
	}
	emit(message(object{"id": m.ID, "result": result}))
}

// isModern reports whether a request is from the modern era.
func isModern(params json.RawMessage) bool {
	var p struct {
		Meta object `json:"_meta"`
	}
	return json.Unmarshal(params, &p) == nil && p.Meta["io.modelcontextprotocol/protocolVersion"] == Modern
}

// asker returns the func that a request uses to ask the user. Its answer is nil if the client must retry the request.
func (s *Server) asker(ctx context.Context, m incoming, emit func([]byte)) func(object) (json.RawMessage, error) {
	return func(question object) (json.RawMessage, error) {
		if isModern(m.Params) {
			var p struct {
				InputResponses map[string]json.RawMessage
				RequestState   string
			}
			if err := json.Unmarshal(m.Params, &p); err != nil {
				return nil, err
			}
			if p.InputResponses["who"] != nil && p.RequestState != "asked" {
				return nil, &Error{Code: -32602, Message: "the state is missing"}
			}
			return p.InputResponses["who"], nil
		}
		s.mu.Lock()
		s.lastID++
		id := strconv.Quote("q" + strconv.Itoa(s.lastID))
		answer := make(chan json.RawMessage, 1)
		s.questions[id] = answer
		s.mu.Unlock()
		emit(message(object{"id": json.RawMessage(id), "method": "elicitation/create", "params": question}))
		select {
		case text := <-answer:
			return text, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// listen serves a modern subscription.
func (s *Server) listen(ctx context.Context, m incoming, emit func([]byte)) {
	var p struct{ Notifications object }
	if err := json.Unmarshal(m.Params, &p); err != nil {
		emit(message(object{"id": m.ID, "error": Error{Code: -32602, Message: err.Error()}}))
		return
	}
	meta := object{"io.modelcontextprotocol/subscriptionId": m.ID}
	to := &stream{id: m.ID, wanted: p.Notifications, emit: emit, end: make(chan struct{})}
	if settings, _ := s.Capabilities["resources"].(object); settings["subscribe"] != true {
		delete(to.wanted, "resourceSubscriptions")
	}
	s.open(to, func() {
		emit(message(object{"method": "notifications/subscriptions/acknowledged", "params": object{"notifications": to.wanted, "_meta": meta}}))
	})
	defer s.shut(to)
	select {
	case <-to.end:
		emit(message(object{"id": m.ID, "result": object{"resultType": "complete", "_meta": meta}}))
	case <-ctx.Done():
	}
}
