package runtime

import "github.com/mcptool-go/mcptool/runtime/internal/wire"

// InFlight returns how many calls of a server count as in flight.
func InFlight(s *Server) int { return s.core().inFlight.Taken() }

// MethodEras returns the eras, legacy and modern, of each built-in method.
func MethodEras() map[string][]string {
	all := map[string][]string{}
	for name, m := range methodTable {
		if m.span.First <= wire.LatestLegacy {
			all[name] = append(all[name], "legacy")
		}
		if m.span.Last > wire.LatestLegacy {
			all[name] = append(all[name], "modern")
		}
	}
	return all
}

// Fixed returns the limits of a server that only tests can set. Call it before the first use of the server.
func Fixed(s *Server) *fixedLimits {
	if s.fixed == nil {
		own := defaultFixedLimits
		s.fixed = &own
	}
	return s.fixed
}

// ReadInto parses a message into m, as the goroutine that reads from a [Source] does.
func ReadInto(s *Server, m *Message, text []byte) { m.read(text, &s.core().limits) }
