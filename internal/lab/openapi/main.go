// Command openapi tries bench import openapi on documents of others:
//
//	go run ./internal/lab/openapi
//	go run ./internal/lab/openapi -only stripe,petstore
//
// It fetches OpenAPI documents in npm packages and Go modules, imports each, and builds, vets, tests and lints the servers.
// The import of each must need at most 20 s and 1 GB.
//
// Then it calls every tool several times, with arguments made of its input schema. The API is a server of this program, which
// checks each request with github.com/getkin/kin-openapi: it shares no code with the library that bench import parses with.
// It also checks that every string and number of the arguments is in the request. Responses are made of the schemas of the
// document, alternately with all members and with the required ones. The result must have all members of the response, and fit
// the output schema of the tool, by github.com/santhosh-tekuri/jsonschema.
//
// Each failure is printed with arguments, request and result, except those in report.go that have a reason, and the exit code
// is 1. It needs Linux, for the memory of the import, and npm.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "openapi:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("openapi", flag.ContinueOnError)
	var (
		dir   = flags.String("dir", ".tmp/openapi", "`directory` for the documents and the servers")
		only  = flags.String("only", "", "`names` of documents, separated by commas; the default is all")
		calls = flags.Int("calls", 3, "number of calls of each tool")
		keep  = flags.Bool("keep", false, "do not import again what is in the directory")
	)
	if err := flags.Parse(args); err != nil {
		return err
	}
	start := time.Now()
	selected, err := choice(*only)
	if err != nil {
		return err
	}
	root, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	abs, err := filepath.Abs(*dir)
	if err != nil {
		return err
	}
	w := &workshop{root: root, dir: abs, keep: *keep}
	if err := w.prepare(ctx); err != nil {
		return err
	}
	paths := map[string]string{}
	var results []*result
	for _, d := range selected {
		if paths[d.name], err = d.fetch(ctx, w.path("packages")); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "importing %s (%s)\n", d.name, d.about)
		results = append(results, &result{imported: w.run(ctx, d, paths[d.name])})
	}
	if _, err := output(w.command(ctx, "go", "mod", "tidy")); err != nil {
		return err
	}
	for _, r := range results {
		if r.translated > 0 {
			fmt.Fprintln(os.Stderr, "checking", r.name)
			w.check(ctx, r.imported)
		}
		r.err = r.use(ctx, w, paths[r.name], *calls)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	text, err := reportOn(results, time.Since(start))
	_, writeErr := io.WriteString(out, text)
	return errors.Join(err, writeErr)
}

// choice returns the documents with the names.
func choice(names string) ([]document, error) {
	if names == "" {
		return documents, nil
	}
	var chosen []document
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(documents, func(d document) bool { return d.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no document %q", name)
		}
		chosen = append(chosen, documents[i])
	}
	return chosen, nil
}

// use calls the tools of the server of a document.
func (r *result) use(ctx context.Context, w *workshop, path string, calls int) (err error) {
	a, err := newAPI(path)
	if err != nil {
		return err
	}
	defer a.Close()
	r.inDocument = a.operations()
	if len(r.checks) == 0 || r.checks[0].err != nil {
		return nil // it does not build
	}
	if r.inDocument != r.translated+r.leftOut {
		err = fmt.Errorf("%d operations are translated and %d left out, of %d", r.translated, r.leftOut, r.inDocument)
	}
	env, envErr := w.environment(r.document, a.URL+basePath, a.URL)
	if envErr != nil {
		return errors.Join(err, envErr)
	}
	c, dialErr := client.Dial(ctx, client.Target{Command: []string{w.path("bin", r.name)}, Env: env}, client.Options{Timeout: time.Minute})
	if dialErr != nil {
		return errors.Join(err, dialErr)
	}
	r.caller = &caller{document: r.name, api: a, client: c, calls: calls}
	return errors.Join(err, r.caller.run(ctx), c.Close())
}
