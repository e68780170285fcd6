package boltstore_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/extension/results"
	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/task"
)

// TestResultsSurvive: results that extension/results keeps in a file are there after a restart, and are not tasks of their
// caller.
func TestResultsSurvive(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tasks.db")
	var handle string
	for restart := range 2 {
		store, err := boltstore.Open(path, boltstore.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		tool, err := mcptool.New(func(context.Context, struct{}) (string, error) { return strings.Repeat("a line of text\n", 5000), nil }, mcptool.Name("lines"))
		if err != nil {
			t.Fatal(err)
		}
		srv := &runtime.Server{Tools: new(mcptool.Registry), Tasks: tasks.New(store), Extensions: []runtime.Extension{results.New(results.Options{Store: store})}}
		if err := srv.Tools.Add(tool); err != nil {
			t.Fatal(err)
		}
		client := mcptooltest.HTTP(t, srv)
		reader, _ := srv.Tools.Lookup("read_result")
		if restart == 0 {
			res, err := client.Call(t.Context(), tool, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, rest, _ := strings.Cut(fmt.Sprint(res), `\"handle\":\"`)
			handle, _, _ = strings.Cut(rest, `\"`)
		}
		res, err := client.Call(t.Context(), reader, []byte(`{"handle":"`+handle+`","offset":-1}`))
		if text := fmt.Sprint(res); err != nil || !strings.Contains(text, `\"offset\":4999,\"lines\":5000`) {
			t.Errorf("restart %d: %s, %v", restart, text, err)
		}
		if listed, err := store.List(t.Context(), task.Owner{}, "", 10); err != nil || len(listed) > 0 {
			t.Errorf("restart %d: the caller has the tasks %v, %v", restart, listed, err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}
