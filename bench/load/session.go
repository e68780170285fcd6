package load

import (
	"context"
	"encoding/json"
	"errors"
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
	calls, err := s.prepare(ctx, w)
	if err != nil {
		return nil, err
	}
	switch {
	case l.Rate > 0:
		return Open(ctx, l, s.call(calls)), nil
	case s.pipe == nil:
		return Closed(ctx, l, s.call(calls)), nil
	default:
		return s.pipe.Closed(ctx, l, func(dst []byte, id int64) []byte { return turn(calls, id).Append(dst, id) }), nil
	}
}

// call returns what makes one call and waits for the answer.
func (s *session) call(calls []*client.Prepared) Call {
	return func(ctx context.Context) error {
		id := s.lastID.Add(1)
		answer, err := s.server.Client.RoundTrip(ctx, turn(calls, id), id)
		if err != nil {
			return err // what the server says comes in answers
		}
		return Judge(answer)
	}
}

// Once makes one call with each of the arguments, and returns the first error.
func Once(ctx context.Context, c *client.Client, w Work) error {
	s := newSession(Server{Client: c})
	calls, err := s.prepare(ctx, w)
	if err != nil {
		return err
	}
	for range calls {
		if err := s.call(calls)(ctx); err != nil {
			return err
		}
	}
	return nil
}

// prepare encodes the calls, all but their ids.
func (s *session) prepare(ctx context.Context, w Work) ([]*client.Prepared, error) {
	if len(w.Arguments) == 0 {
		return nil, errors.New("a call needs arguments")
	}
	calls := make([]*client.Prepared, len(w.Arguments))
	for i, arguments := range w.Arguments {
		var err error
		if calls[i], err = s.server.Client.Prepare(ctx, w.Tool, arguments); err != nil {
			return nil, err
		}
	}
	return calls, nil
}

// turn returns the call whose turn it is.
func turn(calls []*client.Prepared, id int64) *client.Prepared { return calls[id%int64(len(calls))] }

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
