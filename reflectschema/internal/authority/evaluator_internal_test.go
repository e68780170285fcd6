package authority

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestDeepAlternatives: alternatives that are nested in alternatives on many levels, of which each applies the same schema,
// are explained, in time that grows with the number of levels and not with that of the ways.
func TestDeepAlternatives(t *testing.T) {
	t.Parallel()
	const raw = `{"anyOf":[{"properties":{"a":{"$ref":"#"}},"maxProperties":0},{"properties":{"a":{"$ref":"#"}},"maxProperties":0}]}`
	for _, depth := range []int{1, 14, 30, 200, 500} {
		auth, err := Compile([]byte(raw), Draft2020)
		if err != nil {
			t.Fatal(err)
		}
		v, err := Parse([]byte(strings.Repeat(`{"a":`, depth) + `{"b":1}` + strings.Repeat("}", depth)))
		if err != nil {
			t.Fatal(err)
		}
		failures, err := auth.Check(auth.Root, v, 1000, nil)
		if err != nil || len(failures) == 0 {
			t.Errorf("%d levels: %v, %v", depth, failures, err)
		}
		e := newEvaluator(auth, nil)
		if e.valid(auth.Root, v.Any, nil) || len(e.failures(auth.Root, v.Any, 1000)) == 0 || e.over {
			t.Errorf("%d levels: no failures", depth)
		}
		if took, most := maxWork-e.work, 2*memoFrom+3000*depth+10*depth*depth; took > most {
			t.Errorf("%d levels take %d units of work, want at most %d", depth, took, most)
		}
	}
}

// TestFailuresAreLimited: no more failures are collected than are needed, neither of the value nor of an alternative, and
// the evaluation ends then.
func TestFailuresAreLimited(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{`{"items":{"type":"string"}}`, `{"anyOf":[{"items":{"type":"string"}},{"items":{"type":"boolean"}}]}`} {
		auth, err := Compile([]byte(schema), Draft2020)
		if err != nil {
			t.Fatal(err)
		}
		const elements, limit = 100_000, 1000
		v, err := Parse([]byte("[1" + strings.Repeat(",1", elements-1) + "]"))
		if err != nil {
			t.Fatal(err)
		}
		e := newEvaluator(auth, nil)
		failures := e.failures(auth.Root, v.Any, limit)
		if len(failures) == 0 || len(failures) > limit || len(e.found.list) > listsPerLimit*limit {
			t.Errorf("%s: %d failures of %d collected", schema, len(failures), len(e.found.list))
		}
		if took := maxWork - e.work; took > 2*elements {
			t.Errorf("%s: %d elements take %d units of work", schema, elements, took)
		}
	}
}

// TestScoped: a value is not checked against a schema whose $dynamicRef can have several targets.
func TestScoped(t *testing.T) {
	t.Parallel()
	auth, err := Compile([]byte(`{"$dynamicRef":"#d","$defs":{"x":{"$id":"urn:x","$dynamicAnchor":"d"},"y":{"$dynamicAnchor":"d"}}}`), Draft2020)
	if err != nil {
		t.Fatal(err)
	}
	if failures, err := auth.Check(auth.Root, Value{Any: true, Size: 1}, 10, nil); !errors.Is(err, errScoped) {
		t.Errorf("Check = %v, %v", failures, err)
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
