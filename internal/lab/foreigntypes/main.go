// Command foreigntypes uses types of other modules, which have no tags of this framework, as arguments and results of
// tools, and compares what the tools read and write with encoding/json, ajv and santhosh-tekuri/jsonschema. The types are in types.go.
//
//	internal/lab/foreigntypes/run                  # all types
//	internal/lab/foreigntypes/run -only slack      # those whose name matches
//
// Each type is registered as the argument and as the result of a tool.
//
//   - As a result, values of the type are returned: the zero value, values with every field set, and others. The
//     structured content must be what encoding/json writes, and must fit the output schema.
//   - In a result of the type any, the same values must be written as encoding/json writes them.
//   - As an argument, documents are passed: what encoding/json writes for these values, samples of the input schema, and
//     mutants of both. The tool must accept those that fit the schema, and decode them as encoding/json does.
//
// It prints the size of each schema, the text of each refusal, and how often a difference that package reflectschema
// documents was seen, with an example. The exit code is 1 if fewer types are accepted than -arguments and -results, if a
// value does not fit its schema, if a refusal has no fix, or if there is any other difference.
//
// It is a module outside of go.work, because its dependencies are large and none of the other modules needs them.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "foreigntypes:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("foreigntypes", flag.ContinueOnError)
	var (
		only      = flags.String("only", "", "check only the types whose name matches this `regexp`, and require no number of them")
		arguments = flags.Int("arguments", 185, "number of types that must be accepted as arguments")
		results   = flags.Int("results", 205, "number of types that must be accepted as results")
		count     = flags.Int("values", 14, "number of values of each type, beside the zero value and two with every field set")
		most      = flags.Int("failures", 2, "number of failures of each kind to print for a type")
		seed      = flags.Uint64("seed", 1, "seed of the random numbers")
		node      = flags.String("node", "node", "the Node `program` that runs ajv")
		script    = flags.String("script", "ajv.cjs", "the `file` that it runs")
	)
	if err := flags.Parse(args); err != nil {
		return err
	}
	names, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	if *only != "" {
		*arguments, *results = 0, 0
	}
	begun := time.Now()
	c := &checker{report: newReport(), seed: *seed}
	if c.ajv, err = startAJV(ctx, *node, *script); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.ajv.stop()) }()
	for _, s := range subjects() {
		if !names.MatchString(s.name()) {
			continue
		}
		values := values(s.typ, *count, *seed)
		found := row{s.name(), c.checkArgument(ctx, s, values), c.checkResult(ctx, s, values), c.checkInAny(ctx, s, values)}
		if found.result.refusal == nil && found.inAny.refusal != nil {
			c.report.fail("a type is accepted as a result, but not in an any", found.name, found.inAny.refusal.Error())
		}
		c.report.requireFixes(found.name, found.argument)
		c.report.requireFixes(found.name, found.result)
		c.report.rows = append(c.report.rows, found)
	}
	c.report.print(out, *most)
	a, b := c.report.accepted()
	fmt.Fprintf(out, "\nOf %d types, %d are accepted as arguments and %d as results; seed %d, %s\n",
		len(c.report.rows), a, b, *seed, time.Since(begun).Round(time.Second))
	return c.report.verdict(*arguments, *results)
}

// A checker checks types one after the other.
type checker struct {
	report *report
	ajv    *ajv
	seed   uint64
}

// verdicts has, for each of some documents, why a validator refuses it, or "".
type verdicts struct {
	schema        *jsonschema.Schema
	ajv, santhosh []string
}

// validate returns the verdicts about documents; false if one of the validators cannot use the schema.
func (c *checker) validate(s subject, schema json.RawMessage, documents [][]byte) (v verdicts, ok bool) {
	var err error
	if v.ajv, err = c.ajv.check(schema, documents); err != nil {
		c.report.fail("a schema is refused", s.name(), err.Error())
		return v, false
	}
	if v.schema, err = compileSanthosh(schema); err != nil {
		c.report.fail("a schema is refused", s.name(), err.Error())
		return v, false
	}
	v.santhosh = checkSanthosh(v.schema, documents)
	return v, true
}
