package main

import (
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

func TestGreet(t *testing.T) {
	t.Parallel()
	tool, err := mcptool.New(Greet)
	if err != nil {
		t.Fatal(err)
	}
	if got := mcptooltest.Call[GreetIn, string](t, tool, GreetIn{Name: "Ada", Language: "french"}); got != "Bonjour, Ada!" {
		t.Errorf("got %q", got)
	}
	registry := &mcptool.Registry{}
	if err := registry.Add(tool); err != nil {
		t.Fatal(err)
	}
	mcptooltest.Check(t, registry)
}
