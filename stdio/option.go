package stdio

import (
	"io"
	"os"
	"time"
)

// DefaultGrace is the default of [Grace]. The official clients wait for the same time between closing a server's input
// and sending SIGTERM.
const DefaultGrace = 2 * time.Second

// Option configures [Serve] or [Main]. If an option is given more than once, the last one applies.
type Option interface{ apply(*config) }

// In sets the input that Serve reads from, for example one end of a socket, or a pipe in a test. The default, and the
// meaning of nil, is the process's standard input. Serve does not close r. When the session ends, Serve interrupts a
// pending Read if r has a working SetReadDeadline method, as [net.Conn] has; otherwise a goroutine continues to wait in
// Read.
func In(r io.Reader) Option { return inOption{r} }

// Out sets the output that Serve writes to. The default, and the meaning of nil, is the process's standard output. Each
// Write contains one or more complete messages, except that a message of 64 KiB or more may be written in several
// pieces, with its newline in the next Write. Serve does not call Write concurrently, and does not close w.
func Out(w io.Writer) Option { return outOption{w} }

// Grace sets how long running calls may continue after the input or the context of Serve has ended. After that time
// their contexts are cancelled. The default is [DefaultGrace]. Zero or less cancels them at once.
func Grace(d time.Duration) Option { return graceOption(d) }

// Notice sets the writer for the notice that Serve prints for a person who has started the server in a terminal. The
// default is the process's standard error; use [io.Discard] to disable the notice. It is printed only if the input is
// standard input and a terminal.
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

// config is the result of all options.
type config struct {
	in     io.Reader // nil: standard input
	out    io.Writer // nil: standard output
	notice io.Writer
	grace  time.Duration

	parentEnded    func() bool   // reports whether the process that started this one has ended; nil: unknown
	parentInterval time.Duration // time between calls of parentEnded
	answerTimeout  time.Duration // time in which the client must then send a message
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
