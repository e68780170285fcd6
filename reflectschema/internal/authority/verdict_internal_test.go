package authority

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// steps counts how often a schema is applied.
type steps int

func (s *steps) Validate(*jsonschema.ValidatorContext, any) { *s++ }

// TestBudgetOfDepth counts the steps that the library takes to find the mistakes. They grow dearer with the depth, so
// there must be fewer of them; what would take more is judged, but not explained.
func TestBudgetOfDepth(t *testing.T) {
	t.Parallel()
	const raw = `{"anyOf":[{"properties":{"a":{"$ref":"#"}},"maxProperties":0},{"properties":{"a":{"$ref":"#"}},"maxProperties":0}]}`
	for _, tt := range []struct {
		depth     int
		explained bool
		reason    string
	}{
		{14, true, "what just fits is explained in full"},
		{30, false, "and no more than that"},
		{200, false, "12 more for each step near the end"},
		{500, false, "31 more"},
	} {
		auth, err := Compile([]byte(raw), Draft2020)
		if err != nil {
			t.Fatal(err)
		}
		v, err := Parse([]byte(strings.Repeat(`{"a":`, tt.depth) + `{"b":1}` + strings.Repeat("}", tt.depth)))
		if err != nil {
			t.Fatal(err)
		}
		failures, err := auth.Check(auth.Root, v, 1000, nil)
		if explained := err == nil && len(failures) > 0; explained != tt.explained || err != nil && !errors.Is(err, ErrOverBudget) {
			t.Errorf("%d levels: explained is %t (%v), want %t; %s", tt.depth, explained, err, tt.explained, tt.reason)
		}
		left := budget{work: maxWork}
		if valid, known := auth.evaluate(auth.Root, v.Any, &left); valid || !known {
			t.Errorf("%d levels: evaluate = %t, %t", tt.depth, valid, known)
		}
		if !tt.explained {
			continue
		}
		var took steps
		for _, s := range auth.At {
			s.Extensions = append([]jsonschema.SchemaExt{&took}, s.Extensions...)
		}
		if err := auth.Root.Validate(v.Any); err == nil || took > maxSteps {
			t.Errorf("%d levels: the library says %v after %d steps, want at most %d", tt.depth, err, took, maxSteps)
		}
	}
}

// TestChecksDoNotWait: a check is not held up by another one of the same schema.
func TestChecksDoNotWait(t *testing.T) {
	t.Parallel()
	auth, err := Compile([]byte(`{"anyOf":[{"items":{"$ref":"#"},"minItems":1},{"items":{"$ref":"#"},"minItems":1},{"type":"integer"}]}`), Draft2020)
	if err != nil {
		t.Fatal(err)
	}
	large, err := Parse([]byte("[" + strings.Repeat("[[1]],", 150_000) + `"x"]`))
	if err != nil {
		t.Fatal(err)
	}
	small, err := Parse([]byte(`[1]`))
	if err != nil {
		t.Fatal(err)
	}
	for range 10 { // on a busy machine the large one may be done before the small one is begun
		ended := make(chan struct{})
		go func() {
			_, _ = auth.Check(auth.Root, large, 1000, nil)
			close(ended)
		}()
		time.Sleep(10 * time.Millisecond) // it has begun
		if failures, err := auth.Check(auth.Root, small, 1000, nil); err != nil || len(failures) > 0 {
			t.Fatal(failures, err)
		}
		select {
		case <-ended:
		default:
			<-ended
			return
		}
	}
	t.Error("the small check waited for the large one, each time")
}
