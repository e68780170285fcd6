package runtime

import "github.com/mcptool-go/mcptool/internal/envelope"

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
