package tasktest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/task"
)

// memory checks that a store reserves memory before it reads records, and at least the size of the records it returns.
func memory(t *testing.T, s task.Store) {
	t.Helper()
	const resultSize = 1 << 20
	r := add(t, s, "a")
	r.Status, r.Result = task.StatusCompleted, json.RawMessage(`{"content":["`+strings.Repeat("-", resultSize)+`"]}`)
	if _, err := s.Update(t.Context(), r); errors.Is(err, task.ErrFull) {
		r.Status, r.Result = task.StatusWorking, nil
	} else if err != nil {
		t.Fatal(err)
	}
	errNone := errors.New("out of memory")
	for _, read := range []struct {
		name string
		call func(context.Context) (task.Record, error)
	}{
		{"Get", func(ctx context.Context) (task.Record, error) { return s.Get(ctx, "a") }},
		{"Wait", func(ctx context.Context) (task.Record, error) { return s.Wait(ctx, "a", r.Version-1) }},
		{"List", func(ctx context.Context) (task.Record, error) {
			list, err := s.List(ctx, task.Owner{Principal: "ann"}, "", 2)
			if err != nil {
				return task.Record{}, err
			}
			if len(list) != 1 {
				t.Fatalf("List: got %d records, want 1", len(list))
			}
			return list[0], nil
		}},
	} {
		total := 0
		got, err := read.call(withMemory(t, func(bytes int) error {
			total += bytes
			return nil
		}))
		if err != nil {
			t.Fatalf("%s: %v", read.name, err)
		}
		if size := got.Size(); total < size {
			t.Errorf("%s reserved %d bytes for a record of %d; see task.Reserve", read.name, total, size)
		}
		if read.name == "List" && total > resultSize/2 {
			t.Errorf("List reserved %d bytes; it must not read results", total)
		}
		began := time.Now()
		_, err = read.call(withMemory(t, func(int) error { return errNone }))
		fails(t, read.name+" without memory", err, errNone)
		if took := time.Since(began); took > time.Second {
			t.Errorf("%s without memory returned after %v, want at most 1s", read.name, took)
		}
	}
}

// memoryFunc is a [callctx.Reserver].
type memoryFunc func(bytes int) error

func (f memoryFunc) Reserve(bytes int) error { return f(bytes) }
func (memoryFunc) Release()                  {}

func withMemory(t *testing.T, f memoryFunc) context.Context {
	t.Helper()
	return context.WithValue(t.Context(), callctx.ReserverKey{}, f)
}
