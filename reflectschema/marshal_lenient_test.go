package reflectschema_test

import (
	"database/sql"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// lenientInner has a default.
type lenientInner struct {
	Unit string `json:"unit" jsonschema:"default=celsius"`
}

// lenientParams has a field of each kind that may receive null.
type lenientParams struct {
	Status   Status                    `json:"status"`
	Grade    Grade                     `json:"grade"`
	Price    Decimal                   `json:"price"`
	Unstated Unstated                  `json:"unstated"`
	Pair     Pair2                     `json:"pair"`
	Name     sql.NullString            `json:"name"`
	Count    int                       `json:"count" jsonschema:"default=5"`
	Limit    *int                      `json:"limit,omitempty" jsonschema:"nullable,default=7"`
	Raw      json.RawMessage           `json:"raw"`
	Any      any                       `json:"any"`
	Inner    lenientInner              `json:"inner"`
	Shape    *lenientInner             `json:"shape,omitempty"`
	List     []lenientInner            `json:"list"`
	ByStatus map[string]Status         `json:"byStatus"`
	Statuses []Status                  `json:"statuses"`
	Prices   []Unstated                `json:"prices"`
	Raws     []json.RawMessage         `json:"raws"`
	Names    map[string]sql.NullString `json:"names"`
}

// TestUnmarshalLenientNull: a null member is treated as absent, and null elsewhere is not an error either.
func TestUnmarshalLenientNull(t *testing.T) {
	t.Parallel()
	absent, err := reflectschema.UnmarshalLenient[lenientParams]([]byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	if absent.Count != 5 || absent.Limit == nil || *absent.Limit != 7 || absent.Inner.Unit != "celsius" {
		t.Fatalf("the defaults are missing: %+v", absent)
	}
	for field := range reflect.TypeFor[lenientParams]().Fields() {
		name := field.Tag.Get("json")
		if i := len(name) - len(",omitempty"); i > 0 && name[i:] == ",omitempty" {
			name = name[:i]
		}
		got, err := reflectschema.UnmarshalLenient[lenientParams]([]byte(`{"` + name + `":null}`))
		if err != nil || !reflect.DeepEqual(got, absent) {
			t.Errorf("%s is null: got %+v, %v, want %+v", name, got, err, absent)
		}
	}
	got, err := reflectschema.UnmarshalLenient[lenientParams]([]byte(
		`{"list":[null,{"unit":null}],"byStatus":{"a":null},"statuses":[null,"open"],"prices":[null],"raws":[null],"names":{"a":null}}`))
	want := absent
	want.List, want.ByStatus = []lenientInner{{}, {"celsius"}}, map[string]Status{"a": ""}
	want.Statuses, want.Prices = []Status{"", "open"}, make([]Unstated, 1)
	want.Raws, want.Names = []json.RawMessage{json.RawMessage("null")}, map[string]sql.NullString{"a": {}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("null in containers: got %+v, %v, want %+v", got, err, want)
	}
	for _, root := range []func() error{
		func() error { _, err := reflectschema.UnmarshalLenient[Status]([]byte("null")); return err },
		func() error { _, err := reflectschema.UnmarshalLenient[Unstated]([]byte("null")); return err },
	} {
		if err := root(); err != nil {
			t.Errorf("null itself: %v", err)
		}
	}
	if _, err := reflectschema.UnmarshalLenient[lenientParams]([]byte(`{"status":"shut"}`)); err == nil {
		t.Error("a value that is not listed was accepted")
	}
}
