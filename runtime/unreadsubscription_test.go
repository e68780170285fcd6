package runtime_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/mcptool"
)

// unreadStream is the stream of a subscription that blocks notifications of tasks until gate is closed.
type unreadStream struct {
	enginetest.Discard
	gate     chan struct{}
	notified chan struct{}
}

func (x *unreadStream) Notify(msg []byte) error {
	if strings.Contains(string(msg), "notifications/tasks") {
		<-x.gate
		x.notified <- struct{}{}
	}
	return nil
}

// TestUnreadSubscriptions: clients that do not read their notifications do not block the task store for others, and lose no
// notifications.
func TestUnreadSubscriptions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const tasks = 64
		srv := taskServer(t, tool(t, "task", anHour, mcptool.Task(mcptool.TaskSupportOptional)))
		creator := open(t, srv)
		var ids []string
		for i := range tasks {
			creator.send(tasked(fmt.Sprint(i), "tools/call", `,"name":"task"`))
			id, _ := taskOf(t, creator.next())
			ids = append(ids, id)
		}
		var streams []*unreadStream
		for range 2 {
			stream := &unreadStream{gate: make(chan struct{}), notified: make(chan struct{}, 2*tasks)}
			streams = append(streams, stream)
			s := srv.Open(t.Context(), enginetest.Discard{})
			s.Serve(srv.Read([]byte(tasked("9", "subscriptions/listen", `,"notifications":{"taskIds":["`+strings.Join(ids, `","`)+`"]}`))), stream)
		}
		time.Sleep(11 * time.Second) // longer than the timeout of the store
		creator.send(tasked("77", "tasks/get", `,"taskId":"`+ids[0]+`"`))
		if got := creator.next(); !strings.Contains(got, `"status":"working"`) {
			t.Errorf("another client got %s, want a working task", got)
		}
		for _, stream := range streams {
			close(stream.gate)
			synctest.Wait()
			if n := len(stream.notified); n != tasks {
				t.Errorf("got notifications of %d tasks after the client reads again, want %d", n, tasks)
			}
		}
	})
}
