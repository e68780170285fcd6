package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// source is the lines of a connection as a [runtime.Source]. It ends with the
// input or with ctx.
type source struct {
	*connection
	ctx context.Context
}

// Next implements [runtime.Source]. A line that is too long is refused here: what there
// is of it is no message.
func (s *source) Next() ([]byte, error) {
	for {
		line, err := s.lines.next()
		if s.ctx.Err() != nil {
			return nil, io.EOF // nobody waits for what was read, or not
		}
		if !errors.Is(err, errLineTooLong) {
			return line, err
		}
		s.session.Reject(fmt.Errorf("the message is larger than %d bytes", s.limits.MaxMessageBytes), s.lines.head)
	}
}

// Ready implements [runtime.Source].
func (s *source) Ready() bool { return s.lines.ready() }

// Detach implements [runtime.Source].
func (s *source) Detach() { s.lines.detach() }
