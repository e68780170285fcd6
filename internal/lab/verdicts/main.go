// Command verdicts writes what the framework answers in more than 10 000 generated cases, one line for each:
//
//	go run ./internal/lab/verdicts -out before.txt
//
// The cases are struct types with good and bad tags, schemas with documents, and protocol messages. They depend on a fixed
// seed and on packages of this module only, so that the files of two commits differ only where the answers differ:
//
//	diff before.txt after.txt
//
// A line has the id of the case, its input and the answer: a schema or its hash, the whole text of an error, or the
// messages that a client gets, without random tokens and times.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"time"
)

// kinds lists the kinds of cases, whose random numbers are independent of each other.
var kinds = []struct {
	name  string
	count int
	run   func(ctx context.Context, g *generator) (input, answer string)
}{
	{"type", 2000, typeCase},
	{"tag", 4000, tagCase},
	{"tool", 1500, toolCase},
	{"schema", 3000, schemaCase},
	{"stdio", 1500, stdioCase},
	{"http", 1500, httpCase},
}

// generator makes the random decisions of a case.
type generator struct{ *rand.Rand }

func pick[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

// oneIn returns true in one of n cases.
func (g *generator) oneIn(n int) bool { return g.IntN(n) == 0 }

func main() {
	out := flag.String("out", "", "write the answers to this `file`")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "verdicts: pass -out FILE, and no arguments")
		os.Exit(2)
	}
	begun := time.Now()
	count, err := write(context.Background(), *out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "verdicts:", err)
		os.Exit(1)
	}
	fmt.Printf("%d cases in %v\n", count, time.Since(begun).Round(time.Second))
}

func write(ctx context.Context, name string) (count int, err error) {
	file, err := os.Create(name)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriter(file)
	for seed, kind := range kinds {
		for i := range kind.count {
			g := &generator{rand.New(rand.NewPCG(uint64(seed), uint64(i)))}
			input, answer := contained(ctx, g, kind.run)
			_, _ = fmt.Fprintf(w, "%s/%04d\t%s\t%s\n", kind.name, i, strconv.Quote(input), strconv.Quote(answer))
			count++
		}
	}
	return count, errors.Join(w.Flush(), file.Close())
}

// contained runs a case. A panic of the framework is its answer.
func contained(ctx context.Context, g *generator, run func(context.Context, *generator) (string, string)) (input, answer string) {
	defer func() {
		if r := recover(); r != nil {
			answer = fmt.Sprint("panic: ", r)
		}
	}()
	return run(ctx, g)
}
