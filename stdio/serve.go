package stdio

import (
	"context"
	"errors"
	"io"

	"github.com/mcptool-go/mcptool/runtime"
)

// Serve serves srv to one client, over standard input and output or the streams set by [In] and [Out], until the client
// disconnects or ctx ends. A nil srv means the zero Server: it has the tools of mcptool.Default and the name of the
// program.
//
// Serve returns nil when the session ends normally: when the client disconnects, ctx ends, or the process receives an
// interrupt, SIGTERM or SIGHUP. An error means that srv ([runtime.Server.Check]) or an option has mistakes, that another Serve uses
// the standard streams, or that reading or writing a stream failed for a reason other than a disconnect. Do not end
// func main with log.Fatal(stdio.Serve(ctx, nil)), because the exit status would always be 1. Use [Main] or
//
//	if err := stdio.Serve(ctx, nil); err != nil {
//		log.Fatal(err)
//	}
//
// Messages received before the end are still answered within the grace period, see [Grace]. Calls that take longer are
// cancelled, and Serve does not wait for calls that ignore the cancellation. A second reason to end, such as SIGTERM
// after the end of the input, ends the grace period.
//
// Tasks ([mcptool.Task]) that are still running continue after Serve has returned, until [runtime.Server.Shutdown]; but
// if srv is nil, Serve cancels them.
//
// Serve handles signals only if the input is standard input, and only the first one: a second signal has the effect
// that it would have without Serve. If the output is standard output, everything else that is written there goes to
// standard error while Serve runs, and a write to a closed standard output or standard error does not end the process
// with SIGPIPE. See the package documentation.
//
// [mcptool.Task]: https://pkg.go.dev/github.com/mcptool-go/mcptool/mcptool#Task
func Serve(ctx context.Context, srv *runtime.Server, opts ...Option) (err error) {
	c, wrong := newConfig(opts)
	if srv == nil {
		srv = &runtime.Server{}
		defer endTasks(srv) //nolint:contextcheck // must also run after ctx has ended
	}
	if mistakes := errors.Join(srv.Check(), wrong); mistakes != nil {
		return mistakes
	}
	if c.out == nil {
		defer surviveBrokenPipes()()
		defer unblockLog()()
		out, taken := take(&stdoutTaken, "standard output", standardOutput)
		if taken != nil {
			return taken
		}
		defer func() { err = errors.Join(err, out.restore()) }()
		c.out = out.file
	}
	if c.in == nil {
		in, taken := take(&stdinTaken, "standard input", standardInput)
		if taken != nil {
			return taken
		}
		defer func() { err = errors.Join(err, in.restore()) }()
		c.in = in.file

		var stop context.CancelFunc
		ctx, stop = untilSignal(ctx)
		defer stop()
		if isTerminal(in.file) {
			_, _ = io.WriteString(c.notice, notice(srv)) // an error cannot be reported anywhere else
		}
	}
	return serve(ctx, srv, c)
}

// endTasks cancels the tasks that are still running, because their client has left.
func endTasks(srv *runtime.Server) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = srv.Shutdown(ctx) // tasks that did not end are logged
}
