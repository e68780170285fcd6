package main

import (
	"expvar"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

// TestMetrics calls a tool over HTTP, with arguments that fit and that do not, and a tool that the server does not have.
func TestMetrics(t *testing.T) {
	t.Parallel()
	counters := Metrics{Requests: new(expvar.Map), Seconds: new(expvar.Map)}
	srv, err := newServer(counters)
	if err != nil {
		t.Fatal(err)
	}
	square, _ := srv.Tools.Lookup("square")
	client := mcptooltest.HTTP(t, srv)
	if got := mcptooltest.CallAs[SquareIn, float64](t, client, square, SquareIn{X: 3}); got != 9 {
		t.Errorf("got %v, want 9", got)
	}
	if result, err := client.Call(t.Context(), square, []byte(`{}`)); err != nil || !result.IsError {
		t.Errorf("invalid arguments: got %v and error %v", result, err)
	}
	cube, err := mcptool.New(Square, mcptool.Name("cube"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Call(t.Context(), cube, []byte(`{"x":3}`)); err == nil {
		t.Error("the server has no tool cube")
	}
	for _, want := range []string{"tools/call  refused", "tools/call square invalid_arguments", "tools/call square ok"} {
		for deadline := time.Now().Add(10 * time.Second); counters.Requests.Get(want) == nil; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) { // operations end after their answers
				t.Fatalf("there is no %q in %s", want, counters.Requests)
			}
		}
		if got := counters.Requests.Get(want).String(); got != "1" {
			t.Errorf("%s: %s, want 1", want, got)
		}
	}
	if counters.Seconds.Get("tools/call square") == nil {
		t.Errorf("no durations: %s", counters.Seconds)
	}
}
