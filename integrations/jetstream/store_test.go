package jetstream_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	tasktest.RunQueue(t, func(t *testing.T) task.Queue {
		t.Helper()
		return single(t, jetstream.Options{Lease: time.Second}).Tasks()
	})
}

// TestTexts stores tasks whose ids and principals are not valid NATS subjects.
func TestTexts(t *testing.T) {
	t.Parallel()
	s := single(t, jetstream.Options{}).Tasks()
	texts := []string{"a.b", "*", ">", "a.*.>", " ", "a b", "\r\nPUB x 1\r\n", "\x00", "ü 😀", strings.Repeat("k", 1<<10), "$JS.API", "-"}
	for i, text := range texts {
		principal := texts[len(texts)-1-i]
		r := put(t, s, tasktest.Record(text, principal, time.Hour))
		got, err := s.Get(t.Context(), text)
		if err != nil || got.ID != text || got.Principal != principal {
			t.Errorf("Get(%q) = %q of %q, %v", text, got.ID, got.Principal, err)
		}
		r.Status = task.StatusCancelled
		if _, err := s.Update(t.Context(), r); err != nil {
			t.Errorf("Update(%q): %v", text, err)
		}
		list, err := s.List(t.Context(), task.Owner{Principal: principal}, "", 10)
		if err != nil || len(list) != 1 || list[0].ID != text {
			t.Errorf("List(%q) has %d records, %v", principal, len(list), err)
		}
	}
	if err := s.Delete(t.Context(), ">"); err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if _, err := s.Get(t.Context(), text); (err != nil) != (text == ">") {
			t.Errorf("Get(%q) after the deletion of \">\": %v", text, err)
		}
	}
	for name, r := range map[string]task.Record{
		"id":        tasktest.Record("\xff", "ann", time.Hour),
		"principal": tasktest.Record("x", "\xff", time.Hour),
	} {
		wantErr(t, name+" that is not UTF-8", s.Create(t.Context(), r), task.ErrInvalid)
	}
	old := tasktest.Record("x", "ann", time.Hour)
	old.Created = time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC)
	wantErr(t, "a time before 1678", s.Create(t.Context(), old), task.ErrInvalid)
	put(t, s, tasktest.Record("nobody's", "", time.Hour))
	if list, err := s.List(t.Context(), task.Owner{}, "", 10); err != nil || len(list) != 1 {
		t.Errorf("unauthenticated callers have %d tasks, %v", len(list), err)
	}
}

// TestLarge stores the largest result that a server sends by default, and one beyond the limit. With -short they are
// smaller, because the race detector takes a minute for them.
func TestLarge(t *testing.T) {
	t.Parallel()
	size := 16 << 20
	if testing.Short() {
		size = 2 << 20
	}
	s := single(t, jetstream.Options{}).Tasks()
	r := put(t, s, tasktest.Record("a", "ann", time.Hour))
	r.Inputs = []task.Input{{Key: "k", Request: json.RawMessage(`"` + strings.Repeat("i", 1<<20) + `"`)}}
	r, err := s.Update(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(t.Context(), "a"); err != nil || len(got.Inputs) != 1 || len(got.Inputs[0].Request) != 1<<20+2 {
		t.Fatalf("large inputs: %v", err)
	}
	r.Status, r.Inputs, r.Result = task.StatusCompleted, nil, json.RawMessage(`{"content":["`+strings.Repeat("r", size)+`"]}`)
	if _, err := s.Update(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	got, err := s.Wait(t.Context(), "a", 2)
	if err != nil || string(got.Result) != string(r.Result) || got.Inputs != nil {
		t.Errorf("a large result: %d bytes, %v", len(got.Result), err)
	}
	list, err := s.List(t.Context(), task.Owner{Principal: "ann"}, "", 10)
	if err != nil || len(list) != 1 || list[0].Status != task.StatusCompleted || list[0].Result != nil {
		t.Errorf("a list: %d records, %v", len(list), err)
	}
	if testing.Short() {
		return
	}
	tooLarge := put(t, s, tasktest.Record("b", "ann", time.Hour))
	tooLarge.Status, tooLarge.Result = task.StatusCompleted, json.RawMessage(`"`+strings.Repeat("r", 65<<20)+`"`)
	_, err = s.Update(t.Context(), tooLarge)
	wantErr(t, "a result that is too large", err, task.ErrFull)
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, reason string
		limits       jetstream.Limits
		principals   []string // of tasks that fit
		refused      string
	}{
		{"tasks", "the tasks of all count", jetstream.Limits{Tasks: 2}, []string{"ann", "bob"}, "eve"},
		{"per principal", "others have room", jetstream.Limits{PerPrincipal: 2}, []string{"ann", "bob", "ann"}, "ann"},
		{"bytes", "what is stored counts, also large results", jetstream.Limits{Bytes: 1 << 20}, []string{"ann"}, "bob"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := single(t, jetstream.Options{Limits: c.limits}).Tasks()
			var last task.Record
			for i, principal := range c.principals {
				last = put(t, s, tasktest.Record(fmt.Sprint(i), principal, time.Hour))
			}
			last.Status, last.Result = task.StatusCompleted, json.RawMessage(`"`+strings.Repeat("r", 2<<20)+`"`)
			if _, err := s.Update(t.Context(), last); err != nil {
				t.Errorf("a task cannot end: %v", err)
			}
			eventually(t, c.reason, func() error {
				err := s.Create(t.Context(), tasktest.Record("x", c.refused, time.Hour))
				if errors.Is(err, task.ErrFull) {
					return nil
				}
				return errors.Join(fmt.Errorf("another task is accepted: %w", err), s.Delete(t.Context(), "x"))
			})
		})
	}
}

// TestExpiry creates a task with the id of one whose TTL has passed but which the server, with its resolution of a
// second, still has.
func TestExpiry(t *testing.T) {
	t.Parallel()
	s := single(t, jetstream.Options{}).Tasks()
	put(t, s, tasktest.Record("a", "ann", 20*time.Millisecond))
	_, err := s.Wait(t.Context(), "a", 1)
	wantErr(t, "waiting for what expires", err, task.ErrNotFound)
	r := put(t, s, tasktest.Record("a", "bob", time.Hour))
	wantErr(t, "the same id again", s.Create(t.Context(), r), task.ErrExists)
	if got, err := s.Get(t.Context(), "a"); err != nil || got.Principal != "bob" {
		t.Errorf("the new task is of %q, %v", got.Principal, err)
	}
	r.TTL = 2 * time.Hour
	if r, err = s.Update(t.Context(), r); err != nil || r.TTL != time.Hour {
		t.Errorf("the TTL became %v, %v", r.TTL, err)
	}
	past := tasktest.Record("past", "ann", time.Second)
	past.Created = past.Created.Add(-time.Hour)
	put(t, s, past)
	_, err = s.Get(t.Context(), "past")
	wantErr(t, "a task that has expired before it was stored", err, task.ErrNotFound)
	put(t, s, tasktest.Record("eternal", "ann", 290*365*24*time.Hour))
	if _, err := s.Get(t.Context(), "eternal"); err != nil {
		t.Errorf("the longest TTL: %v", err)
	}
}
