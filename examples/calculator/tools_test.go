package main

import (
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

// tools returns a registry with the tools that main registers.
func tools(tb testing.TB) *mcptool.Registry {
	tb.Helper()
	registry := &mcptool.Registry{}
	sum, err := mcptool.New(CalculateSum)
	if err == nil {
		err = registry.Add(sum)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return registry
}

func TestTools(t *testing.T) { mcptooltest.Check(t, tools(t)) }

func BenchmarkTools(b *testing.B) { mcptooltest.Bench(b, tools(b)) }

func FuzzCalculateSum(f *testing.F) {
	sum, _ := tools(f).Lookup("calculate_sum")
	mcptooltest.Fuzz(f, sum)
}

func TestCompatible(t *testing.T) {
	mcptooltest.AssertCompatible(t, tools(t), "testdata/tools.snapshot.json")
}
