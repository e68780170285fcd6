package streamhttp

import "bytes"

// A probe is a message that matters only to the connection that is there now: a ping. It is not an
// event of its stream, has no id, and is not there for a client that comes back.

// Probe implements [runtime.Prober], for the unbound stream that was opened last.
func (j *journal) Probe(msg []byte) (reached func() bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.open) == 0 {
		return nil
	}
	s := j.open[len(j.open)-1]
	written := s.probeLocked(msg)
	return func() bool {
		j.mu.Lock()
		defer j.mu.Unlock()
		return written() && len(j.open) > 0 && j.open[len(j.open)-1] == s // who opens another one is there
	}
}

// Probe implements [runtime.Prober].
func (s *stream) Probe(msg []byte) (reached func() bool) {
	j := s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	if s.reader == nil {
		return nil
	}
	written := s.probeLocked(msg)
	return func() bool {
		j.mu.Lock()
		defer j.mu.Unlock()
		return written()
	}
}

// probeLocked has the reader of s write msg. What it returns reports whether it has, and still reads. The
// caller of both holds the journal's mu.
func (s *stream) probeLocked(msg []byte) (written func() bool) {
	r := s.reader
	r.probe = bytes.Clone(msg)
	r.wake()
	return func() bool { return s.reader == r && r.probe == nil }
}

// takeProbe returns what r is to write that is no event, nil for nothing.
func (s *stream) takeProbe(r *reader) []byte {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	msg := r.probe
	r.probe = nil
	return msg
}
