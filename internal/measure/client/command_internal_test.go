package client

import (
	"context"
	"os"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/process"
)

// TestIsRead checks when a command is known to have read everything: when it has answered the last message.
func TestIsRead(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := &command{
		Running: &process.Running{In: process.NewWriteQueue(w)},
		isRead:  true, waiting: map[int64]waiter{}, in: &incoming{other: func(context.Context, message) {}},
	}
	defer func() { _ = r.Close() }()
	c.In.Close(0) // it writes nothing
	request := func(id int64) func() {
		return func() {
			if err := c.start(&request{id: id}, func([]byte, error) {}); err != nil {
				t.Error(err)
			}
		}
	}
	answer := func(id string) func() {
		return func() { c.take([]byte(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`)) }
	}
	note := func() { _ = c.send(t.Context(), "", nil) }
	for i, step := range []struct {
		do   func()
		want bool
	}{
		{request(1), false},
		{answer("1"), true},
		{request(2), false},
		{request(3), false},
		{answer("2"), false},
		{answer("3"), true},
		{note, false},
		{answer("0"), false},
		{request(4), false},
		{func() { c.forget(4) }, false},
		{answer("4"), false},
		{request(5), false},
		{answer("5"), true},
	} {
		if step.do(); c.isRead != step.want {
			t.Errorf("after step %d it is %t", i, c.isRead)
		}
	}
}
