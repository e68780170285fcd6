package reflectschema_test

import (
	"encoding/json"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema"
)

type (
	tree struct {
		Name   string           `json:"name"`
		Parent *tree            `json:"parent"`
		Kids   []tree           `json:"kids,omitempty"`
		ByName map[string]*tree `json:"byName,omitempty"`
	}
	order struct {
		_      struct{}        `doc:"An order, with all its parts" jsonschema:"title=Order" mcp:"name=order"`
		ID     int64           `json:"id" jsonschema:"minimum=1" doc:"Number, as printed"`
		State  string          `json:"state" jsonschema:"enum=open,enum=closed,default=open"`
		Weight *float32        `json:"weight"`
		At     time.Time       `json:"at"`
		Total  *big.Int        `json:"total,omitempty"`
		From   netip.Addr      `json:"from"`
		Extra  any             `json:"extra"`
		Tags   []string        `json:"tags" jsonschema:"pattern=^[a-z]{1\\,3}$,maxItems=3,x-mcp-header=Tags"`
		Raw    json.RawMessage `json:"raw,omitzero"`
	}
)

// TestDocument checks two complete documents. Other tests check the details.
func TestDocument(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		goType    reflect.Type
		direction reflectschema.Direction
		want      string
	}{
		{
			"input", reflect.TypeFor[order](),
			reflectschema.DirectionInput,
			`{"title":"Order","description":"An order, with all its parts","type":"object","properties":{` +
				`"id":{"description":"Number, as printed","type":"integer","minimum":1},` +
				`"state":{"type":"string","enum":["open","closed"],"default":"open"},` +
				`"weight":{"type":"number"},` +
				`"at":{"description":"Time in RFC 3339 with a time zone","type":"string","format":"date-time"},` +
				`"total":{"type":"integer"},` +
				`"from":{"type":"string"},` +
				`"extra":{},` +
				`"tags":{"type":"array","items":{"type":"string","pattern":"^[a-z]{1,3}$"},"maxItems":3,"x-mcp-header":"Tags"},` +
				`"raw":{}},"required":["id","at","from","extra","tags"],"additionalProperties":false}`,
		},
		{
			"output", reflect.TypeFor[*tree](),
			reflectschema.DirectionOutput,
			`{"type":"object","properties":{"name":{"type":"string"},` +
				`"parent":{"anyOf":[{"$ref":"#/$defs/tree"},{"type":"null"}]},` +
				`"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}},` +
				`"byName":{"type":"object","properties":{},"additionalProperties":{"anyOf":[{"$ref":"#/$defs/tree"},{"type":"null"}]}}},` +
				`"required":["name","parent"],"additionalProperties":false,` +
				`"$defs":{"tree":{"type":"object","properties":{"name":{"type":"string"},` +
				`"parent":{"anyOf":[{"$ref":"#/$defs/tree"},{"type":"null"}]},` +
				`"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}},` +
				`"byName":{"type":"object","properties":{},"additionalProperties":{"anyOf":[{"$ref":"#/$defs/tree"},{"type":"null"}]}}},` +
				`"required":["name","parent"],"additionalProperties":false}}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := reflectschema.Compile(tt.goType, tt.direction)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got.Schema().JSON())); diff != "" {
				t.Errorf("document (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCompileUndescribed checks that the root has no description, and that nested types have theirs.
func TestCompileUndescribed(t *testing.T) {
	t.Parallel()
	got, err := reflectschema.Internal(private.Key{}).CompileUndescribed(reflect.TypeFor[struct {
		_ struct{} `doc:"told elsewhere"`
		A struct {
			_ struct{} `doc:"kept"`
		}
	}](), reflectschema.DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","properties":{"A":{"description":"kept","type":"object","properties":{},"additionalProperties":false}},"required":["A"],"additionalProperties":false}`
	if diff := cmp.Diff(want, string(got.Schema().JSON())); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}

// TestCompileOnce checks that concurrent calls of Compile return the same Type.
func TestCompileOnce(t *testing.T) {
	t.Parallel()
	type asked struct {
		A int
		B []tree
	}
	var (
		wg      sync.WaitGroup
		answers [8]*reflectschema.Type
	)
	for i := range answers {
		wg.Go(func() {
			answers[i], _ = reflectschema.Compile(reflect.TypeFor[asked](), reflectschema.DirectionInput)
		})
	}
	wg.Wait()
	for i, a := range answers {
		if a == nil || a != answers[0] {
			t.Errorf("call %d returned %p, the first %p", i, a, answers[0])
		}
	}
}

func TestCompileNil(t *testing.T) {
	t.Parallel()
	if _, err := reflectschema.Compile(nil, reflectschema.DirectionInput); err == nil {
		t.Error("Compile(nil) has no error")
	}
}

// TestCompileValueOfUnusableType compiles fields whose type has a mistake and whose tag has a value. The value cannot be
// decoded, and the mistake is reported.
func TestCompileValueOfUnusableType(t *testing.T) {
	t.Parallel()
	for _, v := range []any{
		struct {
			C chan int `json:"c" jsonschema:"const=0"`
		}{},
		struct {
			F func() `json:"f" jsonschema:"default=true"`
		}{},
		struct {
			C []chan int `json:"c" jsonschema:"default=[1]"`
		}{},
	} {
		_, err := reflectschema.Compile(reflect.TypeOf(v), reflectschema.DirectionInput)
		if err == nil || !strings.Contains(err.Error(), "has no form in JSON") {
			t.Errorf("%T: got %v", v, err)
		}
	}
}
