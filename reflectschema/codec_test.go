package reflectschema_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/reflectschema"
)

func compile[T any](tb testing.TB, direction reflectschema.Direction) *reflectschema.Type {
	tb.Helper()
	typ, err := reflectschema.Compile(reflect.TypeFor[T](), direction)
	if err != nil {
		tb.Fatal(err)
	}
	return typ
}

func decode[T any](tb testing.TB, data string) (T, error) {
	tb.Helper()
	var v T
	err := compile[T](tb, reflectschema.DirectionInput).Decode([]byte(data), reflect.ValueOf(&v).Elem())
	return v, err
}

type (
	search struct {
		Query   string             `json:"query"`
		Limit   int                `json:"limit" jsonschema:"minimum=1,maximum=100,default=10"`
		Exact   *bool              `json:"exact" jsonschema:"default=true"`
		Page    page               `json:"page,omitzero"`
		Filters []filter           `json:"filters,omitempty"`
		ByName  map[string]*filter `json:"by_name,omitempty"`
	}
	page struct {
		Size int    `json:"size" jsonschema:"default=20"`
		Sort sorted `json:"sort,omitzero"`
	}
	sorted struct {
		By string `json:"by" jsonschema:"default=name"`
	}
	filter struct {
		Field string   `json:"field"`
		Op    string   `json:"op" jsonschema:"enum=eq,enum=lt,default=eq"`
		Tags  []string `json:"tags" jsonschema:"default=a,default=b"`
	}
)

func TestDecodeDefaults(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	usual := page{20, sorted{"name"}}
	ab := []string{"a", "b"}
	for _, tt := range []struct {
		data, reason string
		want         search
	}{
		{`{"query":"x"}`, "at every level, also in structs that are absent", search{Query: "x", Limit: 10, Exact: &yes, Page: usual}},
		{`{"query":"x","limit":3,"exact":false}`, "what is given stays", search{Query: "x", Limit: 3, Exact: &no, Page: usual}},
		{`{"query":"x","page":{"sort":{}}}`, "inside what is given", search{Query: "x", Limit: 10, Exact: &yes, Page: usual}},
		{`{"query":"x","filters":[{"field":"a"},{"field":"b","op":"lt","tags":[]}]}`, "in every item of a slice", search{
			Query: "x", Limit: 10, Exact: &yes, Page: usual, Filters: []filter{{"a", "eq", ab}, {"b", "lt", []string{}}},
		}},
		{`{"query":"x","by_name":{"k":{"field":"a"}}}`, "behind pointers in maps", search{
			Query: "x", Limit: 10, Exact: &yes, Page: usual, ByName: map[string]*filter{"k": {"a", "eq", ab}},
		}},
	} {
		got, err := decode[search](t, tt.data)
		if err != nil {
			t.Errorf("%s: %v; defaults are filled in %s", tt.data, err, tt.reason)
		}
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(search{}, page{}, sorted{}, filter{})); diff != "" {
			t.Errorf("%s: defaults are filled in %s (-want +got):\n%s", tt.data, tt.reason, diff)
		}
	}
	// Defaults are decoded each time, so values do not share them.
	one, err := decode[search](t, `{"query":"x","filters":[{"field":"a"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	one.Filters[0].Tags[0] = "changed"
	two, err := decode[search](t, `{"query":"x","filters":[{"field":"a"}]}`)
	if err != nil || two.Filters[0].Tags[0] != "a" {
		t.Errorf("a default changed with the value it was filled into: %v, %v", two, err)
	}
}

func TestDecodeTold(t *testing.T) {
	t.Parallel()
	got, err := decode[search](t, `{"querry":"x","limit":"5","filters":[{"field":"a","op":"gt"}],"page":{"size":9223372036854775808}}`)
	if diff := cmp.Diff(search{}, got, cmp.AllowUnexported(search{}, page{}, sorted{})); diff != "" {
		t.Errorf("dst is not zero after an error:\n%s", diff)
	}
	want := strings.Join([]string{
		`filters[0].op: must be one of "eq", "lt", got "gt"`,
		`limit: must be an integer, got the string "5"`,
		`page.size: must be at most 9223372036854775807, got 9223372036854775808`,
		`querry: is not a known property; did you mean "query"?`,
		`query: is required but missing`,
		`Example: {"query":"text","limit":10,"page":{"size":20},"filters":[{"field":"text","op":"eq"}]}`,
	}, "\n")
	if err == nil || err.Error() != want {
		t.Errorf("Decode:\n got %v\nwant %s", err, want)
	}
	// The schema allows any integer. The limits of the Go type are also reported.
	_, err = decode[search](t, `{"query":"x","page":{"size":9223372036854775808}}`)
	if want := "page.size: must be at most 9223372036854775807, got 9223372036854775808\nExample: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("Decode:\n got %v\nwant %s…", err, want)
	}
}

func TestDecodeRoots(t *testing.T) {
	t.Parallel()
	if got, err := decode[map[string]int](t, `{"a":1}`); err != nil || got["a"] != 1 {
		t.Errorf("map root: %v, %v", got, err)
	}
	if got, err := decode[*search](t, `{"query":"x"}`); err != nil || got == nil || got.Limit != 10 {
		t.Errorf("pointer root: %v, %v", got, err)
	}
	if _, err := decode[struct{}](t, `{}`); err != nil {
		t.Errorf("empty root: %v", err)
	}
	if _, err := decode[*search](t, `null`); err == nil {
		t.Error("null for a pointer root is accepted, want an error")
	}
}

// TestRoundTrip encodes values of each kind as outputs. The JSON decodes to the same value.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	one := 1
	roundTrip(t, everything{})
	roundTrip(t, everything{
		Bool: true, Int: -1 << 63, Uint: 1<<64 - 1, Small: -128, Float: 1e-7, F32: 0.1, String: "é\x00\u2028<", Bytes: []byte{0, 255},
		Time: time.Date(2026, 1, 31, 9, 30, 0, 1, time.UTC), Number: "12345678901234567890.5", Raw: json.RawMessage(`{"b":1,"a":[]}`),
		Any: map[string]any{"x": []any{1.5, "y", nil}}, Pointer: &one, List: []int{1, 2}, Array: [2]bool{true, false},
		Map: map[string][]string{"a": {}, "b": {"c"}}, Keys: map[int16]int{-1: 1}, Quoted: 7, Tree: &family{Name: "r", Kids: []*family{{Name: "k", Kids: []*family{}}}},
		Common: Common{ID: "id"},
	})
}

type (
	everything struct {
		Common
		Bool    bool                `json:"bool"`
		Int     int64               `json:"int"`
		Uint    uint64              `json:"uint"`
		Small   int8                `json:"small"`
		Float   float64             `json:"float"`
		F32     float32             `json:"f32"`
		String  string              `json:"string"`
		Bytes   []byte              `json:"bytes"`
		Time    time.Time           `json:"time"`
		Number  json.Number         `json:"number,omitempty"`
		Raw     json.RawMessage     `json:"raw,omitempty"`
		Any     any                 `json:"any"`
		Pointer *int                `json:"pointer"`
		List    []int               `json:"list"`
		Array   [2]bool             `json:"array"`
		Map     map[string][]string `json:"map"`
		Keys    map[int16]int       `json:"keys"`
		Quoted  int                 `json:"quoted,string"`
		Tree    *family             `json:"tree,omitempty"`
	}
	Common struct {
		ID string `json:"id"`
	}
	family struct {
		Name string    `json:"name"`
		Kids []*family `json:"kids"`
	}
)

func roundTrip[T any](tb testing.TB, v T) {
	tb.Helper()
	typ := compile[T](tb, reflectschema.DirectionOutput)
	out, err := typ.AppendEncode(nil, reflect.ValueOf(v))
	if err != nil {
		tb.Errorf("AppendEncode(%+v): %v", v, err)
		return
	}
	var back T
	if err := typ.Decode(out, reflect.ValueOf(&back).Elem()); err != nil {
		tb.Errorf("Decode(%s): %v", out, err)
		return
	}
	again, err := typ.AppendEncode(nil, reflect.ValueOf(back))
	if err != nil || string(again) != string(out) {
		tb.Errorf("%s became %s, %v", out, again, err)
	}
}

// TestConcurrent uses one Type and one Schema from many goroutines, including their first use, which compiles the
// authority.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	type private struct {
		A int      `json:"a" jsonschema:"minimum=1"`
		B []family `json:"b,omitempty"`
	}
	typ := compile[private](t, reflectschema.DirectionInput)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 20 {
				var v private
				if err := typ.Decode([]byte(`{"a":1,"b":[{"name":"x","kids":[]}]}`), reflect.ValueOf(&v).Elem()); err != nil || v.A != 1 {
					t.Errorf("Decode: %v, %v", v, err)
				}
				out, err := typ.AppendEncode(nil, reflect.ValueOf(v))
				if err != nil || string(out) != `{"a":1,"b":[{"name":"x","kids":[]}]}` {
					t.Errorf("AppendEncode: %s, %v", out, err)
				}
				err = typ.Schema().Check([]byte(`{"a":0}`))
				invalid := (*reflectschema.InvalidError)(nil)
				if !errors.As(err, &invalid) || invalid.Error() != "a: must be at least 1, got 0\nExample: {\"a\":1}" {
					t.Errorf("Check: %v", err)
				}
			}
		})
	}
	wg.Wait()
}
