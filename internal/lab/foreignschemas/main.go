// Command foreignschemas compares the verdicts of three validators on schemas of npm packages:
//
//	go run ./internal/lab/foreignschemas
//
// It installs npm packages below .tmp, lists the tools of the MCP servers among them over stdio, and reads the component
// schemas of the API of GitHub. For each schema it makes values, some of them changed, and compares the verdicts of
// [reflectschema.Schema.Check], of ajv, and of santhosh-tekuri/jsonschema, the library that compiles our schemas.
//
// Known differences have a reason in difference.go, which must hold for the value. Every other difference is printed, and
// the exit code is 1.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"time"
)

// minSchemas is the number of schemas that must be compared, so that a failed download does not look like success.
const minSchemas = 300

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "foreignschemas:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("foreignschemas", flag.ContinueOnError)
	var (
		dir   = flags.String("dir", ".tmp/foreignschemas", "`directory` for the npm packages")
		count = flags.Int("values", 40, "number of values for each schema")
		seed  = flags.Uint64("seed", 1, "seed of the random numbers")
	)
	if err := flags.Parse(args); err != nil {
		return err
	}
	start := time.Now()
	if err := install(ctx, *dir); err != nil {
		return err
	}
	schemas, err := collect(ctx, *dir)
	if err != nil {
		return err
	}
	ajv, err := startAjv(ctx, *dir)
	if err != nil {
		return err
	}
	report := newReport()
	r := rand.New(rand.NewPCG(*seed, 0))
	for _, s := range schemas {
		if err := report.compare(s, ajv, r, *count); err != nil {
			return errors.Join(err, ajv.close())
		}
	}
	if err := ajv.close(); err != nil {
		return err
	}
	report.write(out, time.Since(start))
	return report.err()
}
