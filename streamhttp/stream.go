package streamhttp

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/mcpheader"
)

// streams writes event streams, and limits the number of those that are open without a call.
type streams struct {
	*shared
	limit *admission.Share
}

// readStream returns the stream to read, and its reader; nil if the stream to resume has ended.
func readStream(q *request, replay *replayLog) (*stream, *reader, *httpError) {
	after, err := mcpheader.Single(q.r.Header, headerLastEvent)
	if errors.Is(err, mcpheader.ErrAbsent) || err == nil && after == "" {
		s, reader := replay.listen()
		return s, reader, nil
	}
	last, ok := parseEventID(after)
	if err != nil || !ok {
		return nil, nil, newError(http.StatusBadRequest, "the header "+headerLastEvent+" is not a valid event id")
	}
	s, reader, err := replay.resume(last)
	switch {
	case err == nil, errors.Is(err, errNothing):
	case last.stream == replay.general.id: // the event may be one of an earlier session
		s, reader = replay.listen()
	default:
		return nil, nil, newError(http.StatusBadRequest, "the stream cannot be resumed: "+err.Error())
	}
	return s, reader, nil
}

// enter counts an event stream that is open without a call, until leave is called. The error has the id of the
// message that requests the stream, if there is one.
func (t *streams) enter(q *request) (leave func(), _ *httpError) {
	who := transport.Caller(q.caller.access)
	if err := t.limit.Take(who, 1, admission.Within); err != nil {
		return nil, tooMany(q.id(), limitError(t.limit, err, "event streams"))
	}
	return func() { t.limit.Give(who, 1) }, nil
}

// String returns the id as clients know it.
func (p eventID) String() string { return strconv.Itoa(p.stream) + "-" + strconv.Itoa(p.event) }

// parseEventID parses exactly the texts that String returns.
func parseEventID(id string) (p eventID, ok bool) {
	stream, event, _ := strings.Cut(id, "-")
	p.stream, _ = strconv.Atoi(stream)
	p.event, _ = strconv.Atoi(event)
	return p, p.stream >= 0 && p.event >= 0 && p.String() == id
}

// pump writes a stream to a client, until the stream, the connection or ctx ends, poll is closed, or another reader
// replaces this one.
func (t *streams) pump(ctx context.Context, poll <-chan struct{}, out *eventStream, session *session, s *stream, reader *reader) {
	defer s.leave(reader)
	canResume := t.config.replay > 0
	var err error
	if canResume && session.hasPriming() {
		wait := retryAfter // until the client resumes the stream
		if t.config.pollOpen > 0 && s != session.replay.general {
			wait = t.config.pollPause
		}
		err = out.prime(eventID{s.id, reader.start}.String(), wait)
	} else {
		err = out.flush() // so that the client sees that the stream has begun
	}
	tick := time.Tick(t.config.keepAlive) // nil for zero and less
	for err == nil {
		e, ended := s.take(reader)
		if ended {
			return
		}
		if e != nil {
			id := ""
			if canResume && e.number > 0 {
				id = eventID{s.id, e.number}.String()
			}
			err = out.message(id, e.msg)
			continue
		}
		select {
		case <-reader.changed:
		case <-ctx.Done():
			return
		case <-poll:
			return
		case <-tick:
			err = out.comment()
		}
	}
}

// poll returns a channel that is closed when a connection of s, which may wait for a call, has been open for so long
// that the client is to reconnect, see [Poll]; nil if it never is. It is not closed after stop is called, or during a
// shutdown, when the client could not reconnect in time.
func (t *streams) poll(s *session, isCall bool) (_ <-chan struct{}, stop func() bool) {
	if t.config.pollOpen <= 0 || t.config.replay <= 0 || !isCall || !s.hasPriming() {
		return nil, func() bool { return false }
	}
	due := make(chan struct{})
	timer := time.AfterFunc(t.config.pollOpen, func() {
		if !t.life.isEnding() {
			close(due)
		}
	})
	return due, timer.Stop
}
