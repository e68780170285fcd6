package stdio

import (
	"io"
	"os"
	"time"
)

// DefaultGrace is how long calls in flight may continue after the end of the input. The official clients wait the
// same time after they close a server's input, before they send SIGTERM.
const DefaultGrace = 2 * time.Second

// An Option configures [Serve].
type Option interface{ apply(*config) }

// In makes Serve read from r instead of the process's standard input: one end of a socket, or a pipe in a test. Serve
// does not close r. When its context ends, Serve interrupts a pending Read if r has a working SetReadDeadline method,
// as [net.Conn] has; otherwise one goroutine stays in Read until it returns.
func In(r io.Reader) Option { return inOption{r} }

// Out makes Serve write to w instead of the process's standard output. Each Write contains one or more whole
// messages, except that the newline of a message over 64 KiB may follow in the next Write. Writes do not overlap.
// Serve does not close w.
func Out(w io.Writer) Option { return outOption{w} }

// Grace sets how long calls in flight may continue after the end of the input or of the context; the default is
// [DefaultGrace]. Then their contexts are cancelled. Zero or less cancels them at once.
func Grace(d time.Duration) Option { return graceOption(d) }

// Notice makes Serve print the notice for a person at a terminal to w instead of the process's standard error. With
// [io.Discard] it prints none. If the input is not a terminal, no notice is printed in any case.
func Notice(w io.Writer) Option { return noticeOption{w} }

type (
	inOption     struct{ r io.Reader }
	outOption    struct{ w io.Writer }
	graceOption  time.Duration
	noticeOption struct{ w io.Writer }
)

func (o inOption) apply(c *config)     { c.in = o.r }
func (o outOption) apply(c *config)    { c.out = o.w }
func (o graceOption) apply(c *config)  { c.grace = time.Duration(o) }
func (o noticeOption) apply(c *config) { c.notice = o.w }

// config is what the options add up to.
type config struct {
	in     io.Reader // nil: standard input
	out    io.Writer // nil: standard output
	notice io.Writer
	grace  time.Duration
}

func newConfig(opts []Option) config {
	c := config{
		notice: os.Stderr, //nolint:forbidigo // the default of Notice
		grace:  DefaultGrace,
	}
	for _, o := range opts {
		o.apply(&c)
	}
	return c
}
