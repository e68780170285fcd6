package verdict

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
)

// Main is the main func of a program with generated types: it checks the subjects as configured by flags and writes the
// [Report] as JSON to stdout.
func Main(subjects []Subject) {
	p := Plan{}
	flag.Uint64Var(&p.Seed, "seed", 1, "seed of the random numbers")
	flag.IntVar(&p.Inputs, "inputs", 20, "number of inputs per type")
	flag.IntVar(&p.Outputs, "outputs", 10, "number of outputs per type and direction")
	flag.Parse()
	r := &Report{Seed: p.Seed}
	for _, s := range subjects {
		Check(context.Background(), s, p, r)
	}
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		fmt.Fprintln(os.Stderr, "crosscheck:", err)
		os.Exit(1)
	}
}
