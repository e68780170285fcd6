package mcptooltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// Bench runs a sub-benchmark for each tool of a registry; nil means [mcptool.Default]. It measures a call from the
// arguments as JSON to the result as JSON, including all checks, without a server.
//
//	func BenchmarkTools(b *testing.B) { mcptooltest.Bench(b, registry) }
//
// The arguments are the first ones of the option [Arguments], or without that option the example of the tool's schema.
// If the call fails with them, the benchmark fails with the reason. A tool that sends requests to the client is skipped
// unless the option [Answers] has the answers, and a tool that may destroy something is skipped unless [Destructive]
// allows it.
func Bench(b *testing.B, registry *mcptool.Registry, opts ...Option) {
	b.Helper()
	new(Client).Bench(b, registry, opts...)
}

// Bench is [Bench] with calls by the client, as in [Client.Check]. Tools that are hidden from it are skipped.
func (c *Client) Bench(b *testing.B, registry *mcptool.Registry, opts ...Option) {
	b.Helper()
	tools := toolsOf(b, registry)
	s := newSettings(b, c, subjects{tools: tools}, opts)
	for _, tool := range tools {
		b.Run(tool.Info().Name, func(b *testing.B) {
			call, skip, err := s.measured(b.Context(), tool)
			switch {
			case err != nil:
				b.Fatal(err)
			case skip != "":
				b.Skip(skip)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := call(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// toolsOf returns the tools of a registry, and ends the test if there are none.
func toolsOf(tb testing.TB, registry *mcptool.Registry) []*mcptool.Tool {
	tb.Helper()
	tools := slices.Collect(orDefault(registry).Tools())
	if len(tools) == 0 {
		tb.Fatal("the registry has no tools")
	}
	return tools
}

// measured makes one call of a tool. If it succeeds, measured returns a func that makes the call again; if the tool is
// not to be measured, it returns the reason.
func (s *settings) measured(ctx context.Context, tool *mcptool.Tool) (call func() error, skip string, err error) {
	if s.skipped[tool.Info().Name] {
		return nil, "excluded by the option Skip", nil
	}
	if reason := s.spares(tool); reason != "" {
		return nil, reason, nil
	}
	if err := s.client.admit(ctx, tool); err != nil {
		return nil, err.Error(), nil //nolint:nilerr // the reason to skip it
	}
	args, err := s.sample(tool)
	if err != nil {
		return nil, "", err
	}
	call = s.call(ctx, tool, args)
	err = call()
	if lacks, ok := errors.AsType[*mcptool.CapabilityError](err); ok {
		return nil, fmt.Sprintf("needs %s of the client; set the answers with the option Answers", strings.Join(lacks.Missing, " and ")), nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s(%s): %w\nset other arguments with the option Arguments", tool.Info().Name, args, err)
	}
	return call, "", nil
}

// sample returns the arguments for a tool.
func (s *settings) sample(tool *mcptool.Tool) ([]byte, error) {
	own, err := s.own(tool.Info().Name)
	if err != nil {
		return nil, err
	}
	if len(own) > 0 {
		return own[0], nil
	}
	if example := samples.Example(tool.InputSchema()); example != nil {
		return example, nil
	}
	return nil, errors.New("no arguments could be generated from its schema; set some with the option Arguments")
}

// call returns a func that calls the tool and returns the reason if that fails. If there are no answers, the call is
// the same as in a server, with a buffer that is reused.
func (s *settings) call(ctx context.Context, tool *mcptool.Tool, args []byte) func() error {
	if answers := s.answers[tool.Info().Name]; len(answers) > 0 {
		return func() error {
			result, err := s.client.as(answers, nil).Call(ctx, tool, args)
			return failure(result, err)
		}
	}
	ctx = internals.WithHost(ctx, quietHost{host{s.client.as(nil, []byte("{}"))}})
	var buf []byte
	return func() error {
		ctx, err := s.client.inServer(ctx)
		if err != nil {
			return err
		}
		out, result, err := internals.Call(ctx, tool, args, buf[:0])
		buf = out
		return failure(result, err)
	}
}

// quietHost is a client that discards progress and log records, which would otherwise be measured, and keeps no value of
// [mcptool.Once] between calls.
type quietHost struct{ host }

func (quietHost) Progress(float64, float64, string) {}
func (quietHost) LogHandler() slog.Handler          { return nil }
func (quietHost) Once(ctx context.Context, _, _ string, fn func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	return fn(ctx)
}

// failure returns why a call failed, or why its result is an error.
func failure(result *mcptool.Result, err error) error {
	if err != nil || result == nil || !result.IsError {
		return err
	}
	for _, block := range result.Content {
		if text, ok := block.(mcptool.Text); ok {
			return errors.New(text.Text)
		}
	}
	return fmt.Errorf("the result is an error, with content %+v", result.Content)
}
