package streamhttp

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
)

// place is where in a session's streams a client has read to: after which event of which stream.
type place struct {
	unbound       bool // the stream belongs to no request, so another one does as well
	stream, event int
}

// String returns the place as an event id.
func (p place) String() string {
	kind := "r"
	if p.unbound {
		kind = "u"
	}
	return kind + strconv.Itoa(p.stream) + "-" + strconv.Itoa(p.event)
}

// parsePlace reads what String wrote, and nothing else.
func parsePlace(id string) (p place, ok bool) {
	stream, event, _ := strings.Cut(id[min(1, len(id)):], "-")
	p.unbound = strings.HasPrefix(id, "u")
	p.stream, _ = strconv.Atoi(stream)
	p.event, _ = strconv.Atoi(event)
	return p, p.stream > 0 && p.event >= 0 && p.String() == id
}

// eventID is the id of an event of s.
func (s *stream) eventID(number int) string {
	return place{s.unbound, s.id, number}.String()
}

// pump writes a stream to a client until one of them ends, or ctx, or another reader takes over.
func (h *handler) pump(ctx context.Context, out *eventStream, session *session, s *stream, reader *reader) {
	defer s.leave(reader)
	canResume := h.config.replay > 0
	var err error
	if canResume && session.hasPriming() {
		err = out.prime(s.eventID(s.startOf(reader)), h.retry(s))
	} else {
		err = out.flush() // so that the client sees the stream begin
	}
	var tick <-chan time.Time
	if h.config.keepAlive > 0 {
		ticker := time.NewTicker(h.config.keepAlive)
		defer ticker.Stop()
		tick = ticker.C
	}
	for err == nil {
		e, over := s.take(reader)
		if over {
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
		if msg := s.takeProbe(reader); msg != nil {
			err = out.message("", msg)
			continue
		}
		select {
		case <-reader.news:
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), errTurn) {
				s.hangUp(reader)
			}
			return
		case <-tick:
			err = out.comment()
		}
	}
}

// startOf returns the number of the event after which r reads.
func (s *stream) startOf(r *reader) int {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	if s.reader != r {
		return 0
	}
	return s.written
}
