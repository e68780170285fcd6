package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/bench/client"
)

// Work is what is asked for: a tool, and arguments that take turns, at least one.
type Work struct {
	Tool      string
	Arguments []json.RawMessage
}

// A Server is one that is put under load.
type Server struct {
	// Name is what it is called in reports.
	Name string
	// Where is its command or URL, for the report.
	Where string
	// Client is connected to it.
	Client *client.Client
	// PID is its process, where it is known otherwise than by Client; 0 for that of Client.
	PID int
	// Timeout is when a call that is not answered has failed; 0 means 30 s.
	Timeout time.Duration
}

// A session calls the tools of a server.
type session struct {
	server Server
	pipe   *Pipe // nil over HTTP
	lastID atomic.Int64
	lost   error // why it is not called any more
}

func newSession(s Server) *session {
	ss := &session{server: s}
	ss.lastID.Store(firstID)
	if stream, ok := s.Client.Stream(); ok {
		ss.pipe = &Pipe{Wire: stream, Timeout: s.Timeout}
	}
	return ss
}

// pid returns the process of the server, 0 if it is not known.
func (s *session) pid() int {
	if s.server.PID != 0 {
		return s.server.PID
	}
	return s.server.Client.PID()
}

// run puts the server under load.
func (s *session) run(ctx context.Context, l Load, w Work) (*Tally, error) {
	request, err := s.request(w)
	if err != nil {
		return nil, err
	}
	switch {
	case l.Rate > 0:
		return Open(ctx, l, s.call(w.Tool, request)), nil
	case s.pipe == nil:
		return Closed(ctx, l, s.call(w.Tool, request)), nil
	default:
		return s.pipe.Closed(ctx, l, request), nil
	}
}

// call returns what makes one call and waits for the answer.
func (s *session) call(tool string, request Request) Call {
	return func(ctx context.Context) error {
		answer, err := s.server.Client.RoundTrip(ctx, tool, request(nil, s.lastID.Add(1)))
		if err != nil {
			return err // what the server says comes in answers
		}
		return Judge(answer)
	}
}

// Once makes one call with each of the arguments, and returns the first error.
func Once(ctx context.Context, c *client.Client, w Work) error {
	s := newSession(Server{Client: c})
	request, err := s.request(w)
	if err != nil {
		return err
	}
	for range w.Arguments {
		if err := s.call(w.Tool, request)(ctx); err != nil {
			return err
		}
	}
	return nil
}

// request returns what makes the messages of calls: all but the ids is encoded once.
func (s *session) request(w Work) (Request, error) {
	if len(w.Arguments) == 0 {
		return nil, errors.New("a call needs arguments")
	}
	calls := make([]message, 0, len(w.Arguments))
	for _, arguments := range w.Arguments {
		params, err := json.Marshal(struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}{w.Tool, arguments})
		if err != nil {
			return nil, fmt.Errorf("the arguments of %s: %w", w.Tool, err)
		}
		encoded, err := s.server.Client.Encode(firstID, "tools/call", params)
		if err != nil {
			return nil, fmt.Errorf("the arguments of %s: %w", w.Tool, err)
		}
		// The id is the second member of what Encode makes, before anything that is not ours.
		head, tail, ok := bytes.Cut(encoded, strconv.AppendInt(nil, firstID, 10))
		if !ok {
			return nil, fmt.Errorf("impossible: a call without its id: %s", encoded)
		}
		calls = append(calls, message{head, tail})
	}
	return func(dst []byte, id int64) []byte {
		c := calls[id%int64(len(calls))]
		return append(strconv.AppendInt(append(dst, c.head...), id, 10), c.tail...)
	}, nil
}

// A message is a call without its id.
type message struct{ head, tail []byte }

// trouble says why a load has ended early; nil if the server is still there.
func (s *session) trouble(t *Tally) error {
	if stream, ok := s.server.Client.Stream(); ok {
		if err := stream.Trouble(); err != nil {
			return err
		}
	}
	if t.GaveUp {
		return errors.New(t.First[TransportError])
	}
	return nil
}
