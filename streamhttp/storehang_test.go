package streamhttp_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/task"
)

// hanging is a task store whose Get blocks until its context ends.
type hanging struct{ task.Store }

func (hanging) Get(ctx context.Context, _ string) (task.Record, error) {
	<-ctx.Done()
	return task.Record{}, ctx.Err()
}

// TestStoreHangs: requests that wait for a hanging task store do not delay others, in the same session or without one,
// and are answered after the store's time limit.
func TestStoreHangs(t *testing.T) {
	t.Parallel()
	for name, post := range map[string]func(m *memory, c legacyClient, id, method string) answer{
		"in a session": func(_ *memory, c legacyClient, id, method string) answer {
			return c.send(c.t.Context(), request(id, method, `"taskId":"x"`))
		},
		"without a session": func(m *memory, _ legacyClient, id, method string) answer {
			return m.do(m.t.Context(), http.MethodPost, withTasks(id, method, `,"taskId":"x"`), heading(method, "x"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := fixtureServer(t, map[string]string{"tasks": "yes"})
				srv.Tasks = tasks.New(hanging{task.NewMemory(task.MemoryLimits{})})
				server := serve(t, srv)
				client := server.begin("2025-11-25")
				begun := time.Now()
				var asking sync.WaitGroup
				for i := range 40 { // more than the engine queues
					asking.Go(func() {
						body := bodyOf(t, post(server, client, strconv.Itoa(i), "tasks/get"))
						if !strings.Contains(body, `"error":{"code":-32603,"message":"the task cannot be looked up; try again later"`) || time.Since(begun) > 11*time.Second {
							t.Errorf("after %v: %s", time.Since(begun), body)
						}
					})
				}
				time.Sleep(time.Second)
				sent := time.Now()
				if body := bodyOf(t, post(server, client, "100", "tools/list")); !strings.Contains(body, `"result"`) || time.Since(sent) > 0 {
					t.Errorf("after %v: %s", time.Since(sent), body)
				}
				asking.Wait()
			})
		})
	}
}
