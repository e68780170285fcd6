package runtime

import (
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/jsonscan"
)

// notified handles a notification. None is ever answered, so those we do not know
// and those that are malformed are just ignored.
func (s *Session) notified(m *envelope.Message) {
	switch string(m.Method) {
	case "notifications/initialized":
		s.initialized()
	case "notifications/cancelled":
		s.cancelNotified(&m.Params)
	}
}

// cancelNotified takes notifications/cancelled. Requests that are not in flight, because they
// are answered already or never came, are nothing to worry about.
func (s *Session) cancelNotified(p *envelope.Params) {
	var id []byte
	var reason string
	members(p.Raw, func(name string, value []byte) {
		switch {
		case name == "requestId":
			id = value
		case name == "reason" && jsonscan.KindOf(value) == jsonscan.String:
			reason = oneLine(string(jsonscan.Unquote(value)), s.limits.Text)
		}
	})
	if envelope.ValidID(id) {
		s.cancelRequest(envelope.Key(id), reason)
	}
}
