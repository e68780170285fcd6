package fakeserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Modern is the modern revision.
const Modern = "2026-07-28"

// A Server is a fake MCP server. Its exported fields must be set before it serves.
type Server struct {
	// Capabilities are declared unchanged.
	Capabilities map[string]any
	// Results overrides the results of methods.
	Results map[string]func(ctx context.Context, params json.RawMessage) (any, error)
	// Legacy makes the server reject the modern era.
	Legacy bool
	// Pages is the page size of lists; 0 means no limit.
	Pages int

	mu        sync.Mutex
	requests  []Request
	streams   map[*stream]bool
	followed  map[string]bool // by resources/subscribe
	questions map[string]chan json.RawMessage
	texts     map[string]string // texts changed by Set, by URI
	lastID    int
}

// A Request is a received request.
type Request struct {
	Method string
	Params json.RawMessage
	Header string // Mcp-Name, over HTTP
}

// An Error is a JSON-RPC error.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// New returns a server that declares all capabilities.
func New() *Server {
	return &Server{
		Capabilities: map[string]any{
			"tools": map[string]any{"listChanged": true}, "prompts": map[string]any{"listChanged": true},
			"resources": map[string]any{"listChanged": true, "subscribe": true}, "completions": map[string]any{},
		},
		streams: map[*stream]bool{}, followed: map[string]bool{}, questions: map[string]chan json.RawMessage{}, texts: map[string]string{},
	}
}

// Requests returns the requests of a method since the last call.
func (s *Server) Requests(method string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var of []Request
	s.requests = slices.DeleteFunc(s.requests, func(r Request) bool {
		if r.Method == method {
			of = append(of, r)
		}
		return r.Method == method
	})
	return of
}

// Set changes the text of a resource and notifies its subscribers.
func (s *Server) Set(uri, text string) {
	s.mu.Lock()
	s.texts[uri] = text
	s.mu.Unlock()
	s.Updated(uri)
}

// Updated notifies the subscribers of a resource, or of one above it, of an update.
func (s *Server) Updated(uri string) {
	s.notify("notifications/resources/updated", map[string]any{"uri": uri}, func(wanted map[string]any) bool {
		uris, _ := wanted["resourceSubscriptions"].([]any)
		return slices.ContainsFunc(uris, func(v any) bool { return strings.HasPrefix(uri, fmt.Sprint(v)) })
	}, func() bool {
		for followed := range s.followed {
			if strings.HasPrefix(uri, followed) {
				return true
			}
		}
		return false
	})
}

// Changed announces a change of a list: "tools", "prompts" or "resources".
func (s *Server) Changed(list string) {
	s.notify("notifications/"+list+"/list_changed", map[string]any{},
		func(wanted map[string]any) bool { return wanted[list+"ListChanged"] == true }, func() bool { return true })
}

// notify sends a notification to modern streams that subscribe to it, and to legacy streams if legacy returns true.
func (s *Server) notify(method string, params map[string]any, wants func(map[string]any) bool, legacy func() bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for to := range s.streams {
		own := map[string]any{}
		for name, value := range params {
			own[name] = value
		}
		switch {
		case to.id == nil && legacy():
		case to.id != nil && wants(to.wanted):
			own["_meta"] = map[string]any{"io.modelcontextprotocol/subscriptionId": to.id}
		default:
			continue
		}
		to.emit(message(map[string]any{"method": method, "params": own}))
	}
}

// Subscriptions returns the number of open streams, and the resources that legacy sessions subscribe to.
func (s *Server) Subscriptions() (streams int, uris []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for uri := range s.followed {
		uris = append(uris, uri)
	}
	return len(s.streams), uris
}

// EndStreams ends the modern subscriptions regularly.
func (s *Server) EndStreams() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for to := range s.streams {
		if to.id != nil {
			close(to.end)
			delete(s.streams, to)
		}
	}
}

// A stream receives the notifications of a legacy session or of a modern subscription.
type stream struct {
	id     any // nil in the legacy era
	wanted map[string]any
	emit   func([]byte)
	end    chan struct{}
}

// open calls begin, which announces the stream to the client, and adds the stream. No notification is sent in between,
// so none is missed.
func (s *Server) open(to *stream, begin func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	begin()
	s.streams[to] = true
}

func (s *Server) shut(to *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.streams, to)
}

// message returns a JSON-RPC message on one line.
func message(members map[string]any) []byte {
	members["jsonrpc"] = "2.0"
	text, err := json.Marshal(members)
	if err != nil {
		panic(err) //nolint:forbidigo // a bug in a test
	}
	return text
}
