package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// source is the [engine.Source] of the lines of a connection. It ends when the
// input or ctx ends.
type source struct {
	*connection
	ctx context.Context
}

// Next implements [engine.Source]. It rejects lines that are too long, because only their
// beginning was kept.
func (s *source) Next() ([]byte, error) {
	for {
		line, err := s.lines.next()
		if s.ctx.Err() != nil {
			return nil, io.EOF // the session has stopped reading, so the result does not matter
		}
		if !errors.Is(err, errLineTooLong) {
			return line, err
		}
		s.session.Reject(fmt.Errorf("the message is larger than %d bytes", s.limits.MaxMessageBytes), line)
	}
}

// Ready implements [engine.Source].
func (s *source) Ready() bool { return s.lines.ready() }

// Detach implements [engine.Source].
func (s *source) Detach() { s.lines.detach() }
