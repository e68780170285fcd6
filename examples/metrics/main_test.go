package main

import (
	"expvar"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

// TestCounters calls a tool over HTTP, with arguments that fit and that do not, and a tool that the server does not have.
func TestCounters(t *testing.T) {
	t.Parallel()
	counters := Counters{Calls: new(expvar.Map), Seconds: new(expvar.Map)}
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
	want := `{" refused": 1, "square invalid_arguments": 1, "square ok": 1}`
	for deadline := time.Now().Add(10 * time.Second); counters.Calls.String() != want; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) { // records are written after the answers
			t.Fatalf("got %s, want %s", counters.Calls, want)
		}
	}
	if counters.Seconds.Get("square") == nil {
		t.Errorf("no durations: %s", counters.Seconds)
	}
}
