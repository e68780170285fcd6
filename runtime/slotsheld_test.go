package runtime_test

import (
	"context"
	"encoding/json"
	goruntime "runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestSlotsListerHolds: a lister runs without a slot, even if an earlier page was long.
func TestSlotsListerHolds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "echo", echo))
		addResource(t, srv, "rv://{id}", func(context.Context, textID) (string, error) { return "x", nil }, mcptool.ListWith(
			func(ctx context.Context, cursor string) (page []mcptool.ResourceLink, next string, err error) {
				if cursor != "" {
					time.Sleep(10 * time.Minute)
					return nil, "", nil
				}
				for i := range 30 {
					page = append(page, mcptool.ResourceLink{Name: "n" + strconv.Itoa(i), URI: "rv://" + strconv.Itoa(i), Description: strings.Repeat("x", 1000)})
				}
				return page, "2", nil
			}))
		e := srv.Endpoint(t.Context())
		for range slots() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "resources/list", ""), "mallory"), x)
		}
		synctest.Wait()
		took, last := probe(t, srv, e, "ann")
		if took != 0 {
			t.Errorf("ann waited %v for a slot, want 0: %.200s", took, last)
		}
		time.Sleep(time.Hour)
	})
}

// TestSlotsListerDeadlock: a call with a slot does not wait for a lister that waits for a slot.
func TestSlotsListerDeadlock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := tool(t, "inner", echo)
		pad := json.RawMessage(`{"pad":"` + strings.Repeat("x", 20<<10) + `"}`)
		srv := serve(t, tool(t, "echo", echo))
		addResource(t, srv, "rv://{id}", func(context.Context, textID) (string, error) { return "x", nil }, mcptool.Concurrent(1), mcptool.ListWith(
			func(ctx context.Context, cursor string) (page []mcptool.ResourceLink, next string, err error) {
				if cursor != "" {
					return nil, "", nil
				}
				time.Sleep(time.Second)
				_, err = inner.Call(ctx, pad)
				for i := range 30 {
					page = append(page, mcptool.ResourceLink{Name: "n" + strconv.Itoa(i), URI: "rv://" + strconv.Itoa(i), Description: strings.Repeat("x", 1000)})
				}
				return page, "2", err
			}))
		e := srv.Endpoint(t.Context())
		began := time.Now()
		var all []*recorder
		for range slots() + 1 {
			x := newRecorder()
			all = append(all, x)
			go e.Answer(t.Context(), access(srv, modern("1", "resources/list", ""), "ann"), x)
			synctest.Wait()
		}
		for _, x := range all {
			<-x.done
			if took := time.Since(began); took > 10*time.Second || !strings.Contains(x.last, "rv://1") {
				t.Errorf("answered after %v, want at most 10s: %.200s", took, x.last)
			}
		}
	})
}

// exitingParam calls runtime.Goexit when it is decoded.
type exitingParam struct{ A string }

func (*exitingParam) UnmarshalJSON([]byte) error { goruntime.Goexit(); return nil }

// TestSlotsTypedGoexitLeaks: the slot for decoding params is released if decoding calls runtime.Goexit.
func TestSlotsTypedGoexitLeaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "echo", echo))
		type in struct {
			P   exitingParam `json:"p"`
			Pad string       `json:"pad"`
		}
		srv.Methods = []runtime.Method{{Name: "acme/typed", Handle: runtime.Typed(func(context.Context, in) (struct{}, error) {
			return struct{}{}, nil
		})}}
		e := srv.Endpoint(t.Context())
		for range slots() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "acme/typed", `,"p":1,"pad":"`+strings.Repeat("x", 20<<10)+`"`), "mallory"), x)
			<-x.done
		}
		if took, last := probe(t, srv, e, "ann"); took != 0 {
			t.Errorf("ann waited %v for a slot, want 0: %.200s", took, last)
		}
	})
}

// TestSlotsFanOutAlone: several calls of one caller with two goroutines each all get slots.
func TestSlotsFanOutAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := tool(t, "inner", echo)
		pad := json.RawMessage(`{"pad":"` + strings.Repeat("x", 20<<10) + `"}`)
		outer := tool(t, "outer", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			done := make(chan bool)
			for range 2 {
				go func() { _, _ = inner.Call(ctx, pad); done <- true }()
			}
			<-done
			<-done
			return &mcptool.Result{}, nil
		})
		srv := serve(t, tool(t, "echo", echo), outer)
		ep := srv.Endpoint(t.Context())
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		stuck, rounds := 0, 300
		if testing.Short() {
			rounds = 30
		}
		for range rounds {
			var all []*recorder
			for range 4 {
				x := newRecorder()
				all = append(all, x)
				go ep.Answer(ctx, access(srv, modern("1", "tools/call", `,"name":"outer","arguments":{}`), "ann"), x)
			}
			synctest.Wait()
			for _, x := range all {
				select {
				case <-x.done:
				default:
					stuck++
				}
			}
			if stuck > 0 {
				break
			}
		}
		if stuck > 0 {
			t.Errorf("%d calls of ann are blocked", stuck)
		}
		if took, _ := probe(t, srv, ep, "bob"); took != 0 {
			t.Errorf("bob waited %v for a slot, want 0", took)
		}
	})
}

// TestSlotsVisibleHolds: conditions run without a slot.
func TestSlotsVisibleHolds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "echo", echo), tool(t, "hidden", echo, mcptool.VisibleIf(func(context.Context, mcptool.CallInfo) bool { time.Sleep(10 * time.Minute); return true })))
		e := srv.Endpoint(t.Context())
		for range slots() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "tools/call", `,"name":"hidden","arguments":{"pad":"`+strings.Repeat("x", 20<<10)+`"}`), "mallory"), x)
		}
		synctest.Wait()
		if took, last := probe(t, srv, e, "ann"); took != 0 {
			t.Errorf("ann waited %v for a slot, want 0: %.100s", took, last)
		}
		time.Sleep(time.Hour)
	})
}

// largeBlocks returns a block of each type with n bytes of data.
func largeBlocks(n int) map[string]mcptool.Content {
	data := make([]byte, n)
	return map[string]mcptool.Content{
		"text":          mcptool.Text{Text: strings.Repeat("x", n)},
		"image":         mcptool.Image{Data: data, MIMEType: "image/png"},
		"audio":         mcptool.Audio{Data: data, MIMEType: "audio/wav"},
		"text resource": mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "x:///a", Text: strings.Repeat("x", n)}},
		"blob resource": mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "x:///a", Blob: data}},
	}
}

// blockServer returns a server with a tool and a prompt that return block, and a tool that returns a text that starts with tt.
func blockServer(t *testing.T, block mcptool.Content, redact func(string) string) *runtime.Server {
	t.Helper()
	none := func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{Content: []mcptool.Content{block}}, nil
	}
	srv := serve(t, tool(t, "block", none), returning(t, "text", mcptool.Text{Text: strings.Repeat("t", 20<<10)}))
	prompt, err := mcptool.NewPrompt(func(context.Context, struct{}) ([]mcptool.Message, error) {
		return []mcptool.Message{{Role: mcptool.RoleUser, Content: block}}, nil
	}, mcptool.Name("block"))
	if err == nil {
		err = srv.Tools.Add(prompt)
	}
	if err != nil {
		t.Fatal(err)
	}
	srv.Redact = redact
	return srv
}

// blockRequests are the requests of blockServer whose answer has the block.
var blockRequests = map[string]string{"tools/call": `,"name":"block","arguments":{}`, "prompts/get": `,"name":"block"`}

// TestLargeBlocksWait: a large block of any type is written only in a slot.
func TestLargeBlocksWait(t *testing.T) {
	t.Parallel()
	for name, block := range largeBlocks(20 << 10) {
		for method, params := range blockRequests {
			t.Run(method+" "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					goOn := make(chan struct{})
					srv := blockServer(t, block, func(text string) string {
						if strings.HasPrefix(text, "tt") {
							<-goOn
						}
						return text
					})
					e := srv.Endpoint(t.Context())
					for range slots() {
						go e.Answer(t.Context(), access(srv, modern("1", "tools/call", `,"name":"text","arguments":{}`), "mallory"), newRecorder())
					}
					synctest.Wait()
					x := newRecorder()
					go e.Answer(t.Context(), access(srv, modern("1", method, params), "ann"), x)
					synctest.Wait()
					select {
					case <-x.done:
						t.Errorf("answered without a slot: %.200s", x.last)
					default:
					}
					close(goOn)
					if <-x.done; !strings.Contains(x.last, `"resultType":"complete"`) || strings.Contains(x.last, `"isError"`) {
						t.Errorf("got %.200s, want a complete result", x.last)
					}
				})
			})
		}
	}
}

// TestTooLargeBlocks: a block that is too large for the result is not written.
func TestTooLargeBlocks(t *testing.T) { //nolint:paralleltest // measures the allocations of the process
	const size = 100 << 20
	for name, block := range largeBlocks(size) {
		for method, params := range blockRequests {
			t.Run(method+" "+name, func(t *testing.T) { //nolint:paralleltest // as above
				srv := blockServer(t, block, nil)
				srv.Limits.MaxResultBytes = 1 << 20
				e, x := srv.Endpoint(t.Context()), newRecorder()
				var before, after goruntime.MemStats
				goruntime.ReadMemStats(&before)
				e.Answer(t.Context(), access(srv, modern("1", method, params), "ann"), x)
				<-x.done
				goruntime.ReadMemStats(&after)
				if !strings.Contains(x.last, "the result has more than") {
					t.Errorf("got %.200s, want an error about the size", x.last)
				}
				if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
					t.Errorf("%d bytes allocated, want at most 1 MiB", got)
				}
			})
		}
	}
}
