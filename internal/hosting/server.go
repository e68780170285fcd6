package hosting

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime"
)

var transport = runtime.Internal(private.Key{})

// Server serves requests with the engine. It is safe for concurrent use.
type Server struct {
	settings *runtime.Server
	endpoint engine.Endpoint
	ids      atomic.Int64
}

// NewServer returns a Server with the items and settings of s. When ctx ends, its calls are
// cancelled with the cause [runtime.ErrShutdown].
func NewServer(ctx context.Context, s *runtime.Server) *Server {
	return &Server{settings: s, endpoint: transport.Endpoint(ctx, s)}
}

// Client is the client of one request. Messages to it are sent through its session of the other
// framework.
type Client interface {
	// Notify sends a notification. The error is as for Notify of an [engine.Writer].
	Notify(method string, params json.RawMessage) error
	// Ask sends a request and returns its result, as Ask of an [engine.Writer].
	Ask(ctx context.Context, request []byte) (json.RawMessage, error)
}

// Origin describes the sender of a request by fields of an [engine.Message].
type Origin struct {
	Access   *runtime.Access
	Revision string
	Peer     *engine.Peer
	Header   map[string][]string
}

// Error is an error with which the engine answers a request.
type Error struct {
	Code    int
	Message string
	Data    json.RawMessage
}

func (e *Error) Error() string { return e.Message }

// Do serves a request and returns its result. Params is encoded as JSON. The error is an [*Error],
// or the cause of the end of ctx.
func (s *Server) Do(ctx context.Context, method string, params any, from Origin, client Client) (json.RawMessage, error) {
	text, err := json.Marshal(struct {
		JSONRPC string `json:"jsonrpc"`
		ID      int64  `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{"2.0", s.ids.Add(1), method, params})
	if err != nil {
		return nil, err
	}
	msg := transport.Read(s.settings, text)
	msg.Access, msg.Revision, msg.Peer, msg.Header = (*engine.Access)(from.Access), from.Revision, from.Peer, from.Header
	x := &exchange{Client: client, done: make(chan struct{})}
	// In its own goroutine, because a tool may end it, or ignore ctx.
	go s.endpoint.Answer(ctx, msg, x)
	<-x.done
	if x.response == nil { // the client has cancelled the request
		return nil, cmp.Or(context.Cause(ctx), context.Canceled)
	}
	var response struct {
		Error  *Error
		Result json.RawMessage
	}
	if err := json.Unmarshal(x.response, &response); err != nil {
		return nil, err
	}
	if response.Error != nil {
		return nil, response.Error
	}
	return response.Result, nil
}

// exchange is the [engine.Writer] of one request.
type exchange struct {
	Client
	response []byte
	done     chan struct{} // closed when response is set
}

// Notify implements [engine.Writer].
func (x *exchange) Notify(msg []byte) error {
	var n struct {
		Method string
		Params json.RawMessage
	}
	if err := json.Unmarshal(msg, &n); err != nil {
		return err
	}
	return x.Client.Notify(n.Method, n.Params)
}

// Respond implements [engine.Writer].
func (x *exchange) Respond(msg []byte, end engine.End) error {
	defer end.Wrote()
	x.response = bytes.Clone(msg)
	close(x.done)
	return nil
}

// Entries returns the entries of a list of tools, prompts, resources or templates by their name, URI or template, for the
// wanted ones. The func page returns the page at a cursor, "" for the first one. It is called until all are found, because
// a framework that sends lists in pages needs only some entries for each.
func Entries(wanted []string, page func(cursor string) (json.RawMessage, error)) (found map[string]json.RawMessage, err error) {
	missing := map[string]bool{}
	for _, key := range wanted {
		missing[key] = true
	}
	found = make(map[string]json.RawMessage, len(missing))
	for cursor := ""; len(missing) > 0; {
		raw, err := page(cursor)
		if err != nil {
			return nil, err
		}
		s := rawjson.New(raw, 0)
		s.OpenObject()
		cursor = ""
		for member, ok := s.Member(); ok; member, ok = s.Member() {
			switch name := string(member); {
			case keys[name] != "":
				findEntries(&s, keys[name], missing, found)
			case name == "nextCursor":
				cursor = string(rawjson.Unquote(s.Value()))
			default:
				s.Value()
			}
		}
		if s.End(); s.Err() != nil {
			return nil, s.Err()
		}
		if cursor == "" {
			break
		}
	}
	return found, nil
}

// keys are the members of lists with their entries, and the members that identify an entry.
var keys = map[string]string{"tools": "name", "prompts": "name", "resources": "uri", "resourceTemplates": "uriTemplate"}

// findEntries reads an array of entries, and moves those that are missing to found.
func findEntries(s *rawjson.Scanner, key string, missing map[string]bool, found map[string]json.RawMessage) {
	for s.OpenArray(); s.Element(); {
		entry := s.Value()
		name := rawjson.Lookup(entry, key)
		if rawjson.KindOf(name) != rawjson.String {
			continue
		}
		if text := string(rawjson.Unquote(name)); missing[text] {
			found[text] = entry
			delete(missing, text)
		}
	}
}

// WithoutTasks returns a copy of the _meta of a request whose client does not support tasks: other
// frameworks cannot serve the requests about them.
func WithoutTasks(meta map[string]any) map[string]any {
	const declared, tasks = "io.modelcontextprotocol/clientCapabilities", "io.modelcontextprotocol/tasks"
	meta = maps.Clone(meta)
	capabilities, _ := meta[declared].(map[string]any)
	extensions, _ := capabilities["extensions"].(map[string]any)
	if extensions[tasks] == nil {
		return meta
	}
	capabilities, extensions = maps.Clone(capabilities), maps.Clone(extensions)
	delete(extensions, tasks)
	capabilities["extensions"], meta[declared] = extensions, capabilities
	return meta
}
