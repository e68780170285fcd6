package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/transcript"
)

// replayCmd is bench replay.
type replayCmd struct {
	File string `arg:"" help:"The transcript that bench record has written." predictor:"file"`
	targetArgument
	Ignore  []string      `help:"Let values differ, at a path such as result.structuredContent.time, or notifications of a method; may be repeated." placeholder:"PATH|METHOD" sep:"none"`
	Update  bool          `help:"Write the new messages of the server into the file."`
	Header  []string      `help:"Add a header to each request to a URL; may be repeated." placeholder:"'NAME: VALUE'" sep:"none" short:"H"`
	Env     []string      `help:"Set a variable for the command, which inherits the environment; may be repeated." placeholder:"KEY=VALUE" sep:"none"`
	Timeout time.Duration `help:"The longest time for a response." default:"30s"`
	Verbose bool          `help:"Show what the command writes to its stderr." short:"v"`
}

// setTarget sets the target, as [targetArgument.setTarget] does.
func (r *replayCmd) setTarget(command string, parsed parsedTarget) error {
	if err := r.targetArgument.setTarget(command, parsed); err != nil {
		return err
	}
	return r.checkSubject(command, "file", r.File)
}

// Run replays the file and shows the differences.
func (r *replayCmd) Run(ctx context.Context, con *console) error {
	t := target{targetArgument: r.targetArgument, Header: r.Header, Env: r.Env, Timeout: r.Timeout, Verbose: r.Verbose}
	var o client.Options
	to, err := t.prepare(con, &o)
	if err != nil {
		return err
	}
	recorded, err := transcript.Read(r.File)
	if own, ok := errors.AsType[*fs.PathError](err); ok {
		return usageError("%s cannot be read: %w", r.File, own.Err)
	}
	if err != nil {
		return usageError("%w", err)
	}
	if recorded.Cut > 0 {
		_, _ = fmt.Fprintf(con.err, "bench: %s is cut in line %d; the incomplete message there is left out\n", r.File, recorded.Cut) // best effort
	}
	report, err := recorded.Replay(ctx, transcript.Options{
		Ignore: r.Ignore, Timeout: r.Timeout, Edit: con.secrets.JSON,
		Dial: func(ctx context.Context, receive func([]byte, error)) (transcript.Conn, error) {
			c, err := client.DialRaw(ctx, to, o, receive)
			if err != nil {
				return nil, err
			}
			return &noted{c, con}, nil
		},
	})
	if report != nil {
		if printErr := con.print(con.secrets.Text(report.String()), nil); printErr != nil {
			return printErr
		}
	}
	if _, ok := errors.AsType[*transcript.NoAnswerError](err); ok {
		return &client.UnreachableError{What: fmt.Sprintf("%s: %v; --timeout lets it take longer", to, err), Err: err}
	}
	if err != nil {
		return err
	}
	return r.finish(con, report, recorded.Cut > 0)
}

// finish writes the file if it is to be updated, and the result.
func (r *replayCmd) finish(con *console, report *transcript.Report, isCut bool) error {
	n := len(report.Differences) + report.Omitted
	same := fmt.Sprintf("%s of the server", count(report.Messages, "message"))
	switch {
	case r.Update && (n > 0 || isCut):
		if err := writeFile(r.File, report.Updated.Append(nil)); err != nil {
			return err
		}
		return con.print(fmt.Sprintf("%s is updated: %s in %s\n", r.File, count(n, "difference"), same), nil)
	case n == 0:
		return con.print(fmt.Sprintf("no differences in %s\n", same), nil)
	default:
		return noError("%s in %s; --update writes the new messages into %s", count(n, "difference"), same, r.File)
	}
}

// A noted is a connection that reports lines on stdout that are not messages.
type noted struct {
	*client.Raw
	con *console
}

// Close implements [transcript.Conn].
func (n *noted) Close() error {
	n.con.noteFaults(n)
	return n.Raw.Close()
}
