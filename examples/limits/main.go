// Command limits is a server that declares its limits, masks its errors, and records each call.
package main

import (
	"context"
	"log/slog"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
	"github.com/mcptool-go/mcptool/stdio"
)

type SumIn struct {
	_     struct{}  `mcp:"readOnly,idempotent,openWorld=false,timeout=5s,rateLimit=100/m burst=20,concurrent=4" doc:"Add numbers"`
	Terms []float64 `json:"terms" jsonschema:"minItems=1,maxItems=100000" doc:"What to add"`
	Steps int       `json:"steps" jsonschema:"minimum=0,maximum=100000,default=10" doc:"How many of the last sums to return"`
}

type SumOut struct {
	Sum   float64   `json:"sum" doc:"All terms together"`
	Steps []float64 `json:"steps" doc:"The sum after each of the last terms"`
}

func CalculateSum(_ context.Context, in SumIn) (out SumOut, err error) {
	for _, term := range in.Terms {
		out.Sum += term
		out.Steps = append(out.Steps, out.Sum)
	}
	out.Steps = out.Steps[max(0, len(out.Steps)-in.Steps):]
	return out, nil
}

func main() {
	mcptool.Register(CalculateSum)
	log := slog.New(slog.NewJSONHandler(stdio.Stderr, nil))
	stdio.Main(&runtime.Server{Logger: log, Observer: audit.New(log), MaskErrors: true, Limits: runtime.Limits{MaxResultBytes: 100_000}})
}
