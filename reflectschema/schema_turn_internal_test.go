package reflectschema

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/processor"
)

// turns counts the turns that are taken and ended. They fail with err.
type turns struct {
	taken, held int
	err         error
}

func (q *turns) Acquire(context.Context) error {
	if q.err == nil {
		q.taken++
		q.held++
	}
	return q.err
}

func (q *turns) Yield(context.Context) error { return q.err }

func (q *turns) Release() { q.held-- }

// caller returns the caller that waits in the queue.
func (q *turns) caller(t *testing.T) processor.Caller {
	t.Helper()
	return processor.CallerIn(context.WithValue(t.Context(), processor.Key{}, processor.Queue(q)))
}

// TestTurns: what takes long to check, decode or encode waits for its turn, and nothing else does.
func TestTurns(t *testing.T) {
	t.Parallel()
	type text struct {
		Text string   `json:"text" jsonschema:"pattern=^[a-z]*(x?){300}[a-z]*$"`
		List []string `json:"list,omitempty"`
	}
	typed, err := Compile(reflect.TypeFor[text](), Options{Direction: Input})
	if err != nil {
		t.Fatal(err)
	}
	tried := typed.Schema()
	alternatives, err := ParseSchema([]byte(`{"type":"object","additionalProperties":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"array","items":{"type":["integer","null"]}},{"type":"array","items":{"type":"boolean"}}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	ones := func(n int) string { return "[1" + strings.Repeat(",1", n-1) + "]" }
	for _, test := range []struct {
		name  string
		data  string
		check func(caller processor.Caller, data []byte) error
		fits  bool
		turn  bool
	}{
		{name: "short", data: `{"text":"a"}`, fits: true},
		{name: "wrong", data: `{"text":1,"more":2}`},
		{name: "a text that takes long to match", data: fmt.Sprintf(`{"text":%q}`, strings.Repeat("a", 2000)), fits: true, turn: true},
		{name: "a wrong one", data: fmt.Sprintf(`{"text":%q}`, strings.Repeat("A", 2000)), turn: true},
		{name: "long", data: fmt.Sprintf(`{"text":"a","list":[%q]}`, strings.Repeat("a", processor.Long)), fits: true, turn: true},
		{name: "long and wrong", data: fmt.Sprintf(`{"text":1,"list":[%q]}`, strings.Repeat("a", processor.Long)), turn: true},
		{name: "the same schema", data: fmt.Sprintf(`{"text":%q}`, strings.Repeat("a", 2000)), check: tried.checkFor, fits: true, turn: true},
		{name: "few alternatives", data: `{"a":[1]}`, check: alternatives.checkFor, fits: true},
		{name: "many", data: `{"a":` + ones(2000) + `}`, check: alternatives.checkFor, fits: true, turn: true},
		{name: "many, and wrong", data: `{"a":` + strings.Replace(ones(60), "1", "{}", 1) + `}`, check: alternatives.checkFor, turn: true},
		{name: "more than the library is given at once", data: `{"a":` + strings.Replace(ones(3000), "1", "{}", 1) + `}`, check: alternatives.checkFor, turn: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			check := test.check
			if check == nil {
				check = func(caller processor.Caller, data []byte) error {
					_, err := typed.decodeFor(caller, data, reflect.New(reflect.TypeFor[text]()).Elem())
					return err
				}
			}
			q := new(turns)
			err := check(q.caller(t), []byte(test.data))
			if (err == nil) != test.fits || (q.taken > 0) != test.turn || q.taken > 1 || q.held != 0 {
				t.Errorf("%d turns, %d not ended, %v", q.taken, q.held, err)
			}
			q = &turns{err: errors.New("the client has gone")}
			err = check(q.caller(t), []byte(test.data))
			if test.turn && err == nil || q.held != 0 {
				t.Errorf("without a turn: %v, %d not ended", err, q.held)
			}
			if again := check(processor.Caller{}, []byte(test.data)); (again == nil) != test.fits {
				t.Errorf("for nobody in particular: %v", again)
			}
		})
	}
}

// TestTurnsToEncode: what is long, or likely to be, waits for its turn.
func TestTurnsToEncode(t *testing.T) {
	t.Parallel()
	typ, err := Compile(reflect.TypeFor[[]any](), Options{Direction: Output})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		v    any
		size int
		turn bool
	}{
		{"short", []any{1}, 0, false},
		{"as long as a long text", []any{1}, processor.Long, true},
		{"long", make([]any, processor.Long), 0, true},
	} {
		q := new(turns)
		caller := q.caller(t)
		if _, err := typ.appendFor(&room{caller: caller, likely: test.size}, nil, reflect.ValueOf(test.v)); err != nil || (q.taken > 0) != test.turn || q.held != 0 {
			t.Errorf("%s: %d turns, %d not ended, %v", test.name, q.taken, q.held, err)
		}
		q.err = errors.New("the client has gone")
		if out, err := typ.appendFor(&room{caller: caller, likely: test.size}, []byte("x"), reflect.ValueOf(test.v)); test.turn && (err == nil || string(out) != "x") {
			t.Errorf("%s, without a turn: %q, %v", test.name, out, err)
		}
	}
}
