package reflectschema

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/testing/specdata"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// suiteTypes are the Go types for which plans are built from the schemas of the suite: types for any JSON, and types
// for specific JSON types.
var suiteTypes = []reflect.Type{
	reflect.TypeFor[any](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[map[string]any](), reflect.TypeFor[[]any](),
	reflect.TypeFor[string](), reflect.TypeFor[bool](), reflect.TypeFor[int64](), reflect.TypeFor[uint64](), reflect.TypeFor[float64](), reflect.TypeFor[json.Number](),
	reflect.TypeFor[[]string](), reflect.TypeFor[[]float64](), reflect.TypeFor[map[string]string](), reflect.TypeFor[map[string]int](), reflect.TypeFor[*int](),
	reflect.TypeFor[struct {
		Foo int    `json:"foo,omitempty"`
		Bar string `json:"bar,omitempty"`
	}](),
	reflect.TypeFor[struct {
		Foo *string `json:"foo,omitempty"`
		Bar *any    `json:"bar,omitempty"`
		Baz []any   `json:"baz,omitempty"`
	}](),
}

// TestSuitePlan builds plans for every schema of the official test suite whose keywords plans support, with each
// suitable Go type. A value that a plan accepts must be valid by the authority and the suite, and be decoded and
// encoded as on the slow path. The counts show the covered part of the suite.
func TestSuitePlan(t *testing.T) {
	t.Parallel()
	for _, suite := range []struct {
		dir                              string
		dialect                          *jsonschema.Draft
		known, schemas, plans, instances int
	}{
		{"draft2020-12", authority.Draft2020, 118, 383, 1525, 1702},
		{"draft7", authority.Draft7, 110, 257, 1412, 1567},
	} {
		t.Run(suite.dir, func(t *testing.T) {
			t.Parallel()
			var known, schemas, plans, instances int
			for _, groups := range specdata.SuiteFiles(t, suite.dir) {
				for _, group := range groups {
					schemas++
					s := newSchemaIn(group.Schema, suite.dialect)
					if s.rules() == nil {
						continue
					}
					known++
					for _, goType := range suiteTypes {
						typ := newType(goType, usage{}, s)
						if typ.plan() == nil {
							continue
						}
						plans++
						for _, test := range group.Tests {
							if !decodeAgrees(t, typ, test.Data) {
								continue
							}
							instances++
							if !test.Valid {
								t.Errorf("%s: %s: the plan accepts %s", group.Description, test.Description, test.Data)
							}
							v := reflect.New(goType).Elem()
							typ.decodeFast(test.Data, v)
							encodeAgrees(t, typ, v)
						}
					}
				}
			}
			if known != suite.known || schemas != suite.schemas || plans != suite.plans || instances != suite.instances {
				t.Errorf("supported schemas, all schemas, plans, decoded values = %d, %d, %d, %d; want %d, %d, %d, %d",
					known, schemas, plans, instances, suite.known, suite.schemas, suite.plans, suite.instances)
			}
		})
	}
}
