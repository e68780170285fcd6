// Command calculator shows how to test a server: calls of a tool, generated tests, a fuzz target, a benchmark, and a
// snapshot that finds breaking changes.
package main

import (
	"context"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/stdio"
)

type SumIn struct {
	_ struct{} `mcp:"name=calculate_sum,title=Calculator,readOnly,idempotent,openWorld=false" doc:"Add two numbers"`
	A float64  `json:"a" doc:"The first number"`
	B float64  `json:"b" doc:"The second number"`
}

type SumOut struct {
	Sum float64 `json:"sum" doc:"The first number plus the second"`
}

func CalculateSum(_ context.Context, in SumIn) (SumOut, error) { return SumOut{Sum: in.A + in.B}, nil }

func main() {
	mcptool.Register(CalculateSum)
	stdio.Main(nil)
}
