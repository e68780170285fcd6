package streamhttp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// markedIn says the same in each of its parts, and in the _meta of its call.
type markedIn struct {
	Mark string          `json:"mark"`
	Raw  json.RawMessage `json:"raw"`
	Map  map[string]any  `json:"map"`
	Wait int             `json:"wait" doc:"Seconds"`
}

// keepers collect what tools have kept of their calls.
type keepers struct {
	mu    sync.Mutex
	check []func() error
}

func (k *keepers) keep(check func() error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.check = append(k.check, check)
}

// check returns what is wrong with the parts of a call.
func (in *markedIn) check(ctx context.Context, mark string) error {
	info := mcptool.Caller(ctx)
	switch {
	case in.Mark != mark, string(in.Raw) != `{"mark":"`+mark+`"}`, in.Map["mark"] != mark:
		return fmt.Errorf("%s: the arguments are %q, %s, %v", mark, in.Mark, in.Raw, in.Map)
	case !strings.Contains(string(info.Meta), `"mark":"`+mark+`"`), info.RequestID != `"`+mark+`"`:
		return fmt.Errorf("%s: the request is %s with _meta %s", mark, info.RequestID, info.Meta)
	}
	return nil
}

// TestMessagesUsedAgain: the memory of a message is used again when it has been answered, and nothing that a tool has is in
// it: neither while the tool runs on, after its timeout or as a task, nor when it has returned and kept what it got.
func TestMessagesUsedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var kept keepers
		marked := func(ctx context.Context, in markedIn) (mcptool.Text, error) {
			mark := strings.Clone(in.Mark)
			time.Sleep(time.Duration(in.Wait) * time.Second) // also when the call has ended
			if err := in.check(ctx, mark); err != nil {
				t.Error(err)
			}
			kept.keep(func() error { return in.check(ctx, mark) })
			return mcptool.Text{Text: "of " + mark}, nil
		}
		define := func(name string, opts ...mcptool.Option) *mcptool.Tool {
			tool, err := mcptool.New(marked, append(opts, mcptool.Name(name))...)
			if err != nil {
				t.Fatal(err)
			}
			return tool
		}
		raw, err := mcptool.NewRaw("raw", json.RawMessage(`{"type":"object"}`), func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
			before := string(args)
			time.Sleep(2 * time.Second)
			if string(args) != before {
				t.Errorf("the arguments were %s and became %s", before, args)
			}
			return nil, nil
		}, mcptool.Timeout(time.Second))
		if err != nil {
			t.Fatal(err)
		}
		tools := &mcptool.Registry{}
		if err := tools.Add(define("plain"), define("timed", mcptool.Timeout(time.Second)), define("task", mcptool.Task(mcptool.TaskOptional)), raw); err != nil {
			t.Fatal(err)
		}
		server := serve(t, &runtime.Server{Tools: tools})
		post := func(tool, mark string, wait int, want string) {
			arguments := fmt.Sprintf(`{"mark":%q,"raw":{"mark":%q},"map":{"mark":%q},"wait":%d}`, mark, mark, mark, wait)
			body := withTasks(`"`+mark+`"`, "tools/call", `,"name":"`+tool+`","arguments":`+arguments)
			body = strings.Replace(body, `"_meta":{`, `"_meta":{"mark":"`+mark+`",`, 1)
			text := bodyOf(t, server.do(t.Context(), http.MethodPost, body, heading("tools/call", tool)))
			if !strings.Contains(text, want) || !strings.Contains(text, `"id":"`+mark+`"`) {
				t.Errorf("%s, %s: %s", tool, mark, text)
			}
		}
		var clients sync.WaitGroup
		for n := range 8 {
			clients.Go(func() {
				post("timed", fmt.Sprint("timed-", n), 4, "longer than its limit")
				post("raw", fmt.Sprint("raw-", n), 0, "longer than its limit")
				post("task", fmt.Sprint("task-", n), 4, `"resultType":"task"`)
				for i := range 50 {
					mark := fmt.Sprintf("plain-%d-%d%s", n, i, strings.Repeat("x", i*n%70))
					post("plain", mark, 0, "of "+mark)
					refused := server.do(t.Context(), http.MethodPost, modern(`"`+mark+`"`, "subscriptions/listen", ""),
						heading("subscriptions/listen", "", "Accept", "application/json"))
					if text := bodyOf(t, refused); refused.status != http.StatusNotAcceptable || !strings.Contains(text, `"id":"`+mark+`"`) {
						t.Errorf("%s is refused with %d %s", mark, refused.status, text)
					}
				}
			})
		}
		clients.Wait()
		time.Sleep(time.Minute) // until all that runs on has ended
		kept.mu.Lock()
		defer kept.mu.Unlock()
		if len(kept.check) != 8*52 {
			t.Errorf("%d calls have kept what they got", len(kept.check))
		}
		for _, check := range kept.check {
			if err := check(); err != nil {
				t.Error("after the call: ", err)
			}
		}
	})
}

// TestRefusedUnread: a message that is refused before it is read is answered without an id, not with that of a message whose
// memory it would have used.
func TestRefusedUnread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, &runtime.Server{Limits: runtime.Limits{MaxMessageBytes: 1000}})
		for range 20 {
			bodyOf(t, server.do(t.Context(), http.MethodPost, modern(`"secret"`, "tools/list", ""), heading("tools/list", "")))
			large := server.do(t.Context(), http.MethodPost, strings.Repeat("x", 2000), heading("tools/list", ""))
			if text := bodyOf(t, large); large.status != http.StatusRequestEntityTooLarge || strings.Contains(text, "secret") {
				t.Fatalf("%d %s", large.status, text)
			}
		}
	})
}
