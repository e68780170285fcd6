package runtime_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestStoreHangsAndEnds: Close waits for a request whose store returns in time.
func TestStoreHangsAndEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newObstructed()
		w, f, _, id, _ := twoTasks(t, store)
		store.set("Get", func(context.Context) { time.Sleep(5 * time.Second) })
		f.messages <- tasked("7", "tasks/get", `,"taskId":"`+id+`"`)
		time.Sleep(time.Second)
		if err := w.session.Close(t.Context()); err != nil {
			t.Errorf("Close = %v", err)
		}
		w.want(`"id":7,"result"`)
	})
}

// TestStoreHangsAndRequestCancelled: a request that waits for a hanging store can be cancelled. Its id is in use until then,
// and its late answer is dropped.
func TestStoreHangsAndRequestCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newObstructed()
		w, f, _, id, legacyID := twoTasks(t, store)
		cancel := func(id string) string {
			return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
		}
		for _, request := range []string{
			tasked("7", "tasks/get", `,"taskId":"`+id+`"`),
			legacy("7", "tasks/result", `"taskId":"`+legacyID+`"`),
		} {
			store.set("Get", untilDone)
			f.messages <- request
			time.Sleep(time.Second)
			f.messages <- tasked("7", "tasks/get", `,"taskId":"`+id+`"`)
			w.want(`"id":7,"error"`, "a request with this id is still being answered")
			f.messages <- cancel("7")
			store.set("Get", nil)
			f.messages <- tasked("7", "tasks/get", `,"taskId":"`+id+`"`)
			w.want(`"id":7,"result"`)
			time.Sleep(time.Minute)
			w.quiet()
		}
	})
}

// TestStoreIsSlow: a request keeps its message while the store is slow and the source reuses its buffer, and gets a complete
// answer.
func TestStoreIsSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newObstructed()
		w, f, _, first, _ := twoTasks(t, store)
		f.messages <- tasked("1", "tools/call", `,"name":"asking"`)
		second, _ := taskOf(t, w.next())
		synctest.Wait()
		answer := map[string]string{}
		for _, id := range []string{first, second} {
			f.messages <- tasked("2", "tasks/get", `,"taskId":"`+id+`"`)
			answer[id] = `,"taskId":"` + id + `","inputResponses":{"` + keyOfInput(t, w.next()) + `":{"action":"accept","content":{"confirm":true}}}`
		}
		store.set("Get", func(context.Context) { time.Sleep(time.Second) })
		f.messages <- tasked("3", "tasks/update", answer[first])
		f.messages <- tasked("4", "tasks/update", answer[second])
		for range 10 {
			f.messages <- legacy(`"something longer than the update"`, "ping", "")
			w.want("something longer")
		}
		if answers := w.next() + w.next(); strings.Count(answers, `"result"`) != 2 {
			t.Errorf("got %s, want two results", answers)
		}
		store.set("Get", nil)
		time.Sleep(5 * time.Second) // the tasks also wait for the store
		for _, id := range []string{first, second} {
			f.messages <- tasked("5", "tasks/get", `,"taskId":"`+id+`"`)
			w.want(`"status":"completed"`)
		}
	})
}

// keyOfInput returns the key of the only input request of a task.
func keyOfInput(t *testing.T, msg string) string {
	t.Helper()
	var m struct {
		Result struct{ InputRequests map[string]any }
	}
	if err := json.Unmarshal([]byte(msg), &m); err != nil || len(m.Result.InputRequests) != 1 {
		t.Fatalf("want one input request: %s, %v", msg, err)
	}
	for key := range m.Result.InputRequests {
		return key
	}
	return ""
}
