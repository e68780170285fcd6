package mcptooltest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/setting"
	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// settings are the values of all options.
type settings struct {
	arguments      map[string][]any
	answers        map[string][]any
	skipped        map[string]bool
	destructive    map[string]bool
	allDestructive bool
	stable         map[string]bool
	allStable      bool
	failing        map[string]bool
	within         time.Duration
	extensions     func() []runtime.Extension

	client   *Client           // caller
	names    []string          // names in the options
	registry *mcptool.Registry // resources that links may refer to; nil if unknown
}

// newSettings reads the options, for calls by a client. It ends the test if an option names something that is not among
// the subjects, is nil, or has a negative duration.
func newSettings(tb testing.TB, c *Client, about subjects, opts []Option) *settings {
	tb.Helper()
	if c.URL != "" {
		tb.Fatal("Check, Fuzz and Bench call in memory only: use a Client without a URL")
	}
	s := &settings{
		arguments: map[string][]any{}, answers: map[string][]any{},
		skipped: map[string]bool{}, destructive: map[string]bool{}, stable: map[string]bool{}, failing: map[string]bool{},
		client: c, extensions: func() []runtime.Extension { return nil },
	}
	const usual = 10 * time.Second
	mistakes := setting.Apply(opts, func(o Option) { o.apply(s) })
	mistakes = append(mistakes, setting.NotNegative("Within", s.within, fmt.Sprintf("means the default, %v", usual)))
	if err := errors.Join(mistakes...); err != nil {
		tb.Fatalf("an option has a mistake: %v", err)
	}
	s.within = cmp.Or(s.within, usual)
	known := about.keys()
	for _, name := range s.names {
		if !slices.Contains(known, name) {
			hint := ""
			if near := suggest.Nearest(name, known); near != "" {
				hint = fmt.Sprintf("; did you mean %q?", near)
			}
			tb.Fatalf("an option names an unknown tool, prompt or resource %q%s", name, hint)
		}
	}
	return s
}

func (s *settings) named(name string) { s.names = append(s.names, name) }

// spares returns why a tool must not run; "" if it may.
func (s *settings) spares(tool *mcptool.Tool) string {
	a := tool.Annotations()
	isTrue := func(hint *bool) bool { return hint != nil && *hint }
	switch {
	case s.allDestructive || s.destructive[tool.Info().Name] || isTrue(a.ReadOnlyHint):
		return ""
	case isTrue(a.DestructiveHint):
		return "annotated as destructive; allow it to run with the option Destructive"
	case a.DestructiveHint == nil:
		return "annotated neither as readOnly nor as destructive=false, so it may be destructive; annotate it, or allow it to run with the option Destructive"
	default:
		return ""
	}
}

// hides reports whether the client may not see the item of the runner, so that a list without it is right.
func (s *settings) hides(runner *mcptool.Tool) bool {
	return internals.Settings(runner).VisibleIf != nil || !transport.Allows(s.client.access(), runner)
}

// own returns the calls of the option Arguments for a tool, prompt or resource with this schema, as JSON.
func (s *settings) own(name string) (calls [][]byte, err error) {
	for i, in := range s.arguments[name] {
		args, isRaw := in.(json.RawMessage)
		switch {
		case isRaw:
		case in == nil:
			args = []byte("{}")
		default:
			if args, err = encode(reflect.ValueOf(in)); err != nil {
				return nil, fmt.Errorf("%s: encode call %d of the option Arguments: %w", name, i+1, err)
			}
		}
		calls = append(calls, args)
	}
	return calls, nil
}
