package runtime_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/task"
)

// link is one instance's connection to a shared queue. It can be cut.
type link struct {
	task.Queue
	whole  context.Context // ends when the link is cut
	sever  context.CancelFunc
	mended *sync.Mutex
}

var errCut = errors.New("the connection is cut")

func newLink(q task.Queue) *link {
	l := &link{Queue: q, mended: new(sync.Mutex)}
	l.mend()
	return l
}

// mend restores a cut link.
func (l *link) mend() {
	l.mended.Lock()
	defer l.mended.Unlock()
	l.whole, l.sever = context.WithCancel(context.Background())
}

func (l *link) cut() {
	l.mended.Lock()
	defer l.mended.Unlock()
	l.sever()
}

// over calls the queue over a link, and fails if the link is cut.
func over[T any](ctx context.Context, l *link, call func(context.Context) (T, error)) (T, error) {
	l.mended.Lock()
	whole := l.whole
	l.mended.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(whole, cancel)() //nolint:contextcheck // ends the call
	var value T
	err := whole.Err()
	if err == nil {
		value, err = call(ctx)
	}
	if whole.Err() != nil {
		return value, errCut
	}
	return value, err
}

func none(err error) (struct{}, error) { return struct{}{}, err }

func (l *link) Create(ctx context.Context, r task.Record) error {
	_, err := over(ctx, l, func(ctx context.Context) (struct{}, error) { return none(l.Queue.Create(ctx, r)) })
	return err
}

func (l *link) Get(ctx context.Context, id string) (task.Record, error) {
	return over(ctx, l, func(ctx context.Context) (task.Record, error) { return l.Queue.Get(ctx, id) })
}

func (l *link) Update(ctx context.Context, r task.Record) (task.Record, error) {
	return over(ctx, l, func(ctx context.Context) (task.Record, error) { return l.Queue.Update(ctx, r) })
}

func (l *link) Wait(ctx context.Context, id string, seen uint64) (task.Record, error) {
	return over(ctx, l, func(ctx context.Context) (task.Record, error) { return l.Queue.Wait(ctx, id, seen) })
}

func (l *link) Claim(ctx context.Context, owner string) (task.Record, error) {
	return over(ctx, l, func(ctx context.Context) (task.Record, error) { return l.Queue.Claim(ctx, owner) })
}

func (l *link) Renew(ctx context.Context, id string, epoch uint64) error {
	_, err := over(ctx, l, func(ctx context.Context) (struct{}, error) { return none(l.Queue.Renew(ctx, id, epoch)) })
	return err
}

func (l *link) Release(ctx context.Context, id string, epoch uint64, why string) error {
	_, err := over(ctx, l, func(ctx context.Context) (struct{}, error) { return none(l.Queue.Release(ctx, id, epoch, why)) })
	return err
}

// runner is one of several servers that share a queue, and its client.
type runner struct {
	*wire
	link *link
	srv  *runtime.Server
}

// runners returns n servers that share a queue. Server i has the tool returned by tool(i), if any.
func runners(t *testing.T, n int, q task.Queue, tool func(i int) *mcptool.Tool, configure ...func(*runtime.Server)) []*runner {
	t.Helper()
	all := make([]*runner, n)
	for i := range all {
		l := newLink(q)
		srv := taskServer(t)
		srv.Tasks = tasks.New(l)
		for _, change := range configure {
			change(srv)
		}
		if made := tool(i); made != nil {
			if err := srv.Tools.Add(made); err != nil {
				t.Fatal(err)
			}
		}
		all[i] = &runner{open(t, srv), l, srv}
	}
	return all
}

// begin calls the tool, and returns the id of the task.
func (in *runner) begin(name string) string {
	in.t.Helper()
	in.send(tasked("1", "tools/call", `,"name":"`+name+`","arguments":{"n":7}`))
	id, _ := taskOf(in.t, in.next())
	synctest.Wait()
	return id
}

// wantEnd checks that tasks/get returns a record with these parts.
func (in *runner) wantEnd(id string, parts ...string) {
	in.t.Helper()
	in.send(tasked(`"get"`, "tasks/get", `,"taskId":"`+id+`"`))
	in.want(parts...)
}

// durably returns the options of durable tools.
func durably(more ...mcptool.ToolOption) []mcptool.ToolOption {
	return append([]mcptool.ToolOption{mcptool.Task(mcptool.TaskSupportRequired), mcptool.Durable(true)}, more...)
}

const longLease = 15 * time.Second

// untilEnd waits until its context ends.
func untilEnd(ctx context.Context) (*mcptool.Result, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// says returns a result with a text block.
func says(text string) *mcptool.Result {
	return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: text}}}
}
