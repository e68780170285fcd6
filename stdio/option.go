package stdio

import (
	"io"
	"os"
	"time"
)

// DefaultGrace is the default of [Grace]. The official clients wait for the same time after they have closed a server's
// input, before they send SIGTERM.
const DefaultGrace = 2 * time.Second

// Option configures [Serve] or [Main]. If an option is given more than once, the last one counts.
type Option interface{ apply(*config) }

// In sets the input that Serve reads from, for example one end of a socket, or a pipe in a test. The default, also for
// nil, is the process's standard input. Serve does not close r. When the context of Serve ends, it interrupts a pending
// Read if r has a working SetReadDeadline method, as [net.Conn] has; otherwise a goroutine stays in Read until that
// returns.
func In(r io.Reader) Option { return inOption{r} }

// Out sets the output that Serve writes to. The default, also for nil, is the process's standard output. Each Write
// contains one or more complete messages, except that the newline of a message over 64 KiB may follow in the next
// Write. Serve does not call Write concurrently, and does not close w.
func Out(w io.Writer) Option { return outOption{w} }

// Grace sets how long running calls may continue after the input or the context of Serve has ended. After that time
// their contexts are cancelled. The default is [DefaultGrace]. Zero or less cancels them at once.
func Grace(d time.Duration) Option { return graceOption(d) }

// Notice sets where Serve prints the notice for a person who has started the server in a terminal. The default is the
// process's standard error; use [io.Discard] to print no notice. It is printed only if the input is standard input and
// a terminal.
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

	parentEnded    func() bool   // whether the process that started this one has ended; nil: unknown
	parentInterval time.Duration // between calls of parentEnded
	answerTimeout  time.Duration // how long the client has to send something after that
}

func newConfig(opts []Option) config {
	c := config{
		notice: os.Stderr, //nolint:forbidigo // the default of Notice
		grace:  DefaultGrace,

		parentInterval: 10 * time.Second,
		answerTimeout:  30 * time.Second,
	}
	for _, o := range opts {
		o.apply(&c)
	}
	return c
}
