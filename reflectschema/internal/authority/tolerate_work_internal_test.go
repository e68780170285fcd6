package authority

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// repeat returns n copies of format, separated by commas. %d in format is the index.
func repeat(format string, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.ReplaceAll(format, "%d", fmt.Sprint(i)))
	}
	return b.String()
}

// costly has schemas and data for which Tolerate would take far more work than reading the data, if it applied all
// schemas to each value separately, or did not count its work.
var costly = []struct {
	name, schema, data string
	coerce             bool
	most               int // maximum units of work
	changes            bool
}{
	{
		"elements to which many schemas apply",
		`{"items":{"allOf":[` + repeat(`{"minProperties":0}`, 1000) + `]}}`,
		`[` + repeat(`{}`, 100_000) + `,null]`, false, 300_000, false,
	},
	{
		"arrays to which many schemas apply",
		`{"items":{"allOf":[` + repeat(`{"minItems":0}`, 1000) + `]}}`,
		`[` + repeat(`[]`, 100_000) + `,null]`, false, tolerateWork, false,
	},
	{
		"elements to which many references apply",
		`{"items":{"allOf":[` + repeat(`{"$ref":"#/$defs/b%d"}`, 300) + `]},"$defs":{` + repeat(`"b%d":{"type":"object","properties":{"n":{"type":"string"}}}`, 300) + `}}`,
		`[` + repeat(`{"n":null}`, 2_000) + `]`, false, 3_100_000, true,
	},
	{
		"members to which many schemas apply",
		`{"allOf":[` + repeat(`{"additionalProperties":{"type":"string"}}`, 1000) + `]}`,
		`{` + repeat(`"k%d":null`, 40_000) + `}`, false, tolerateWork, false,
	},
	{
		"many optional members",
		`{"items":{"properties":{` + repeat(`"k%d":{"type":"string"}`, 1000) + `},"required":["` + strings.ReplaceAll(repeat("r%d", 1000), ",", `","`) + `"]}}`,
		`[` + repeat(`{`+repeat(`"k%d":null`, 1000)+`}`, 20) + `]`, false, 3_000_000, true,
	},
	{
		"a long name",
		`{"allOf":[` + repeat(`{"properties":{"a":{"type":"string"}}}`, 2000) + `]}`,
		`{"` + strings.Repeat("n", 8<<20) + `":1,"a":null}`, false, 2 * tolerateWork, false, // ends before the names are compared
	},
	{
		"the discriminator last, in nested objects",
		`{"$ref":"#/$defs/a","$defs":{"a":{"oneOf":[` + repeat(`{"type":"object","properties":{"t":{"const":"t%d"},"a":{"$ref":"#/$defs/a"}},"required":["t"]}`, 2) + `]}}}`,
		strings.Repeat(`{"a":`, 400) + `"` + strings.Repeat("x", 2<<20) + `"` + strings.Repeat(`,"b":null,"t":"t0"}`, 400), false, tolerateWork + 300_000, false,
	},
	{
		"texts in texts",
		`{"items":{"type":"array","items":{"type":"integer"}}}`,
		`["[` + repeat(`\"1\"`, 200_000) + `]"]`, true, 3_000_000, true,
	},
	{
		"conversions far inside",
		strings.Repeat(`{"type":"array","items":`, 200) + `{"type":"integer"}` + strings.Repeat(`}`, 200),
		strings.Repeat("[", 200) + repeat(`"1"`, 30_000) + strings.Repeat("]", 200), true, tolerateWork, true,
	},
	{
		"alternatives",
		`{"items":{"anyOf":[` + repeat(`{"type":"integer","minimum":%d}`, 1000) + `,{"type":"object","properties":{"n":{"type":"string"}}}]}}`,
		`[` + repeat(`{"n":null}`, 50_000) + `]`, false, 400_000, true,
	},
}

// TestTolerateWork: Tolerate takes a bounded amount of work. The schemas for the elements of an array are determined
// once for all elements.
func TestTolerateWork(t *testing.T) {
	t.Parallel()
	for _, tt := range costly {
		auth, err := Compile([]byte(tt.schema), Draft2020)
		if err != nil {
			t.Fatal(tt.name, err)
		}
		work := NewBudget(t.Context())
		changed, _ := auth.Tolerate([]byte(tt.data), tt.coerce, work)
		if took := tolerateWork - work.tolerate; took > tt.most {
			t.Errorf("%s: %d bytes took %d units of work, want at most %d", tt.name, len(tt.data), took, tt.most)
		}
		if (changed != nil) != tt.changes {
			t.Errorf("%s: changed = %t, want %t", tt.name, changed != nil, tt.changes)
		}
	}
}

// BenchmarkTolerate reports the time per unit of work, which should be at most about 100 ns.
func BenchmarkTolerate(b *testing.B) {
	for _, tt := range costly {
		auth, err := Compile([]byte(tt.schema), Draft2020)
		if err != nil {
			b.Fatal(tt.name, err)
		}
		b.Run(tt.name, func(b *testing.B) {
			units := 0
			for b.Loop() {
				work := NewBudget(b.Context())
				auth.Tolerate([]byte(tt.data), tt.coerce, work)
				units += tolerateWork - work.tolerate
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(units), "ns/unit")
		})
	}
}

// A pollContext is a context that ends after a number of calls of Err.
type pollContext struct {
	context.Context //nolint:containedctx // the type is a context

	polls int
}

var errEnded = errors.New("the context has ended")

func (c *pollContext) Err() error {
	if c.polls--; c.polls < 0 {
		return errEnded
	}
	return nil
}

// TestWorkEndsWithContext: a check and a conversion end soon after their context.
func TestWorkEndsWithContext(t *testing.T) {
	t.Parallel()
	auth, err := Compile([]byte(`{"items":{"allOf":[`+repeat(`{"additionalProperties":{"type":["string","integer"]}}`, 100)+`]}}`), Draft2020)
	if err != nil {
		t.Fatal(err)
	}
	data := []byte(`[` + repeat(`{"n":1}`, 10_000) + `,null]`)
	v, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	const polls, most = 3, 4*pollWork + 1000
	ctx := &pollContext{t.Context(), polls}
	work := NewBudget(ctx)
	if failures, err := auth.Check(auth.Root, v, 10, work); !errors.Is(err, errEnded) || failures != nil {
		t.Errorf("Check = %v, %v, want the error of the context", failures, err)
	}
	if took := maxWork - work.check; took > most {
		t.Errorf("the check took %d units of work, want at most %d", took, most)
	}
	ctx.polls = polls
	if changed, _ := auth.Tolerate(data, true, work); changed != nil {
		t.Error("Tolerate changed data although the context had ended")
	}
	if took := tolerateWork - work.tolerate; took > most {
		t.Errorf("Tolerate took %d units of work, want at most %d", took, most)
	}
}

// TestBudgetIsShared: checks and conversions with the same budget share its work.
func TestBudgetIsShared(t *testing.T) {
	t.Parallel()
	auth, err := Compile([]byte(`{"items":{"allOf":[`+repeat(`{"additionalProperties":{"type":["string","integer"]}}`, 1000)+`]}}`), Draft2020)
	if err != nil {
		t.Fatal(err)
	}
	v, err := Parse([]byte(`[` + repeat(`{"n":1}`, 3000) + `]`))
	if err != nil {
		t.Fatal(err)
	}
	work := NewBudget(t.Context())
	if failures, err := auth.Check(auth.Root, v, 10, work); err != nil || failures != nil {
		t.Errorf("the first check: %v, %v, want a valid value", failures, err)
	}
	if _, err := auth.Check(auth.Root, v, 10, work); !errors.Is(err, errTooMuch) {
		t.Errorf("the second check: %v, want %v", err, errTooMuch)
	}
}
