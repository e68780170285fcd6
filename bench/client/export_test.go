package client

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// WithProbe says how long silence at a probe may last.
func WithProbe(o Options, d time.Duration) Options {
	o.probe = d
	return o
}

// MaxMessage makes the largest message smaller, for all tests of the package.
func MaxMessage(bytes int) { maxMessage = bytes }

// Encode returns a request as the session sends it.
func (c *Client) Encode(id int64, method string, params json.RawMessage) ([]byte, error) {
	return encode(id, method, params, c.meta())
}

// SetTimeout says how long requests may take from here on.
func (c *Client) SetTimeout(d time.Duration) { c.timeouts.timeout.Store(int64(d)) }

// HeaderText is text as a header has it.
var HeaderText = headerText

// StartTimeout is how long a server may take until it can be talked to.
func StartTimeout(o Options, t Target) time.Duration { return o.startTimeout(t) }

// Timeouts are timeouts, for tests.
type Timeouts struct{ p timeouts }

func NewTimeouts(timeout time.Duration) *Timeouts {
	p := new(Timeouts)
	p.p.timeout.Store(int64(timeout))
	return p
}

func (p *Timeouts) Within(ctx context.Context) (context.Context, func()) { return p.p.within(ctx) }
func (p *Timeouts) Activity()                                            { p.p.activity() }
func (p *Timeouts) Pause() func()                                        { return p.p.pause() }

// IsSilence reports whether a context has ended because no sign of life came.
func IsSilence(ctx context.Context) bool {
	var silent *NoAnswerError
	return errors.As(context.Cause(ctx), &silent)
}

// Gap is the line that stands for lines left out of what a crashed server wrote.
const Gap = gap
