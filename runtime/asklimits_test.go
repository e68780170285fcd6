package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// confirmation returns the answer yes or no to the question with this id.
func confirmation(id int, yes bool) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"action":"accept","content":{"confirm":%t}}}`, id, yes)
}

// TestAskStopsTimeout: the time until the user answers does not count towards the timeout of the tool, whether the func
// or AskFirst asks.
func TestAskStopsTimeout(t *testing.T) {
	t.Parallel()
	const most = 2 * time.Second
	for _, test := range []struct {
		name          string
		before, after time.Duration // running time
		askFirst      bool
		want          string
		at            time.Duration // of running time
	}{
		{"in time", time.Second, 900 * time.Millisecond, false, "agreed", 1900 * time.Millisecond},
		{"too long after the answer", time.Second, 2 * time.Second, false, "the tool ran longer than its limit of 2s", most},
		{"too long before the question", 3 * time.Second, 0, false, "the tool ran longer than its limit of 2s", most},
		{"question first", 0, 1900 * time.Millisecond, true, "agreed", 1900 * time.Millisecond},
		{"question first, and too long", 0, 3 * time.Second, true, "the tool ran longer than its limit of 2s", most},
	} {
		for _, concurrent := range []bool{false, true} {
			t.Run(fmt.Sprint(test.name, " ", concurrent), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					opts := []mcptool.ToolOption{mcptool.Timeout(most)}
					if concurrent {
						opts = append(opts, mcptool.Concurrent(1))
					}
					if test.askFirst {
						opts = append(opts, mcptool.AskFirst("First?"))
					}
					var deadline bool
					srv := serve(t, tool(t, "ask", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
						time.Sleep(test.before)
						if !test.askFirst {
							if err := mcptool.Confirm(ctx, "Sure?"); err != nil {
								return nil, err
							}
						}
						child, cancel := context.WithTimeout(ctx, time.Hour)
						defer cancel()
						select {
						case <-child.Done():
							deadline = errors.Is(child.Err(), context.DeadlineExceeded) && errors.Is(ctx.Err(), context.DeadlineExceeded)
							return nil, child.Err()
						case <-time.After(test.after):
							return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: "agreed"}}}, nil
						}
					}, opts...))
					w := open(t, srv)
					w.handshakeAble("2025-11-25")
					begun, paused := time.Now(), time.Duration(0)
					w.send(legacy("1", "tools/call", `"name":"ask"`))
					if test.before < most {
						w.want(`"method":"elicitation/create"`)
						paused = 10 * time.Minute
						time.Sleep(paused)
						w.send(confirmation(1, true))
					}
					w.want(`"id":1,"result"`, test.want)
					if took := time.Since(begun) - paused; took != test.at {
						t.Errorf("answered after a running time of %v, want %v", took, test.at)
					}
					synctest.Wait()
					if isLate := test.after >= most; test.before < most && deadline != isLate {
						t.Errorf("context ended with DeadlineExceeded = %t, want %t", deadline, isLate)
					}
					time.Sleep(time.Minute)
				})
			})
		}
	}
}

// TestAskReleasesConcurrent: a call that waits for the user does not count as running, and is queued again after the
// answer.
func TestAskReleasesConcurrent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running := 0
		count := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			if running += n; running > 1 {
				t.Errorf("%d concurrent calls, want 1", running)
			}
		}
		srv := serve(t, tool(t, "ask", func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
			count(1)
			defer count(-1)
			if strings.Contains(string(args), "quiet") {
				time.Sleep(10 * time.Second)
				return &mcptool.Result{}, nil
			}
			count(-1)
			err := mcptool.Confirm(ctx, "Sure?")
			count(1)
			time.Sleep(time.Second)
			return &mcptool.Result{}, err
		}, mcptool.Concurrent(1)))
		w := open(t, srv)
		w.handshakeAble("2025-11-25")
		begun := time.Now()
		w.send(legacy("1", "tools/call", `"name":"ask"`), legacy("2", "tools/call", `"name":"ask"`))
		questions := w.want(`"method":"elicitation/create"`) + w.want(`"method":"elicitation/create"`) // the second while the first is open
		if !strings.Contains(questions, `"id":1`) || !strings.Contains(questions, `"id":2`) {
			t.Errorf("the questions are %s, want ids 1 and 2", questions)
		}
		w.send(legacy("3", "tools/call", `"name":"ask","arguments":{"quiet":true}`))
		synctest.Wait()
		w.send(confirmation(2, true), confirmation(1, true))
		w.want(`"id":3,"result"`)
		ids := w.want(`"result"`) + w.want(`"result"`)
		if took := time.Since(begun); took != 12*time.Second || !strings.Contains(ids, `"id":1`) || !strings.Contains(ids, `"id":2`) {
			t.Errorf("answered after %v, want 12s: %s", took, ids)
		}
		w.send(legacy("4", "tools/call", `"name":"ask","arguments":{"quiet":true}`)) // the semaphore is free again
		time.Sleep(11 * time.Second)
		w.want(`"id":4,"result"`)
	})
}

// TestAskFirstBeforeConcurrent: AskFirst asks while another call of the tool runs. A refusal is answered at once, and the
// func runs after the other call.
func TestAskFirstBeforeConcurrent(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{"2025-11-25", modernRevision} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := serve(t, tool(t, "ask", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
					time.Sleep(10 * time.Second)
					return &mcptool.Result{}, nil
				}, mcptool.Concurrent(1), mcptool.AskFirst("Sure?")))
				w := open(t, srv)
				if revision != modernRevision {
					w.handshakeAble(revision)
				}
				question := 0
				// call calls the tool and returns a func that answers its question.
				call := func(id string) (reply func(yes bool)) {
					if revision == modernRevision {
						w.send(able(id, "tools/call", `,"name":"ask"`))
						state := stateOf(t, w.want(`"inputRequests"`))
						return func(yes bool) {
							answer := strings.Replace(agree, "true", fmt.Sprint(yes), 1)
							w.send(able(id, "tools/call", `,"name":"ask","requestState":"`+state+`",`+answer))
						}
					}
					w.send(legacy(id, "tools/call", `"name":"ask"`))
					w.want(`"method":"elicitation/create"`)
					question++
					n := question
					return func(yes bool) { w.send(confirmation(n, yes)) }
				}
				begun := time.Now()
				first, second, third := call("1"), call("2"), call("3")
				first(true)
				synctest.Wait()
				second(true)
				third(false)
				w.want(`"id":3,"result"`, "the user declined")
				if took := time.Since(begun); took != 0 {
					t.Errorf("the refusal was answered after %v, want 0", took)
				}
				w.want(`"id":1,"result"`)
				w.want(`"id":2,"result"`)
				if took := time.Since(begun); took != 20*time.Second {
					t.Errorf("both calls ended after %v, want 20s", took)
				}
			})
		})
	}
}

// TestAskManyReleasesOnce: the limit of a tool still applies when it asks from several goroutines, even if it returns
// before all questions are answered.
func TestAskManyReleasesOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "ask", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			var asking sync.WaitGroup
			for range 3 {
				asking.Go(func() { _ = mcptool.Confirm(ctx, "Sure?") })
			}
			go func() { _ = mcptool.Confirm(ctx, "Left alone?") }()
			asking.Wait()
			return &mcptool.Result{}, nil
		}, mcptool.Concurrent(1), mcptool.Timeout(time.Second)), tool(t, "other", echo))
		w := open(t, srv)
		w.handshakeAble("2025-11-25")
		for range 3 {
			w.send(legacy("1", "tools/call", `"name":"ask"`))
			left := 0
			var ids []int
			for range 4 {
				var question struct {
					ID     int
					Params struct{ Message string }
				}
				if err := json.Unmarshal([]byte(w.want(`"method":"elicitation/create"`)), &question); err != nil {
					t.Fatal(err)
				}
				if question.Params.Message == "Left alone?" {
					left = question.ID
				} else {
					ids = append(ids, question.ID)
				}
			}
			for _, id := range ids {
				time.Sleep(time.Minute)
				w.send(confirmation(id, true))
			}
			w.want(`"id":1,"result":{"content":[]`)
			w.want(`notifications/cancelled`, fmt.Sprintf(`"requestId":%d,`, left))
			synctest.Wait()
		}
	})
}

// TestFailRequests: FailRequests, which is called for an unreachable client, fails the open questions. Later ones can be
// asked.
func TestFailRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told error
		w := open(t, serve(t, confirming(t, "ask", &told)))
		w.handshakeAble("2025-11-25")
		w.session.FailRequests() // none is open
		w.send(legacy("1", "tools/call", `"name":"ask"`))
		w.want(`"method":"elicitation/create"`)
		w.session.FailRequests()
		w.want(`"method":"notifications/cancelled","params":{"requestId":1,"reason":"the client could not be reached"}`)
		w.want(`"id":1,"result"`, "no answer from the client, which cannot be reached")
		if !errors.Is(told, mcptool.ErrNoAnswer) {
			t.Errorf("Confirm = %v, want ErrNoAnswer", told)
		}
		w.send(legacy("2", "tools/call", `"name":"ask"`))
		w.want(`"method":"elicitation/create"`)
		w.send(confirmation(2, true))
		w.want(`"id":2,"result"`, "agreed")
	})
}

// TestTaskAskSuspends: a task that waits for answers does not count towards the limits of its tool.
func TestTaskAskSuspends(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := open(t, taskServer(t, inquisitive(t, mcptool.Task(mcptool.TaskSupportRequired), mcptool.Concurrent(1), mcptool.Timeout(3*time.Second))))
		var ids []string
		for i := range 2 {
			w.send(tasked(fmt.Sprint(i), "tools/call", `,"name":"ask"`))
			id, _ := taskOf(t, w.next())
			ids = append(ids, id)
		}
		time.Sleep(5 * time.Second)
		for _, id := range ids {
			open := w.inputs(id)
			if len(open) != 2 {
				t.Fatalf("open questions = %v, want two per task", open)
			}
			time.Sleep(10 * time.Minute)
			w.update(id, open["First?"], "a")
			w.update(id, open["Second?"], "b")
			synctest.Wait()
			time.Sleep(10 * time.Minute)
			w.update(id, w.inputs(id)["Third?"], "c")
			time.Sleep(2 * time.Second)
			w.send(tasked("9", "tasks/get", `,"taskId":"`+id+`"`))
			w.want(`"status":"completed"`, "abc")
		}
	})
}
