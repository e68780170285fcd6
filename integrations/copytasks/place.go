package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/integrations/jetstream/embedded"
	"github.com/mcptool-go/mcptool/task"
)

// place is an open store of tasks.
type place struct {
	name  string // for messages
	tasks task.Queue
	all   interface {
		Records(ctx context.Context) iter.Seq2[task.Record, error]
		Close() error
	}
	others func(context.Context) (int, error) // number of instances using it; nil if it is locked
}

// errInUse is added to errors for a source in use.
var errInUse = errors.New("stop all instances of the server first, then copy")

// openSource opens the store named by -from, which must exist.
func openSource(ctx context.Context, o *options, stderr printer) (*place, error) {
	if isURL(o.from.place) {
		return openSourceServer(ctx, o, stderr)
	}
	info, err := os.Stat(o.from.place) //nolint:gosec // the caller chooses the file
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return openSourceDir(o, stderr) //nolint:contextcheck // a connection has its own context
	}
	if info.Size() == 0 {
		return nil, fmt.Errorf("%s is empty", o.from.place)
	}
	store, err := boltstore.Open(o.from.place, boltstore.Limits{})
	if errors.Is(err, boltstore.ErrLocked) {
		err = fmt.Errorf("%w: %w", err, errInUse)
	}
	if err != nil {
		return nil, err
	}
	return &place{name: "the file " + o.from.place, tasks: store, all: store}, nil
}

// openSourceDir opens the directory of an embedded server.
func openSourceDir(o *options, stderr printer) (*place, error) {
	_, err := os.Stat(filepath.Join(o.from.place, "jetstream")) //nolint:gosec // the caller chooses the directory
	if err != nil {                                             // embedded.Open would create it
		return nil, fmt.Errorf("%s is no directory of a NATS server: %w", o.from.place, err)
	}
	opts := o.from.options(stderr)
	opts.Existing = true
	js, err := embedded.Open(o.from.place, embedded.Node{Name: o.node}, opts)
	if err != nil {
		return nil, err
	}
	return &place{name: fmt.Sprintf("the directory %s, name %q", o.from.place, o.from.name), tasks: js.Tasks(), all: js}, nil
}

// openSourceServer connects to a NATS server and waits until no instance uses it.
func openSourceServer(ctx context.Context, o *options, stderr printer) (*place, error) {
	opts := o.from.options(stderr)
	opts.Existing = true
	js, err := jetstream.Connect(o.from.place, opts) //nolint:contextcheck // a connection has its own context
	if err != nil {
		return nil, err
	}
	if err := untilUnused(ctx, js, o.wait, stderr); err != nil {
		return nil, errors.Join(err, js.Close())
	}
	return &place{name: fmt.Sprintf("%s, name %q", withoutUsers(o.from.place), o.from.name), tasks: js.Tasks(), all: js, others: js.Others}, nil
}

// checkUnused returns an error if an instance has started to use a source NATS server since it was opened.
func (p *place) checkUnused(ctx context.Context) error {
	if p.others == nil {
		return nil
	}
	others, err := p.others(ctx)
	if err == nil && others > 0 {
		err = fmt.Errorf("%d instances have begun to use the source during the copy: %w, and repeat the command", others, errInUse)
	}
	return err
}

// untilUnused waits until no other instance uses the server.
func untilUnused(ctx context.Context, js *jetstream.Conn, wait time.Duration, stderr printer) error {
	const pause = 250 * time.Millisecond
	for began, said := time.Now(), false; ; {
		others, err := js.Others(ctx)
		switch {
		case err != nil:
			return err
		case others == 0:
			return nil
		case time.Since(began) >= wait:
			return fmt.Errorf("%d other instances use it, or died within the last %v: %w", others, wait, errInUse)
		case !said:
			stderr.printf("copytasks: waiting up to %v for %d other instances that use the source to end\n", wait, others)
			said = true
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// openDestination opens the store named by -to, and creates it if it does not exist.
func openDestination(o *options, stderr printer) (*place, error) {
	if isURL(o.to.place) {
		opts := o.to.options(stderr)
		opts.Replicas, opts.Limits = o.replicas, o.natsLimits()
		js, err := jetstream.Connect(o.to.place, opts)
		if err != nil {
			return nil, err
		}
		return &place{name: fmt.Sprintf("%s, name %q", withoutUsers(o.to.place), o.to.name), tasks: js.Tasks(), all: js}, nil
	}
	info, err := os.Stat(o.to.place) //nolint:gosec // the caller chooses the file
	if err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a directory: copy to a file, or to the URL of a NATS server that runs", o.to.place)
	}
	store, err := boltstore.Open(o.to.place, o.fileLimits())
	if err != nil {
		return nil, err
	}
	return &place{name: "the file " + o.to.place, tasks: store, all: store}, nil
}

// options returns the options common to both sides.
func (s *side) options(stderr printer) jetstream.Options {
	opts := jetstream.Options{
		Name:   s.name,
		Logger: slog.New(slog.NewTextHandler(stderr.w, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	if s.creds != "" {
		opts.NATS = []nats.Option{nats.UserCredentials(s.creds)}
	}
	return opts
}

func isURL(text string) bool { return strings.Contains(text, "://") }

// user matches the user and the password, or the token, of a URL in an address accepted by jetstream.Connect.
var user = regexp.MustCompile(`[^/@,]*@`)

// withoutUsers returns an address without credentials, for display.
func withoutUsers(address string) string { return user.ReplaceAllString(address, "") }
