package runtime

// InFlight returns how many calls of a server count as in flight.
func InFlight(s *Server) int { return s.core().inFlight.Taken() }
