// Command crosscheck checks the schemas and the codec of reflectschema, and tools created with mcptool, against a
// validator that shares no code with them, github.com/google/jsonschema-go, and against encoding/json:
//
//	go run ./internal/lab/crosscheck -types 1500 -inputs 50000
//
// It generates Go types, half of them by reflection and half as Go source, which it builds and runs as a separate
// module. The source covers types that reflection cannot create: embedding, shadowed fields, recursion, unions, enums
// with methods, generic types, tools. For each type it checks
//
//   - outputs: the encoding of a value is valid for the judge, can be decoded, and is encoded to the same text again; a
//     value that is rejected is also rejected by encoding/json, or its encoding by encoding/json is invalid;
//   - inputs, valid ones and mutants of them: they are decoded if and only if the judge accepts them, and the result is
//     the same as with encoding/json where both have the same semantics;
//   - calls of a tool with one in four of the inputs: the func is called if and only if the judge accepts the input,
//     and the structured content is valid for the listed outputSchema.
//
// Known differences from the judge are listed with a reason in package verdict. A value counts under a difference only
// if independent code confirms the difference for that value. Everything else is a wrong verdict: it is printed with
// the smallest type and value found, and the exit code is 1.
package main

//go:generate go run . -write declared -types 60 -seed 1

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"os/signal"
	"time"

	"github.com/mcptool-go/mcptool/internal/lab/crosscheck/gotype"
	"github.com/mcptool-go/mcptool/internal/lab/crosscheck/verdict"
)

// depth is the nesting depth of generated types.
const depth = 3

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "crosscheck:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("crosscheck", flag.ContinueOnError)
	var (
		types  = flags.Int("types", 1500, "number of generated types of each kind, reflected and declared")
		inputs = flags.Int("inputs", 50000, "number of inputs, and of outputs, over all types")
		seed   = flags.Uint64("seed", 0, "seed of the random numbers; 0 chooses one")
		write  = flags.String("write", "", "write a package of -types declared types to this `directory`, and check nothing")
	)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *types < 1 {
		return errors.New("-types must be at least 1")
	}
	for *seed == 0 {
		*seed = rand.Uint64()
	}
	if *write != "" {
		return writePackage(*write, *seed, *types)
	}
	begun := time.Now()
	plan := verdict.Plan{Seed: *seed, Inputs: (*inputs-1)/(2**types) + 1, Outputs: (*inputs-1)/(4**types) + 1}
	report, err := checkDeclared(ctx, *types, plan)
	if err != nil {
		return err
	}
	report.Seed = *seed
	for i := range *types {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		verdict.Check(ctx, reflected(*seed, i), plan, report)
	}
	report.Duration = time.Since(begun)
	if err := report.Write(out); err != nil {
		return err
	}
	return report.Err()
}

// reflected generates a type by reflection, one for each number.
func reflected(seed uint64, number int) verdict.Subject {
	return subject(fmt.Sprintf("reflected%d", number), gotype.NewGenerator(seed+uint64(number)).Struct(depth))
}

func subject(name string, t *gotype.Type) verdict.Subject {
	return verdict.Subject{
		Name: name, Source: func() string { return "type T " + t.Source() }, Type: t.Reflect(),
		Smaller: func() iter.Seq[verdict.Subject] {
			return func(yield func(verdict.Subject) bool) {
				for _, smaller := range t.Smaller() {
					if !yield(subject(name, smaller)) {
						return
					}
				}
			}
		},
	}
}
