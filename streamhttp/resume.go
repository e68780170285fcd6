package streamhttp

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// eventID is the id of an event: the number of its stream and its own. A stream that
// belongs to no request has a mark, for it can be replaced by another one.
func (s *stream) eventID(number int) string {
	kind := "r"
	if s.unbound {
		kind = "u"
	}
	return kind + strconv.Itoa(s.id) + "-" + strconv.Itoa(number)
}

// parseEventID reads what eventID wrote.
func parseEventID(id string) (stream, number int, unbound, ok bool) {
	kind, rest := id[:min(1, len(id))], id[min(1, len(id)):]
	first, second, found := strings.Cut(rest, "-")
	stream, errStream := strconv.Atoi(first)
	number, errNumber := strconv.Atoi(second)
	ok = found && (kind == "r" || kind == "u") && errStream == nil && errNumber == nil && stream > 0 && number >= 0
	return stream, number, kind == "u", ok
}

// pump writes a stream to a client until one of them ends, or another reader takes over.
func (h *handler) pump(w http.ResponseWriter, r *http.Request, session *session, s *stream, reader *reader) {
	defer s.leave(reader)
	out := beginEvents(w)
	canResume := h.config.replay > 0
	if canResume && session.hasPriming() {
		if out.prime(s.eventID(s.startOf(reader))) != nil {
			return
		}
	} else if out.flush() != nil { // so that the client sees the stream begin
		return
	}
	var tick <-chan time.Time
	if h.config.keepAlive > 0 {
		ticker := time.NewTicker(h.config.keepAlive)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		e, over := s.take(reader)
		if over {
			return
		}
		if e != nil {
			id := ""
			if canResume {
				id = s.eventID(e.number)
			}
			if out.message(id, e.msg) != nil {
				return
			}
			continue
		}
		select {
		case <-reader.news:
		case <-r.Context().Done():
			return
		case <-tick:
			if out.comment() != nil {
				return
			}
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
