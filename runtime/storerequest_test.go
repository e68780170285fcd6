package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestStoreHangsAndEnds: Close waits for a request whose store answers in time.
func TestStoreHangsAndEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newObstructed()
		w, f, _, id, _ := twoTasks(t, store)
		store.set("Get", func(context.Context) { time.Sleep(5 * time.Second) })
		f.messages <- tasked("7", "tasks/get", `,"taskId":"`+id+`"`)
		time.Sleep(time.Second)
		if err := w.session.Close(t.Context()); err != nil {
			t.Errorf("Close returned %v", err)
		}
		w.want(`"id":7,"result"`)
	})
}

// TestStoreHangsAndRequestCancelled: a request whose store hangs can be cancelled, its id is in use until then, and the
// answer that comes later is dropped.
func TestStoreHangsAndRequestCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newObstructed()
		w, f, _, id, legacyID := twoTasks(t, store)
		cancel := func(id string) string {
			return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
		}
		for _, request := range []string{
			tasked("7", "tasks/get", `,"taskId":"`+id+`"`), // in the turn of the reader
			tasked("7", "tasks/get", `,"taskId":"`+id+`"`), // beside it
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

// TestStoreInTurn: with a quick store, requests are answered in the order in which they were sent.
func TestStoreInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, f, _, id, legacyID := twoTasks(t, newObstructed())
		for i := 10; i < 300; i += 3 {
			f.messages <- tasked(fmt.Sprint(i), "tasks/get", `,"taskId":"`+id+`"`)
			f.messages <- legacy(fmt.Sprint(i+1), "tasks/get", `"taskId":"`+legacyID+`"`)
			f.messages <- legacy(fmt.Sprint(i+2), "ping", "")
		}
		for i := 10; i < 300; i++ {
			w.want(fmt.Sprintf(`"id":%d,`, i))
		}
	})
}

// TestStoreRecovers: a store that has been slow is trusted again, and its answers are in order again.
func TestStoreRecovers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newObstructed()
		w, f, _, id, _ := twoTasks(t, store)
		get := func(n int) { f.messages <- tasked(fmt.Sprint(n), "tasks/get", `,"taskId":"`+id+`"`) }
		for range 3 {
			store.set("Get", func(context.Context) { time.Sleep(time.Second) })
			get(1)
			get(2)
			answers := w.next() + w.next()
			if !strings.Contains(answers, `"id":1,"result"`) || !strings.Contains(answers, `"id":2,"result"`) {
				t.Errorf("got %s", answers)
			}
			store.set("Get", nil)
			for i := range 20 {
				get(i)
				w.want(fmt.Sprintf(`"id":%d,`, i))
				synctest.Wait()
			}
			for i := range 100 {
				get(i)
			}
			for i := range 100 {
				w.want(fmt.Sprintf(`"id":%d,`, i))
			}
		}
	})
}

// TestStoreIsSlow: a request keeps its message while the store takes long and the source reads on, and is answered
// completely.
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
		f.messages <- tasked("3", "tasks/update", answer[first]) // in the turn of the reader
		f.messages <- tasked("4", "tasks/update", answer[second])
		for range 10 {
			f.messages <- legacy(`"something longer than the update"`, "ping", "")
			w.want("something longer")
		}
		if answers := w.next() + w.next(); strings.Count(answers, `"result"`) != 2 {
			t.Errorf("got %s", answers)
		}
		store.set("Get", nil)
		time.Sleep(5 * time.Second) // the tasks, too, wait for the store
		for _, id := range []string{first, second} {
			f.messages <- tasked("5", "tasks/get", `,"taskId":"`+id+`"`)
			w.want(`"status":"completed"`)
		}
	})
}

// keyOfInput returns the key of the request that a task has sent.
func keyOfInput(t *testing.T, msg string) string {
	t.Helper()
	var m struct {
		Result struct{ InputRequests map[string]any }
	}
	if err := json.Unmarshal([]byte(msg), &m); err != nil || len(m.Result.InputRequests) != 1 {
		t.Fatalf("it asks nothing: %s, %v", msg, err)
	}
	for key := range m.Result.InputRequests {
		return key
	}
	return ""
}
