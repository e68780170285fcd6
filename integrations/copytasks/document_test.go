package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// TestDocument runs the command of docs/tasks-cluster.md and compares its output with the document.
func TestDocument(t *testing.T) { //nolint:paralleltest // it changes the directory
	document, err := os.ReadFile("../../docs/tasks-cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(document), "```sh\ngo run ./integrations/copytasks ")
	command, rest, _ := strings.Cut(rest, "\n")
	_, rest, _ = strings.Cut(rest, "<!-- what copytasks prints -->\n```text\n")
	want, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("docs/tasks-cluster.md does not show the command and what it prints")
	}
	t.Chdir(t.TempDir())
	store := open(t, "tasks.db")
	for i := range 312 {
		r := tasktest.Record(fmt.Sprint(i), "ann", time.Hour)
		if i < 12 {
			r.Durable = tasktest.Durable("", "", 0).Durable
		}
		if err := store.Create(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if i < 12 {
			continue
		}
		r.Status, r.Result = task.StatusCompleted, json.RawMessage(`{}`)
		if _, err := store.Update(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	const documented = "nats://nats.internal:4222"
	address := natsServer(t, "")
	var out bytes.Buffer
	run(t.Context(), strings.Fields(strings.ReplaceAll(command, documented, address)), &out, &out)
	if got := strings.ReplaceAll(out.String(), address, documented); got != want {
		t.Errorf("it printed\n%s\nand the document shows\n%s", got, want)
	}
}
