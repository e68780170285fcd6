package client_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/bench/client"
)

// eras are the eras, each with the revision that our own servers speak in it.
var eras = map[client.Era]string{client.Auto: "2026-07-28", client.Modern: "2026-07-28", client.Legacy: "2025-11-25"}

// dial connects to a target and ends the connection with the test.
func dial(t *testing.T, to client.Target, o client.Options) *client.Client {
	t.Helper()
	c, err := client.Dial(t.Context(), to, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestCall(t *testing.T) {
	for era, revision := range eras {
		t.Run(string(era), func(t *testing.T) {
			t.Parallel()
			c := dial(t, child("tools"), client.Options{Era: era})
			if got := c.Server().Revision; got != revision {
				t.Errorf("revision %s, want %s", got, revision)
			}
			tools, err := c.Tools(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(tools) != 1 || tools[0].Name != "add" || tools[0].Description != "Adds" || tools[0].InputSchema == nil || tools[0].OutputSchema == nil {
				t.Errorf("the tools are %+v", tools)
			}
			got, err := c.Call(t.Context(), "add", json.RawMessage(`{"a":1,"b":2}`))
			if err != nil {
				t.Fatal(err)
			}
			if got.IsError || string(got.StructuredContent) != `{"sum":3}` || len(got.Content) != 1 || got.Content[0].Text != `{"sum":3}` {
				t.Errorf("the result is %s", got.Raw)
			}
		})
	}
}

func TestRoundTrip(t *testing.T) {
	for era := range eras {
		t.Run(string(era), func(t *testing.T) {
			t.Parallel()
			c := dial(t, child("tools"), client.Options{Era: era})
			var all sync.WaitGroup
			for id := range int64(50) {
				all.Go(func() {
					message, err := c.Encode(id, "tools/call", json.RawMessage(fmt.Sprintf(`{"name":"add","arguments":{"a":%d,"b":1000}}`, id)))
					if err != nil {
						t.Error(err)
						return
					}
					raw, err := c.RoundTrip(t.Context(), "add", message)
					if err != nil {
						t.Error(err)
						return
					}
					var answer struct {
						ID     int64
						Result client.Result
					}
					if err := json.Unmarshal(raw, &answer); err != nil {
						t.Error(err)
					}
					if want := fmt.Sprintf(`{"sum":%d}`, id+1000); answer.ID != id || string(answer.Result.StructuredContent) != want {
						t.Errorf("%d was answered with %s", id, raw)
					}
				})
			}
			all.Wait()
		})
	}
}
