package stdio

import (
	"errors"
	"io"
	"time"

	"github.com/mcptool-go/mcptool/internal/setting"
)

// DefaultGrace is the default of [Grace]. The official clients wait for the same time between closing a server's input
// and sending SIGTERM.
const DefaultGrace = 2 * time.Second

// Option configures [Serve] or [Main]. If an option is given more than once, the last one applies; one
// that is nil is a mistake, which Serve returns.
type Option interface{ apply(*config) }

// option is the [Option] that all functions return.
type option func(*config)

func (o option) apply(c *config) { o(c) }

// In sets the input that Serve reads from, for example one end of a socket, or a pipe in a test. The default, and the
// meaning of nil, is the process's standard input. Serve does not close r. After Serve has returned, a goroutine may
// still wait in Read, until r has data or is closed.
func In(r io.Reader) Option { return option(func(c *config) { c.in = r }) }

// Out sets the output that Serve writes to. The default, and the meaning of nil, is the process's standard output. Each
// Write contains one or more complete messages. Serve does not call Write concurrently, and does not close w.
func Out(w io.Writer) Option { return option(func(c *config) { c.out = w }) }

// Grace sets how long running calls may continue after the input or the context of Serve has ended. After that time
// their contexts are cancelled. The default is [DefaultGrace]. Zero cancels them at once; a negative
// duration is a mistake, which Serve returns.
func Grace(d time.Duration) Option { return option(func(c *config) { c.grace = d }) }

// Notice sets the writer for the notice that Serve prints for a person who has started the server in a terminal. The
// default is [Stderr]; use [io.Discard] to disable the notice. It is printed only if the input is standard input and a
// terminal.
func Notice(w io.Writer) Option { return option(func(c *config) { c.notice = w }) }

// config is the result of all options.
type config struct {
	in     io.Reader // nil: standard input
	out    io.Writer // nil: standard output
	notice io.Writer
	grace  time.Duration
}

// newConfig returns the result of the options. The error lists all mistakes in them.
func newConfig(opts []Option) (config, error) {
	c := config{notice: Stderr, grace: DefaultGrace}
	mistakes := setting.Apply(opts, func(o Option) { o.apply(&c) })
	return c, errors.Join(append(mistakes, setting.NotNegative("Grace", c.grace, "cancels calls at once"))...)
}
