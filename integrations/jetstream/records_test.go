package jetstream_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// TestRecords reads complete records in order while others change, delete, and create records, and continues after
// unreadable ones.
func TestRecords(t *testing.T) {
	t.Parallel()
	address := natsServer(t)
	c := connect(t, address, jetstream.Options{})
	s := c.Tasks()
	large := `{"content":"` + strings.Repeat("x", 2<<20) + `"}`
	complete := func(r *task.Record) error {
		r.Status, r.Result = task.StatusCompleted, json.RawMessage(large)
		return nil
	}
	now := time.Now()
	for i := range 6 {
		r := tasktest.Record(fmt.Sprint(i), fmt.Sprint("user ", i%3), time.Hour)
		r.Created = now.Add(time.Duration(-i) * time.Second)
		if i == 4 {
			r.Durable = tasktest.Durable("", "", 0).Durable
		}
		put(t, s, r)
		if i%2 == 0 && i != 4 {
			if _, err := task.Change(t.Context(), s, r.ID, complete); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got []string
	for r, err := range c.Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Status.Ended() && string(r.Result) != large || r.ID == "4" && r.Durable.Arguments == nil {
			t.Errorf("task %s is not complete: %d bytes, %+v", r.ID, len(r.Result), r.Durable)
		}
		if got = append(got, r.ID); len(got) == 1 {
			put(t, s, tasktest.Record("new", "ann", time.Hour))
			if err := s.Delete(t.Context(), "3"); err != nil {
				t.Fatal(err)
			}
			if _, err := task.Change(t.Context(), s, "1", complete); err != nil {
				t.Fatal(err)
			}
		}
	}
	if want := []string{"5", "4", "2", "1", "0"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}

	js := jetStream(t, address)
	parts := streamOf(t, js, "mcptool-parts")
	if err := parts.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "mcptool.task.foreign", nil); err != nil {
		t.Fatal(err)
	}
	got = nil
	for r, err := range c.Records(t.Context()) {
		switch {
		case errors.Is(err, jetstream.ErrRecord):
			r.ID = "unreadable"
		case err != nil:
			t.Fatal(err)
		}
		got = append(got, r.ID)
	}
	if want := []string{"unreadable", "5", "4", "unreadable", "unreadable", "unreadable", "new"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestRecordsEnd checks that the sequence ends after a connection error.
func TestRecordsEnd(t *testing.T) {
	t.Parallel()
	c, err := jetstream.Connect(natsServer(t), jetstream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		r := tasktest.Record(fmt.Sprint(i), "ann", time.Hour)
		put(t, c.Tasks(), r)
	}
	n := 0
	for _, err := range c.Records(t.Context()) {
		switch n++; n {
		case 1:
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		default:
			wantErr(t, "closed", err, jetstream.ErrClosed)
		}
	}
	if n != 2 {
		t.Errorf("it was closed after the first record, and there were %d", n)
	}
	for _, err := range c.Records(t.Context()) {
		wantErr(t, "closed before", err, jetstream.ErrClosed)
	}
}

// TestExisting checks that streams that must exist are not created, and keep their number of replicas.
func TestExisting(t *testing.T) {
	t.Parallel()
	address := natsServer(t)
	_, err := jetstream.Connect(address, jetstream.Options{Existing: true})
	wantErr(t, "without streams", err, jetstream.ErrStream)
	if err == nil || !strings.Contains(err.Error(), `stream "mcptool-records"`) || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("got the error %v", err)
	}
	js := jetStream(t, address)
	if _, err := js.Stream(t.Context(), "mcptool-records"); !errors.Is(err, natsjs.ErrStreamNotFound) {
		t.Errorf("the stream was created: %v", err)
	}
	put(t, connect(t, address, jetstream.Options{}).Tasks(), tasktest.Record("a", "ann", time.Hour))
	again := connect(t, address, jetstream.Options{Existing: true})
	if _, err := again.Tasks().Get(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	_, err = jetstream.Connect(address, jetstream.Options{Existing: true, Replicas: 3})
	wantErr(t, "with another number of replicas", err, jetstream.ErrStream)
}

// TestOthers counts running instances, and dead ones until they are recognized as dead.
func TestOthers(t *testing.T) {
	t.Parallel()
	address := natsServer(t)
	opts := jetstream.Options{Heartbeat: 100 * time.Millisecond}
	c := connect(t, address, opts)
	want := func(want int) error {
		if n, err := c.Others(t.Context()); err != nil || n != want {
			return fmt.Errorf("there are %d other instances, %w; want %d", n, err, want)
		}
		return nil
	}
	if err := want(0); err != nil {
		t.Error(err)
	}
	second, err := jetstream.Connect(address, opts)
	if err != nil {
		t.Fatal(err)
	}
	p, through := newProxy(t, strings.TrimPrefix(address, "nats://"))
	cut := connect(t, through, opts)
	if err := want(2); err != nil {
		t.Error(err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	if err := want(1); err != nil {
		t.Error(err)
	}
	p.set(true)
	eventually(t, "the instance that is cut off counts as dead", func() error { return want(0) })
	p.set(false)
	eventually(t, "it is back", func() error { return errors.Join(want(1), cut.Tasks().Delete(t.Context(), "none")) })
}
