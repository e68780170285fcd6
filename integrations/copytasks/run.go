package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/taskcopy"
)

// Exit codes.
const (
	exitFailed = 1 // not everything was copied, or the check failed
	exitUsage  = 2
)

// printer prints messages. A failed print must not stop a copy.
type printer struct{ w io.Writer }

func (p printer) printf(format string, args ...any) { _, _ = fmt.Fprintf(p.w, format, args...) }

// run runs the command and returns the exit code.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	stdout, stderr := printer{out}, printer{errOut}
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return exitUsage
	}
	if err := copyTasks(ctx, o, stdout, stderr); err != nil {
		stderr.printf("copytasks: %v\n", err)
		return exitFailed
	}
	return 0
}

// copyTasks opens both stores, copies the tasks and checks the result.
func copyTasks(ctx context.Context, o *options, stdout, stderr printer) (err error) {
	from, err := openSource(ctx, o, stderr)
	if err != nil {
		return fmt.Errorf("-from: %w", err)
	}
	defer func() { err = errors.Join(err, from.all.Close()) }()
	to, err := openDestination(o, stderr) //nolint:contextcheck // a connection has its own context
	if err != nil {
		return fmt.Errorf("-to: %w", err)
	}
	defer func() { err = errors.Join(err, to.all.Close()) }()
	stdout.printf("from %s\nto   %s\n", from.name, to.name)

	s := &source{stderr: stderr, spoke: time.Now(), ids: map[string]time.Time{}}
	counts, err := taskcopy.Copy(ctx, to.tasks, s.noting(from.all.Records(ctx)))
	report(stdout, &counts)
	if err != nil {
		hint := "the same command goes on when the reason is gone"
		if errors.Is(err, taskcopy.ErrDiffers) {
			hint = "a task of which the destination has another record stays as it is there"
		}
		return fmt.Errorf("not everything was copied; %s:\n%w", hint, err)
	}
	total, err := s.checkCounts(ctx, to)
	if err == nil {
		err = from.checkUnused(ctx)
	}
	if err != nil {
		return err
	}
	stdout.printf("checked: the destination has %d tasks, with all that were copied; each was read back and is the same\n", total)
	if counts.Read == 0 {
		stderr.printf("copytasks: the source has no tasks; is -from the right place?\n")
	}
	if others := total - counts.Copied - counts.Present; others > 0 {
		stderr.printf("copytasks: %d tasks of the destination are not in the source; were -from and -to swapped?\n", others)
	}
	if counts.Resumable > 0 {
		stdout.printf("do not start a server with the source again: it would also run the durable tasks\n")
	}
	return nil
}

// report prints the counts.
func report(p printer, c *taskcopy.Counts) {
	p.printf("%d tasks: %d copied, %d there already, %d expired, %d not copied", c.Read, c.Copied, c.Present, c.Expired, c.NotCopied)
	if c.Unreadable > 0 {
		p.printf("; %d could not be read", c.Unreadable)
	}
	p.printf("\n")
	if c.Resumable > 0 {
		p.printf("%d durable tasks had not ended, and go on when a server uses the destination\n", c.Resumable)
	}
	if c.Abandoned > 0 {
		p.printf("%d tasks that are not durable had not ended, and have failed: the process that ran them has ended\n", c.Abandoned)
	}
}

// source tracks the records read from the source.
type source struct {
	stderr printer
	spoke  time.Time            // time of the last progress message
	ids    map[string]time.Time // expiry by id
}

// speakInterval is the interval of progress messages.
const speakInterval = 5 * time.Second

// noting returns the same sequence and records the ids.
func (s *source) noting(records iter.Seq2[task.Record, error]) iter.Seq2[task.Record, error] {
	return func(yield func(task.Record, error) bool) {
		for r, err := range records {
			if err == nil {
				s.ids[r.ID] = r.Expires()
			}
			if time.Since(s.spoke) >= speakInterval {
				s.spoke = time.Now()
				s.stderr.printf("copytasks: at task %d\n", len(s.ids))
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// checkCounts reads all tasks of the destination and returns their number. The error has the number of unexpired tasks
// of the source that are missing, and the read errors.
func (s *source) checkCounts(ctx context.Context, to *place) (total int, err error) {
	var unreadable error
	for r, err := range to.all.Records(ctx) {
		if err != nil {
			unreadable = errors.Join(unreadable, err)
			continue
		}
		total++
		delete(s.ids, r.ID)
	}
	now := time.Now()
	missing, example := 0, ""
	for id, expires := range s.ids {
		if now.Before(expires) {
			missing, example = missing+1, id
		}
	}
	if missing > 0 {
		err = fmt.Errorf("%d tasks that were copied are no longer in the destination, for example %q; was one deleted there?", missing, example)
	}
	if unreadable != nil {
		err = errors.Join(err, fmt.Errorf("the destination has tasks that cannot be read: %w", unreadable))
	}
	return total, err
}
