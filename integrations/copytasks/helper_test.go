package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/internal/testing/fixture/booking"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/stdio"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// natsServer starts a NATS server, with token authentication if a token is given, and returns its URL.
func natsServer(t *testing.T, token string) string {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true, Authorization: token,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the NATS server does not start")
	}
	return s.ClientURL()
}

// open opens a file of tasks.
func open(t *testing.T, path string) *boltstore.Store {
	t.Helper()
	s, err := boltstore.Open(path, boltstore.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fill creates n tasks of several principals: of every four, two have results, one an error, and one is unfinished.
// Every 100th result has 3 MB.
func fill(t *testing.T, s task.Store, n int) {
	t.Helper()
	for i := range n {
		r := tasktest.Record(fmt.Sprintf("task-%03d", i), fmt.Sprint("user ", i%7), time.Hour)
		r.Created = r.Created.Add(-time.Minute)
		if err := s.Create(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		size := 10
		if i%100 == 0 {
			size = 3 << 20
		}
		_, err := task.Change(t.Context(), s, r.ID, func(r *task.Record) error {
			switch i % 4 {
			case 0, 1:
				r.Status, r.Result = task.StatusCompleted, json.RawMessage(`{"content":[{"type":"text","text":"`+strings.Repeat("x", size)+`"}]}`)
			case 2:
				r.Status, r.Message, r.Error = task.StatusFailed, "no paper", json.RawMessage(`{"code":-32603,"message":"no paper"}`)
			case 3:
				r.Message = "half"
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// copies runs the command and checks the exit code and texts in the output.
func copies(t *testing.T, code int, args []string, texts ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	got := run(t.Context(), args, &stdout, &stderr)
	all := stdout.String() + stderr.String()
	if got != code {
		t.Errorf("copytasks %v: exit code %d, want %d\n%s", args, got, code, all)
	}
	for _, text := range texts {
		if !strings.Contains(all, text) {
			t.Errorf("copytasks %v does not print %q:\n%s", args, text, all)
		}
	}
	return stdout.String()
}

// client is an in-process server of [booking.Book] and its client.
type client struct {
	t     *testing.T
	srv   *runtime.Server
	in    *io.PipeWriter
	lines *bufio.Scanner
	ended chan error
	id    int
}

// serve starts a server that keeps its tasks in a store.
func serve(t *testing.T, store task.Store) *client {
	t.Helper()
	tool, err := mcptool.New(booking.Book)
	if err != nil {
		t.Fatal(err)
	}
	tools := &mcptool.Registry{}
	if err := tools.Add(tool); err != nil {
		t.Fatal(err)
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{
		t: t, in: inW, lines: bufio.NewScanner(outR), ended: make(chan error, 1),
		srv: &runtime.Server{Name: "booking", Version: "1.0.0", Tools: tools, Tasks: tasks.New(store)},
	}
	go func() {
		c.ended <- errors.Join(stdio.Serve(context.WithoutCancel(t.Context()), c.srv, stdio.In(inR), stdio.Out(outW)), outW.Close())
	}()
	return c
}

// request is a [booking.Request].
func (c *client) request(method, params string, result any) error {
	c.id++
	if _, err := fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s,%s}}`+"\n", c.id, method, params, booking.Meta); err != nil {
		c.t.Error(err)
		return err
	}
	for c.lines.Scan() {
		var m struct {
			ID            int
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal(c.lines.Bytes(), &m); err != nil || m.ID != c.id {
			continue // a notification
		}
		if m.Error != nil {
			return fmt.Errorf("%s: %s", method, m.Error)
		}
		return json.Unmarshal(m.Result, result)
	}
	return io.ErrUnexpectedEOF
}

// stop ends the server. Its durable tasks are left to the next one.
func (c *client) stop() {
	c.t.Helper()
	go func() {
		for c.lines.Scan() { // drain the remaining output
		}
	}()
	err := errors.Join(c.in.Close(), <-c.ended)
	ctx, cancel := context.WithCancel(c.t.Context())
	cancel() // do not wait for the tasks
	if err = errors.Join(err, c.srv.Shutdown(ctx)); err != nil {
		c.t.Error(err)
	}
}
