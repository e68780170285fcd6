package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// Work is a tool with at least one set of arguments, which are used in turn.
type Work struct {
	Tool      string
	Arguments []json.RawMessage
}

// A Server is a server under load.
type Server struct {
	// Name is its name in reports.
	Name string
	// Where is its command or URL, for the report.
	Where string
	// Client is connected to it.
	Client *client.Client
	// PID is its process id; 0 means the process of Client.
	PID int
	// Counters is the URL of its counters, such as http://127.0.0.1:8080/readyz?verbose; "" means none. They are read
	// before and after each measurement, if the server has them.
	Counters string
}

// A session calls the tools of a server.
type session struct {
	server  Server
	lastID  atomic.Int64
	counted Counted // zero without counters
	lost    error   // why the server was lost; nil if it was not
}

// firstID is the first id of calls: above the ids that the client uses for its own requests, with a constant number of
// digits, and within 32 bits for some hundreds of millions of calls.
const firstID = 1_500_000_000

func newSession(s Server) *session {
	ss := &session{server: s}
	ss.lastID.Store(firstID)
	return ss
}

// pid returns the process id of the server; 0, which no process has, if unknown.
func (s *session) pid() int {
	if s.server.PID != 0 {
		return s.server.PID
	}
	return s.server.Client.PID()
}

// run puts the server under load.
func (s *session) run(ctx context.Context, l Load, w Work) (*Tally, error) {
	call, err := s.call(ctx, w)
	switch {
	case err != nil:
		return nil, err
	case l.Rate > 0:
		return Open(ctx, l, call), nil
	default:
		return Closed(ctx, l, call), nil
	}
}

// call returns a func that starts the calls in turn.
func (s *session) call(ctx context.Context, w Work) (Call, error) {
	taskOnly, err := s.server.Client.TaskOnly(ctx, w.Tool)
	if err != nil || taskOnly {
		return func(ctx context.Context, done func(error)) error {
			go func() { done(s.runTask(ctx, w)) }()
			return nil
		}, err
	}
	calls, err := s.prepare(ctx, w)
	return func(ctx context.Context, done func(error)) error {
		id := s.lastID.Add(1)
		return s.server.Client.Start(ctx, calls[id%int64(len(calls))], id, func(answer []byte, err error) {
			if err == nil {
				err = Judge(answer)
			}
			done(err)
		})
	}, err
}

// runTask calls a tool as a task and waits for the result of the task. The response to the call itself only confirms
// that the task was created.
func (s *session) runTask(ctx context.Context, w Work) error {
	id := s.lastID.Add(1)
	result, err := s.server.Client.Call(ctx, w.Tool, w.Arguments[id%int64(len(w.Arguments))])
	if refused, ok := errors.AsType[*client.RPCError](err); ok {
		return &CallError{ProtocolError, fmt.Sprintf("%s (%d)", refused.Message, refused.Code)}
	}
	if err != nil || !result.IsError {
		return err
	}
	return toolError(result.Content)
}

// prepare encodes the calls without their ids.
func (s *session) prepare(ctx context.Context, w Work) ([]*client.Prepared, error) {
	calls := make([]*client.Prepared, len(w.Arguments))
	for i, arguments := range w.Arguments {
		var err error
		if calls[i], err = s.server.Client.Prepare(ctx, w.Tool, arguments); err != nil {
			return nil, err
		}
	}
	return calls, nil
}

// err returns why a load ended early; nil if the server is still running.
func (s *session) err(t *Tally) error {
	if stream, ok := s.server.Client.Stream(); ok {
		if err := stream.Err(); err != nil {
			return err
		}
	}
	if t.GaveUp {
		return errors.New(t.First[TransportError])
	}
	return nil
}
