package main

import (
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

// TestGreet calls the tool. Serving it is tested together with its guide, docs/http.md.
func TestGreet(t *testing.T) {
	t.Parallel()
	tool, err := mcptool.New(Greet)
	if err != nil {
		t.Fatal(err)
	}
	if got := mcptooltest.Call[GreetIn, GreetOut](t, tool, GreetIn{Name: "Ada"}); got.Greeting != "Hello, Ada!" {
		t.Errorf("got %q", got.Greeting)
	}
}
