package notify_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/mcptool"
)

// TestStream: a stream notifies its client of the changes of its lists while it has begun and has not ended, in whatever
// order that happens, and of those before it has begun when it begins.
func TestStream(t *testing.T) {
	t.Parallel()
	var prompts []*mcptool.Prompt
	for _, title := range []string{"One", "Two"} {
		prompt, err := mcptool.NewPrompt(func(context.Context, struct{}) (string, error) { return "", nil }, mcptool.Name("prompt"), mcptool.Title(title))
		if err != nil {
			t.Fatal(err)
		}
		prompts = append(prompts, prompt)
	}
	const begin, end, closing, change, other, pause = "begin", "end", "close", "change", "other list", "pause"
	for _, test := range []struct {
		name  string
		steps []string
		want  int
	}{
		{"a change", []string{begin, change}, 1},
		{"two changes", []string{begin, change, pause, change}, 2},
		{"changes within the interval", []string{begin, change, change, change, change, pause}, 2},
		{"changes after the interval", []string{begin, change, pause, pause, change, change, pause, change, pause}, 4},
		{"a pause without changes", []string{begin, change, pause, pause, pause}, 1},
		{"changes before the beginning", []string{change, change, begin}, 1},
		{"no change", []string{begin}, 0},
		{"another list", []string{begin, other}, 0},
		{"a change after the end", []string{begin, end, change}, 0},
		{"the end before the beginning", []string{change, end, begin, change}, 0},
		{"a change of a closed client", []string{begin, closing, change}, 0},
		{"a closed client", []string{change, closing, begin, change}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				registry := &mcptool.Registry{}
				hub := notify.NewHub(registry, nil, nil)
				client := hub.NewClient(t.Context(), slog.New(slog.DiscardHandler), func() {})
				var (
					mu  sync.Mutex // several goroutines send, one after the other
					got []notify.List
				)
				stream := client.NewStream(func(l notify.List) {
					mu.Lock()
					defer mu.Unlock()
					got = append(got, l)
				})
				sent := func() []notify.List {
					mu.Lock()
					defer mu.Unlock()
					return slices.Clone(got)
				}
				stream.SetLists(notify.Set{notify.Prompts: true}, notify.Audience{}, false)
				client.Join()
				changes := 0
				for i, step := range test.steps {
					switch step {
					case pause:
						time.Sleep(100 * time.Millisecond)
					case begin:
						stream.Begin()
					case end:
						stream.End()
					case closing:
						client.Close()
					case change:
						changes++
						if err := registry.Replace(prompts[changes%2]); err != nil {
							t.Fatal(err)
						}
					case other:
						if err := registry.Add(mcptool.Resources{}); err != nil { // the first time
							t.Fatal(err)
						}
					}
					synctest.Wait()
					if step == change && len(sent()) == 0 && slices.Equal(test.steps[:i+1], []string{begin, change}) {
						t.Error("the first change is not announced at once")
					}
				}
				time.Sleep(time.Second)
				synctest.Wait()
				if want := slices.Repeat([]notify.List{notify.Prompts}, test.want); !slices.Equal(sent(), want) {
					t.Errorf("notified of %v, want %v", sent(), want)
				}
				client.Close()
				if clients, uris := hub.Size(); clients+uris != 0 || client.IsSending() {
					t.Errorf("%d clients and %d subscriptions are left", clients, uris)
				}
			})
		})
	}
}
