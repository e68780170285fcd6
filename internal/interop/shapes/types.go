package main

import (
	"context"
	"encoding/json"
	"net/netip"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// registerTypes adds tools that return their arguments, so that one type is both an input and an output, and tools
// whose results are not structs.
func registerTypes() {
	register(back[Types], "types", "Every type there is", mcptool.Title("Types"), mcptool.ReadOnly(true), mcptool.OpenWorld(false))
	register(back[Keywords], "keywords", `Every keyword, with commas, "quotes" and Größe`)
	register(back[Formats], "formats", "Every format of a text")
	register(back[Tree], "tree", "A recursive type")
	register(back[map[string]int], "counts", "A map")
	register(result([]Day{"Mon", "Tue"}), "list", "A list")
	register(result(2.5), "number", "A number")
	register(result("hello"), "word", "A text")
	register(result(struct{}{}), "done", "Nothing at all")
}

func register[In, Out any](fn func(context.Context, In) (Out, error), name, description string, opts ...mcptool.ToolOption) {
	mcptool.Register(fn, append(opts, mcptool.Name(name), mcptool.Description(description))...)
}

func back[T any](_ context.Context, in T) (T, error) { return in, nil }

func result[T any](v T) func(context.Context, struct{}) (T, error) {
	return func(context.Context, struct{}) (T, error) { return v, nil }
}

// Day is a named string.
type Day string

// Types has a field of every type.
type Types struct {
	Bool     bool            `json:"bool"`
	Int      int             `json:"int"`
	Int8     int8            `json:"int8"`
	Uint8    uint8           `json:"uint8"`
	Uint64   uint64          `json:"uint64"`
	Quoted   int64           `json:"quoted,string"`
	Float    float64         `json:"float"`
	Number   json.Number     `json:"number"`
	Text     Day             `json:"text"`
	Bytes    []byte          `json:"bytes"`
	Time     time.Time       `json:"time"`
	Duration time.Duration   `json:"duration"`
	Address  netip.Addr      `json:"address" jsonschema:"example=192.0.2.1"`
	Any      any             `json:"any"`
	Raw      json.RawMessage `json:"raw"`
	Pointer  *string         `json:"pointer"`
	List     []Day           `json:"list"`
	Pair     [2]int          `json:"pair"`
	Map      map[string]bool `json:"map"`
	ByNumber map[int]string  `json:"by_number"`
	Nested   []Point         `json:"nested"`
	Absent   string          `json:"absent,omitempty"`
	Zero     time.Time       `json:"zero,omitzero"`
	Point
}

// Point is nested and embedded.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y,omitempty"`
}

// Tree is recursive: the one kind of schema with references.
type Tree struct {
	Name  string `json:"name"`
	Left  *Tree  `json:"left,omitempty"`
	Items []Tree `json:"items,omitempty"`
}

// Keywords has every keyword of the jsonschema tag.
type Keywords struct {
	_         struct{}       `jsonschema:"x-origin=interop"`
	Enum      string         `json:"enum" jsonschema:"title=Unit,enum=celsius,enum=fahrenheit,default=celsius"`
	Level     int            `json:"level" jsonschema:"enum=1,enum=2,default=1"`
	Const     string         `json:"const" jsonschema:"const=fixed,optional"`
	Range     float64        `json:"range" jsonschema:"minimum=-1.5,maximum=1e3,example=2.5"`
	Between   float64        `json:"between" jsonschema:"exclusiveMinimum=0,exclusiveMaximum=1"`
	Step      float64        `json:"step" jsonschema:"multipleOf=0.25"`
	Length    string         `json:"length" jsonschema:"minLength=1,maxLength=3"`
	Pattern   string         `json:"pattern" jsonschema:"pattern=^[a-z]+(-[a-z]+)*$"`
	Items     []int          `json:"items" jsonschema:"minItems=1,maxItems=3,uniqueItems"`
	Members   map[string]int `json:"members" jsonschema:"minProperties=1,maxProperties=2"`
	Nullable  *int           `json:"nullable" jsonschema:"nullable"`
	Read      string         `json:"read" jsonschema:"readOnly,optional"`
	Old       string         `json:"old" jsonschema:"deprecated,optional"`
	Extension string         `json:"extension" jsonschema:"x-hint=anything,optional"`
}

// Formats has every format that is checked, except iri and iri-reference: the clients' validator does not support
// them, warns, and accepts any text.
type Formats struct {
	DateTime string `json:"date_time" jsonschema:"format=date-time"`
	Date     string `json:"date" jsonschema:"format=date"`
	Time     string `json:"time" jsonschema:"format=time"`
	Duration string `json:"duration" jsonschema:"format=duration"`
	Email    string `json:"email" jsonschema:"format=email"`
	Hostname string `json:"hostname" jsonschema:"format=hostname"`
	IPv4     string `json:"ipv4" jsonschema:"format=ipv4"`
	IPv6     string `json:"ipv6" jsonschema:"format=ipv6"`
	URI      string `json:"uri" jsonschema:"format=uri"`
	URIRef   string `json:"uri_reference" jsonschema:"format=uri-reference"`
	Template string `json:"uri_template" jsonschema:"format=uri-template"`
	UUID     string `json:"uuid" jsonschema:"format=uuid"`
	Pointer  string `json:"json_pointer" jsonschema:"format=json-pointer"`
	Relative string `json:"relative_json_pointer" jsonschema:"format=relative-json-pointer"`
	Regex    string `json:"regex" jsonschema:"format=regex"`
}
