package stdio

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime/debug"

	"github.com/mcptool-go/mcptool/runtime"
)

// Serve serves srv to one client, over standard input and output or what the
// options put in their place, until the client leaves or ctx ends. A nil srv
// means a zero one, the tools of mcptool.Default under the program's name, that
// logs to [slog.Default].
//
// The client's leaving is how a session ends, and so is the end of ctx, an
// interrupt, SIGTERM or SIGHUP: Serve returns nil for all of them. An error means that
// the standard streams could not be taken, because another Serve has them, or
// that a stream failed in some other way than by the client's leaving. So a
// main function does not end with log.Fatal(stdio.Serve(ctx, nil)), which would
// give every session status 1, but with [Main] or
//
//	if err := stdio.Serve(ctx, nil); err != nil {
//		log.Fatal(err)
//	}
//
// What was received before the end is still answered if that takes no longer
// than the grace period, [DefaultGrace] or [Grace]. Calls that take longer are
// cancelled; those that ignore it are not waited for. A second reason to end,
// such as SIGTERM after the end of the input, cuts the grace period short.
//
// Tasks that still run ([mcptool.Task]) go on in a server of the caller's own, until
// [runtime.Server.Shutdown]; those of a nil srv are cancelled.
//
// Signals are listened for only when the input is standard input, and
// only once: the next one does what it would do without Serve. While the output is
// standard output, whatever else writes there writes to standard error, and neither of
// them ends the process with SIGPIPE when nobody reads it any more; see the package
// documentation.
//
// [mcptool.Task]: https://pkg.go.dev/github.com/mcptool-go/mcptool/mcptool#Task
func Serve(ctx context.Context, srv *runtime.Server, opts ...Option) (err error) {
	c := newConfig(opts)
	if srv == nil {
		srv = &runtime.Server{Logger: slog.Default()}
		defer endTasks(srv) //nolint:contextcheck // when Serve ends, whatever ended it
	}
	if c.out == nil {
		defer surviveBrokenPipes()()
		out, taken := takeOutput()
		if taken != nil {
			return taken
		}
		defer func() { err = errors.Join(err, out.restore()) }()
		c.out = out.file
	}
	if c.in == nil {
		in, taken := takeInput()
		if taken != nil {
			return taken
		}
		defer func() { err = errors.Join(err, in.restore()) }()
		c.in = in.file

		var stop context.CancelFunc
		ctx, stop = untilSignal(ctx)
		defer stop()
		if isTerminal(in.file) {
			writeBriefly(c.notice, notice(srv, thisProgram()))
		}
	}
	return serve(ctx, srv, c)
}

// endTasks cancels the tasks that still run: who began them has left.
func endTasks(srv *runtime.Server) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = srv.Shutdown(ctx) // the log says which did not end
}

func thisProgram() program {
	p := program{file: os.Args[0], args: os.Args[1:]}
	if file, err := os.Executable(); err == nil {
		p.file = file
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		p.pkg = info.Path
	}
	return p
}
