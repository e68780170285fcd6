// Command compare measures this framework against the official Go SDK, mcp-go and a handwritten loop, all with the same
// tools and schemas:
//
//	go run ./internal/lab/compare -tool search_orders -- -c 1,64 --html report.html
//
// It builds bench and the servers in internal/lab/peers, and runs bench run with --server for each of them; the
// arguments after -- are flags of bench run. It needs a checkout and Go.
//
// mcptool, go-sdk and mcp-go validate arguments and results against the schemas; mcp-go-unchecked and bare, a
// handwritten loop with encoding/json, do not.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/lab/peers"
	"github.com/mcptool-go/mcptool/internal/lab/peers/tools"
)

// benchPackage is the measuring command.
const benchPackage = "github.com/mcptool-go/mcptool/bench"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	exit := (*exec.ExitError)(nil)
	switch {
	case errors.As(err, &exit): // bench has already printed the error
		os.Exit(exit.ExitCode())
	case err != nil:
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// A peer is a server in internal/lab/peers.
type peer struct {
	name, program string
	args          []string
}

// ours is the baseline of the comparison.
var ours = peer{"mcptool", "mcptool", nil}

// others are the other servers.
var others = []peer{
	{"go-sdk", "gosdk", nil},
	{"mcp-go", "mcpgo", nil},
	{"mcp-go-unchecked", "mcpgo", []string{"-unchecked"}},
	{"bare", "bare", nil},
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var (
		only = flags.String("only", "", "measure these peers only, beside our own: `names` with commas between them, of go-sdk, mcp-go, mcp-go-unchecked, bare")
		tool = flags.String("tool", "get_weather", "call this tool: get_weather, search_orders or big_rows")
		era  = flags.String("era", "legacy", "speak this era: legacy or modern")
	)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *era != "legacy" && *era != "modern" {
		return fmt.Errorf("there is no era %q", *era)
	}
	chosen, err := choose(*only)
	if err != nil {
		return err
	}
	arguments, err := argumentsOf(*tool)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "compare")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	programs := []string{benchPackage}
	for _, p := range chosen {
		programs = append(programs, p.program)
	}
	built, err := peers.Build(ctx, dir, programs...)
	if err != nil {
		return err
	}
	words := []string{"run", "--era", *era, "--timeout", "1m", "--tool", *tool, "--args", string(arguments)}
	for _, p := range chosen {
		words = append(words, "--server", p.name+"='"+built[p.program]+"' "+strings.Join(p.args, " "))
	}
	cmd := exec.CommandContext(ctx, built[benchPackage], append(words, flags.Args()...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // bench then prints the results so far
	cmd.Stdout, cmd.Stderr = stdout, stderr
	return cmd.Run()
}

// choose returns the peers to measure, ours first.
func choose(only string) ([]peer, error) {
	chosen := []peer{ours}
	if only == "" {
		return append(chosen, others...), nil
	}
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(others, func(p peer) bool { return p.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no peer %q", name)
		}
		chosen = append(chosen, others[i])
	}
	return chosen, nil
}

// argumentsOf returns the arguments to use in turn for a tool, as a JSON array.
func argumentsOf(tool string) ([]byte, error) {
	switch tool {
	case "get_weather":
		return json.Marshal(tools.WeatherSamples())
	case "search_orders":
		return json.Marshal(tools.OrdersSamples())
	case "big_rows":
		return json.Marshal([]tools.RowsIn{{Rows: 10_000}})
	default:
		return nil, fmt.Errorf("there is no tool %q", tool)
	}
}
