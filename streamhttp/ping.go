package streamhttp

import "bytes"

// A ping concerns only one open connection. It is not an event of its stream, has no id, and is not repeated for a
// client that resumes the stream.

// Probe implements [runtime.Outbox]. It uses the standalone stream that was opened last.
func (l *replayLog) Probe(msg []byte) (reached func() bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) == 0 {
		return nil
	}
	s := l.open[len(l.open)-1]
	written := s.pingLocked(msg)
	return func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return written() && len(l.open) > 0 && l.open[len(l.open)-1] == s // a client that opens another stream is alive
	}
}

// Probe implements [runtime.Outbox].
func (s *stream) Probe(msg []byte) (reached func() bool) {
	l := s.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.reader == nil {
		return nil
	}
	written := s.pingLocked(msg)
	return func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return written()
	}
}

// pingLocked makes the reader of s write msg. The returned func reports whether the reader has written it and still
// reads. The mutex of the log must be held for both.
func (s *stream) pingLocked(msg []byte) (written func() bool) {
	r := s.reader
	r.ping = bytes.Clone(msg)
	r.wake()
	return func() bool { return s.reader == r && r.ping == nil }
}

// takePing returns the ping that r must write; nil if there is none.
func (s *stream) takePing(r *reader) []byte {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	msg := r.ping
	r.ping = nil
	return msg
}
