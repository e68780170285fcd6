package client

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/process"
)

// WithProbe sets how long a probe waits for a sign of life.
func WithProbe(o Options, d time.Duration) Options {
	o.probe = d
	return o
}

// MaxMessage lowers the maximum message size for all tests of the package.
func MaxMessage(bytes int) { maxMessage = bytes }

// Encode returns a request as the session sends it.
func (c *Client) Encode(id int64, method string, params json.RawMessage) ([]byte, error) {
	return encode(id, method, params, c.meta())
}

// SetTimeout sets the timeout for subsequent requests.
func (c *Client) SetTimeout(d time.Duration) { c.timeouts.timeout.Store(int64(d)) }

// SetActivity sets the time of the last activity.
func (c *Client) SetActivity(at time.Time) { c.timeouts.alive.Store(&at) }

// StartTimeout returns the time that a server has to start.
func StartTimeout(o Options, t Target) time.Duration { return o.startTimeout(t) }

// Timeouts exports timeouts for tests.
type Timeouts struct{ p timeouts }

func NewTimeouts(timeout time.Duration) *Timeouts {
	p := new(Timeouts)
	p.p.timeout.Store(int64(timeout))
	return p
}

func (p *Timeouts) Within(ctx context.Context) (context.Context, func()) { return p.p.within(ctx) }
func (p *Timeouts) Activity()                                            { p.p.activity() }
func (p *Timeouts) Pause() func()                                        { return p.p.pause() }

// IsSilence reports whether a context ended because the server showed no activity.
func IsSilence(ctx context.Context) bool {
	var silent *NoAnswerError
	return errors.As(context.Cause(ctx), &silent)
}

// Gap is the line that replaces omitted lines in the output of a crashed server.
const Gap = process.Gap

// PollDelay returns the delay before the next poll of a task, in JSON.
func PollDelay(state string) (time.Duration, error) {
	var t task
	err := json.Unmarshal([]byte(state), &t)
	return t.delay(), err
}
