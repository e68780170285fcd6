package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
)

func tool(t *testing.T) *mcptool.Tool {
	t.Helper()
	tool, err := mcptool.New((&Archive{month: 5 * time.Second}).Export)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// TestExport exports for clients without tasks.
func TestExport(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, replay := range []bool{false, true} {
			began := time.Now()
			user := &mcptooltest.Client{Replay: replay, Answers: []any{true}}
			got := mcptooltest.CallAs[ExportIn, ExportOut](t, user, tool(t), ExportIn{Year: 2026})
			if diff := cmp.Diff(ExportOut{File: "orders-2026.csv", Orders: 777, LeftOut: 3}, got); diff != "" {
				t.Errorf("replay %v (-want +got):\n%s", replay, diff)
			}
			if took := time.Since(began); took != time.Minute {
				t.Errorf("replay %v: it took %s, to read everything once", replay, took)
			}
		}
		user := &mcptooltest.Client{Answers: []any{mcptooltest.RefusalDecline}}
		if _, err := user.Call(t.Context(), tool(t), []byte(`{"year":2026}`)); !errors.Is(err, mcptool.ErrDeclined) {
			t.Errorf("declined: %v", err)
		}
	})
}

// TestExportAsTask runs a call as a task and answers its questions.
func TestExportAsTask(t *testing.T) {
	t.Parallel()
	tool, err := mcptool.New((&Archive{month: time.Millisecond}).Export)
	if err != nil {
		t.Fatal(err)
	}
	user := &mcptooltest.Client{Answers: []any{true}}
	task := mcptooltest.StartTask(t, user, tool, ExportIn{Year: 2026})
	if got := mcptooltest.AwaitTask[ExportOut](t, task); got.Orders != 777 {
		t.Errorf("got %d orders, want 777", got.Orders)
	}
}

// TestExportOverHTTP does the same with a server over HTTP.
func TestExportOverHTTP(t *testing.T) {
	t.Parallel()
	tool, err := mcptool.New((&Archive{month: time.Millisecond}).Export)
	if err != nil {
		t.Fatal(err)
	}
	tools := &mcptool.Registry{}
	if err := tools.Add(tool); err != nil {
		t.Fatal(err)
	}
	server := &runtime.Server{Tools: tools, Tasks: tasks.New(nil), Limits: runtime.Limits{Tasks: runtime.TaskLimits{Delay: time.Millisecond}}}
	client := mcptooltest.HTTP(t, server)
	client.Answers = []any{true}
	task := mcptooltest.StartTask(t, client, tool, ExportIn{Year: 2026})
	if got := mcptooltest.AwaitTask[ExportOut](t, task); got.Orders != 777 {
		t.Errorf("got %d orders, want 777", got.Orders)
	}
}

// TestExportTask exports for a client with tasks.
func TestExportTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tools := &mcptool.Registry{}
		if err := tools.Add(tool(t)); err != nil {
			t.Fatal(err)
		}
		srv := &runtime.Server{Tools: tools, Tasks: tasks.New(nil)}
		sent := make(chan []byte, 9)
		session := runtime.Internal(private.Key{}).Open(t.Context(), srv, enginetest.Conn{Send: func(msg []byte) error {
			sent <- bytes.Clone(msg)
			return nil
		}})
		defer func() { _ = session.Close(context.WithoutCancel(t.Context())) }()
		ask := func(method, params string) string {
			session.Receive([]byte(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
				`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}},` + params + `}}`))
			return string(<-sent)
		}
		var created struct{ Result struct{ TaskID string } }
		if err := json.Unmarshal([]byte(ask("tools/call", `"name":"export_orders","arguments":{"year":2026}`)), &created); err != nil {
			t.Fatal(err)
		}
		id := `"taskId":"` + created.Result.TaskID + `"`
		for _, step := range []struct {
			wait           time.Duration
			method, params string
			want           string
		}{
			{6 * time.Second, "tasks/get", "", `"status":"working","statusMessage":"reading February"`},
			{time.Minute, "tasks/get", "", `"inputRequests":{"q1":{"method":"elicitation/create","params":{"mode":"form","message":"3 of 780 orders have no address. Export the others?"`},
			{0, "tasks/update", `,"inputResponses":{"q1":{"action":"accept","content":{"confirm":true}}}`, `"resultType":"complete"`},
			{time.Second, "tasks/get", "", `"structuredContent":{"file":"orders-2026.csv","orders":777,"leftOut":3}`},
		} {
			time.Sleep(step.wait)
			if answer := ask(step.method, id+step.params); !strings.Contains(answer, step.want) {
				t.Errorf("%s: want %s in %s", step.method, step.want, answer)
			}
		}
	})
}
