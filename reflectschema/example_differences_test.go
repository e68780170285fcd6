package reflectschema_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// Each example here is one difference from encoding/json, and its comment is also in the package documentation.

// reading prints what encoding/json and this package make of some JSON, or the
// first line of why they do not.
func reading[T any](data string) {
	var theirs, ours T
	show := func(whose string, v T, err error) {
		if err != nil {
			first, _, _ := strings.Cut(err.Error(), "\n")
			fmt.Println(whose, "error:", first)
			return
		}
		fmt.Printf("%s %+v\n", whose, v)
	}
	err := json.Unmarshal([]byte(data), &theirs)
	show("theirs:", theirs, err)
	t, err := reflectschema.Compile(reflect.TypeFor[T](), reflectschema.DirectionInput)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = t.Decode([]byte(data), reflect.ValueOf(&ours).Elem())
	show("ours:  ", ours, err)
}

// writing prints what encoding/json and this package write.
func writing[T any](v T) {
	theirs, err := json.Marshal(v)
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := reflectschema.Compile(reflect.TypeFor[T](), reflectschema.DirectionOutput)
	if err != nil {
		fmt.Println(err)
		return
	}
	ours, err := t.AppendEncode(nil, reflect.ValueOf(v))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("theirs: %s\nours:   %s\n", theirs, ours)
}

// Names of members are case-sensitive.
func Example_caseOfNames() {
	type user struct {
		Name string `json:"userName"`
	}
	reading[user](`{"username":"Ada"}`)
	// Output:
	// theirs: {Name:Ada}
	// ours:   error: userName: is required but missing
}

// A name that occurs twice in an object is an error; encoding/json takes the last value.
func Example_duplicateNames() {
	type user struct {
		Admin bool `json:"admin"`
	}
	reading[user](`{"admin":false,"admin":true}`)
	// Output:
	// theirs: {Admin:true}
	// ours:   error: admin: must be given once, got it twice
}

// A member without a field is an error, unless a blank field has additionalProperties=true.
func Example_unknownNames() {
	type closed struct {
		Name string `json:"name"`
	}
	type open struct {
		_    struct{} `jsonschema:"additionalProperties=true"`
		Name string   `json:"name"`
	}
	reading[closed](`{"name":"a","nam":"b"}`)
	reading[open](`{"name":"a","nam":"b"}`)
	// Output:
	// theirs: {Name:a}
	// ours:   error: nam: is not a known property
	// theirs: {_:{} Name:a}
	// ours:   {_:{} Name:a}
}

// An absent member is an error, unless its field is optional.
func Example_missingMembers() {
	type transfer struct {
		Amount int    `json:"amount"`
		Note   string `json:"note,omitempty"`
	}
	reading[transfer](`{}`)
	// Output:
	// theirs: {Amount:0 Note:}
	// ours:   error: amount: is required but missing
}

// An absent member has the default of its tag.
func Example_defaults() {
	type page struct {
		Size int `json:"size" jsonschema:"default=20"`
	}
	reading[page](`{}`)
	// Output:
	// theirs: {Size:0}
	// ours:   {Size:20}
}

// A field with a default is written even if it is empty and has omitempty or omitzero.
func Example_emptyDefaults() {
	type settings struct {
		Verbose bool `json:"verbose,omitempty" jsonschema:"default=true"`
	}
	writing(settings{Verbose: false})
	// Output:
	// theirs: {}
	// ours:   {"verbose":false}
}

// null is an error unless the tag has nullable, or the type is any, json.RawMessage or one with UnmarshalJSON.
func Example_null() {
	type strict struct {
		Name string `json:"name"`
	}
	type lax struct {
		Name *string `json:"name" jsonschema:"nullable"`
	}
	reading[strict](`{"name":null}`)
	reading[lax](`{"name":null}`)
	// Output:
	// theirs: {Name:}
	// ours:   error: name: must be a string, got null
	// theirs: {Name:<nil>}
	// ours:   {Name:<nil>}
}

// A time may be written with a lower-case t and z, as RFC 3339, section 5.6, allows.
func Example_smallLettersInTimes() {
	reading[time.Time](`"2026-01-31t09:30:00z"`)
	// Output:
	// theirs: error: parsing time "2026-01-31t09:30:00z" as "2006-01-02T15:04:05Z07:00": cannot parse "t09:30:00z" as "T"
	// ours:   2026-01-31 09:30:00 +0000 UTC
}

// An integer may be written as 3.0 or 1e2.
func Example_wholeNumbers() {
	reading[[]int](`[3.0,1e2]`)
	// Output:
	// theirs: error: json: cannot unmarshal number 3.0 into Go value of type int
	// ours:   [3 100]
}

// A number that float64 would round is a json.Number in an any.
func Example_largeNumbers() {
	reading[any](`9007199254740993`)
	// Output:
	// theirs: 9.007199254740992e+15
	// ours:   9007199254740993
}

// An array must have as many elements as the Go array.
func Example_arrays() {
	reading[[2]int](`[1,2,3]`)
	reading[[2]int](`[1]`)
	// Output:
	// theirs: [1 2]
	// ours:   error: must have at most 2 items, got 3
	// theirs: [1 0]
	// ours:   error: must have at least 2 items, got 1
}

// An integer key of a map has one spelling: 007 is not read as 7.
func Example_keys() {
	reading[map[int]string](`{"7":"a","007":"b"}`)
	// Output:
	// theirs: map[7:b]
	// ours:   error: ["007"]: is not an allowed name: it must match the pattern ^-?(0|[1-9][0-9]*)$, got "007"
}

// Invalid UTF-8 and lone surrogates are errors; encoding/json replaces them.
func Example_text() {
	reading[string](`"a\ud800"`)
	// Output:
	// theirs: a�
	// ours:   error: is not valid JSON: unpaired surrogate in a string, at byte 2
}

// A value has at most 512 levels, a number at most 100 characters and an exponent of at most 999.
func Example_limits() {
	reading[json.Number](`1e1000`)
	// Output:
	// theirs: 1e1000
	// ours:   error: must be a number with an exponent of at most 999, got 1e1000
}

// Decoding replaces the previous value, with the zero value if there is an error.
func Example_nothingHalfWritten() {
	type point struct {
		X int `json:"x,omitempty"`
		Y int `json:"y,omitempty"`
	}
	t, err := reflectschema.Compile(reflect.TypeFor[point](), reflectschema.DirectionInput)
	if err != nil {
		fmt.Println(err)
		return
	}
	theirs, ours := point{1, 2}, point{1, 2}
	fmt.Println("theirs:", json.Unmarshal([]byte(`{"x":7}`), &theirs), theirs)
	fmt.Println("ours:  ", t.Decode([]byte(`{"x":7}`), reflect.ValueOf(&ours).Elem()), ours)
	fmt.Println("theirs:", json.Unmarshal([]byte(`{"x":8,"y":"?"}`), &theirs) != nil, theirs)
	fmt.Println("ours:  ", t.Decode([]byte(`{"x":8,"y":"?"}`), reflect.ValueOf(&ours).Elem()) != nil, ours)
	// Output:
	// theirs: <nil> {7 2}
	// ours:   <nil> {7 0}
	// theirs: true {8 2}
	// ours:   true {0 0}
}

// Nil slices are written as [], nil maps as {} and nil bytes as "".
func Example_nil() {
	writing(struct {
		List  []int          `json:"list"`
		Map   map[string]int `json:"map"`
		Bytes []byte         `json:"bytes"`
	}{})
	// Output:
	// theirs: {"list":null,"map":null,"bytes":null}
	// ours:   {"list":[],"map":{},"bytes":""}
}

// An absent Optional is omitted, also without omitzero.
func Example_optional() {
	type update struct {
		Title reflectschema.Optional[string] `json:"title"`
	}
	writing(update{})
	// Output:
	// theirs: {"title":null}
	// ours:   {}
}

// Strings are written with as few escapes as possible: < is not escaped.
func Example_escapes() {
	writing("a<b & c>d")
	// Output:
	// theirs: "a\u003cb \u0026 c\u003ed"
	// ours:   "a<b & c>d"
}

// Methods with pointer receivers are also called on values that are not addressable.
func Example_pointerMethods() {
	writing(map[string]Point{"at": {1, 2}})
	// Output:
	// theirs: {"at":{"X":1,"Y":2}}
	// ours:   {"at":[1,2]}
}

// What encoding/json drops, or writes in an unexpected form, is an error in a struct with tags of this package.
func Example_refusedTypes() {
	type clash struct {
		_ struct{} `doc:"An employee"`
		Base
		Other
	}
	theirs, err := json.Marshal(clash{Base: Base{"1", "Ada"}, Other: Other{2}})
	fmt.Printf("theirs: %s, error %v\n", theirs, err)
	_, err = reflectschema.Compile(reflect.TypeFor[clash](), reflectschema.DirectionInput)
	_, reason, _ := strings.Cut(err.Error(), ": ")
	fmt.Println("ours:   error:", reason)
	// Output:
	// theirs: {"Name":"Ada"}, error <nil>
	// ours:   error: the JSON name "ID" belongs to Base.ID and to Other.ID alike, so encoding/json would write neither; give one of them another name, or json:"-"
}
