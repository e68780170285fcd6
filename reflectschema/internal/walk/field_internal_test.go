package walk

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
)

type (
	base     struct{ ID, Name string }
	Exported struct{ ID, City string }
	Renamed  struct {
		Number int `json:"ID"`
	}
	Told struct {
		Word string `doc:"A word"`
	}
	another struct{ ID int }
	myInt   int
	MyInt   int
	Pool    struct{ *Loop }
	Loop    struct {
		*Pool
		Deep string
	}
	SelfPointer struct {
		*SelfPointer
		X int
	}
	Left  struct{ Twice }
	Right struct{ Twice }
	Twice struct{ T int }
)

// TestMembersOf compares the members of structs with the output of encoding/json.
func TestMembersOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, reason string
		value        any
		mistakes     string // expected in the mistakes, for missing members
	}{
		{name: "plain", reason: "Go names and json names, in order", value: struct {
			A int
			B int `json:"bee"`
		}{}},
		{name: "embedded", reason: "fields are flattened where the struct stands", value: struct {
			A int
			base
			Z int
		}{}},
		{name: "outer first", reason: "the shallower field wins, declared before", value: struct {
			ID int
			base
		}{}},
		{name: "outer last", reason: "the shallower field wins, declared after", value: struct {
			base
			ID int
		}{}},
		{name: "tag wins", reason: "at one depth the name from a tag wins, and the other field is lost", value: struct {
			X  int `json:"ID"`
			ID int
		}{}, mistakes: "X and to ID alike, so encoding/json would write only the one with the name in its tag"},
		{name: "tag wins, embedded", reason: "nor is that what who embeds two structs can see", value: struct {
			base
			Renamed
		}{}, mistakes: "Renamed.Number and to base.ID alike"},
		{name: "three", reason: "each of those that are lost", value: tagged(`json:"C"`, `json:"C"`, ""), mistakes: "A and to B alike, so encoding/json would write neither" +
			`the JSON name "C" belongs to A and to C alike`},
		{name: "hidden clash", reason: "two that clash are both hidden on purpose", value: struct {
			ID int
			base
			Renamed
		}{}},
		{name: "hidden tags", reason: "a field that says nothing takes the place of one that does", value: struct {
			Told
			Word string
		}{}, mistakes: `Word has the same JSON name "Word" and replaces the field, but not its tags`},
		{name: "told anew", reason: "a field with tags of its own is described anew", value: struct {
			Told
			Word string `doc:"Another"`
		}{}},
		{name: "same depth", reason: "no rule decides, so neither is written", value: struct {
			base
			another
		}{}, mistakes: "base.ID and to another.ID alike"},
		{name: "same tag", reason: "two equal names in tags", value: tagged(`json:"x"`, `json:"x"`), mistakes: "A and to B alike"},
		{name: "one struct twice", reason: "embedded over two ways of one depth", value: struct {
			Left
			Right
		}{}, mistakes: "second embedding"},
		{name: "named embedding", reason: "a name makes it a member", value: struct {
			Exported `json:"where"`
		}{}},
		{name: "unexported scalar", reason: "not in the JSON", value: struct {
			myInt
			A int
		}{}},
		{name: "exported scalar", reason: "a member called like its type", value: struct{ MyInt }{}},
		{name: "pointer", reason: "nothing below nil is written, but it is a member", value: struct {
			*Exported
		}{&Exported{}}},
		{name: "self", reason: "a struct that embeds a pointer to itself ends", value: SelfPointer{}},
		{name: "mutual", reason: "so do two that embed each other", value: Loop{Pool: &Pool{}}},
		{name: "dash", reason: "left out", value: tagged(`json:"-"`, `json:"-,"`)},
		{name: "odd names", reason: "what encoding/json allows", value: struct {
			A int `json:"a b"`
			B int `json:"$ref"`
			C int `json:"é"`
			D int `json:"a/b~c.d"`
		}{}},
		{name: "bad name", reason: "encoding/json falls back to the Go name", value: tagged(`json:"a\"b"`), mistakes: "rejects the name"},
		{name: "inline", reason: "what embedding does anyway", value: struct {
			base `json:",inline"`
		}{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			members, mistakes := membersOf(reflect.TypeOf(tt.value))
			var got []string
			for _, m := range members {
				got = append(got, m.Name)
				if _, err := reflect.ValueOf(tt.value).FieldByIndexErr(m.Index); err != nil && !m.belowPointer {
					t.Errorf("%s: index %v of %q: %v", tt.reason, m.Index, m.Name, err)
				}
			}
			if want := namesWritten(t, tt.value); !slices.Equal(got, want) {
				t.Errorf("%s: members %q, encoding/json: %q", tt.reason, got, want)
			}
			var told strings.Builder
			for _, f := range mistakes {
				told.WriteString(f.Reason)
			}
			if (tt.mistakes == "") != (told.Len() == 0) || !strings.Contains(told.String(), tt.mistakes) {
				t.Errorf("%s: mistakes %q, want %q", tt.reason, told.String(), tt.mistakes)
			}
		})
	}
}

// tagged returns a struct with int fields A, B, … that have these tags. Tags that go vet refuses can only be tested
// like this.
func tagged(tags ...reflect.StructTag) any {
	fields := make([]reflect.StructField, len(tags))
	for i, tag := range tags {
		fields[i] = reflect.StructField{Name: string(rune('A' + i)), Type: reflect.TypeFor[int](), Tag: tag}
	}
	return reflect.Zero(reflect.StructOf(fields)).Interface()
}

// namesWritten returns the member names in the JSON of a value, in order.
func namesWritten(t *testing.T, v any) (names []string) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(string(data)))
	if _, err := dec.Token(); err != nil {
		t.Fatal(err)
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name.(string))
		var skip json.RawMessage
		if err := dec.Decode(&skip); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// TestResolveRecursive checks that every way in which a type can contain itself is resolved, with a graph that has the
// cycle.
func TestResolveRecursive(t *testing.T) {
	t.Parallel()
	type (
		tree    struct{ Left, Right *tree }
		list    []list
		dict    map[string]dict
		forest  struct{ Trees map[string][]forest }
		pointer *pointer
	)
	for _, tt := range []struct {
		value any
		bad   bool
	}{{tree{}, false}, {list{}, false}, {dict{}, false}, {forest{}, false}, {SelfPointer{}, false}, {pointer(nil), true}} {
		r := NewResolver(codec.Output)
		goType := reflect.TypeOf(tt.value)
		n := r.Run(goType)
		if n == nil || (len(r.mistakes) > 0) != tt.bad {
			t.Errorf("%s: errors %v, want errors: %v", goType, r.mistakes, tt.bad)
		}
	}
}
