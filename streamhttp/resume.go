package streamhttp

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
)

// eventID identifies an event of a session. A client that resumes a stream sends the id of the last event that it has
// read.
type eventID struct {
	standalone    bool // the stream belongs to no request, so any other such stream is equivalent
	stream, event int
}

// String returns the id as clients know it.
func (p eventID) String() string {
	kind := "r"
	if p.standalone {
		kind = "u"
	}
	return kind + strconv.Itoa(p.stream) + "-" + strconv.Itoa(p.event)
}

// parseEventID parses exactly the texts that String returns.
func parseEventID(id string) (p eventID, ok bool) {
	stream, event, _ := strings.Cut(id[min(1, len(id)):], "-")
	p.standalone = strings.HasPrefix(id, "u")
	p.stream, _ = strconv.Atoi(stream)
	p.event, _ = strconv.Atoi(event)
	return p, p.stream > 0 && p.event >= 0 && p.String() == id
}

// eventID returns the id of an event of s.
func (s *stream) eventID(number int) string {
	return eventID{s.standalone, s.id, number}.String()
}

// pump writes a stream to a client, until the stream, the connection or ctx ends, or another reader replaces this one.
func (h *handler) pump(ctx context.Context, out *eventStream, session *session, s *stream, reader *reader) {
	defer s.leave(reader)
	canResume := h.config.replay > 0
	var err error
	if canResume && session.hasPriming() {
		err = out.prime(s.eventID(s.startOf(reader)), h.retry(s))
	} else {
		err = out.flush() // so that the client sees that the stream has begun
	}
	var tick <-chan time.Time
	if h.config.keepAlive > 0 {
		ticker := time.NewTicker(h.config.keepAlive)
		defer ticker.Stop()
		tick = ticker.C
	}
	for err == nil {
		e, ended := s.take(reader)
		if ended {
			return
		}
		if e != nil {
			id := ""
			if canResume {
				id = s.eventID(e.number)
			}
			err = out.message(id, e.msg)
			continue
		}
		if msg := s.takePing(reader); msg != nil {
			err = out.message("", msg)
			continue
		}
		select {
		case <-reader.changed:
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), errPoll) {
				s.leavePolled(reader)
			}
			return
		case <-tick:
			err = out.comment()
		}
	}
}

// startOf returns the number of the event after which r begins to read.
func (s *stream) startOf(r *reader) int {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	if s.reader != r {
		return 0
	}
	return s.written
}
