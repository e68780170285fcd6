package main

import (
	"context"
	"encoding/json"
	"math/big"
	"net/netip"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// typed are the tools of Go types by name.
var typed = map[string]func() (*mcptool.Tool, error){
	"texts":        echo[texts],
	"formats":      echo[formats],
	"numbers":      echo[numbers],
	"lists":        echo[lists],
	"unique lists": swallow[uniqueLists],
	"maps":         echo[mapsIn],
	"structs":      echo[structs],
	"defaults":     echo[defaults],
	"long default": echo[filledIn],
	"anything":     echo[anything],
	"anything in":  swallow[anything],
	"unions":       echo[unions],
	"trees":        echo[tree],
	"knots":        swallow[knots],
	"own JSON":     echo[ownJSON],
	"repeated":     repeat,
	"open":         swallow[openIn],
	"wide":         echo[wide],
}

type (
	texts struct {
		Pattern  string   `json:"pattern,omitempty" jsonschema:"pattern=^(([a-z])+.)+[A-Z]([a-z])+$"`
		Patterns []string `json:"patterns,omitzero" jsonschema:"pattern=^(a?b?c?){0\\,50}x$"`
		Names    []string `json:"names,omitzero" jsonschema:"maxLength=100,minLength=1"`
		Enum     []string `json:"enum,omitzero" jsonschema:"enum=a,enum=b,enum=c"`
		Const    string   `json:"const,omitempty" jsonschema:"const=a"`
		Plain    string   `json:"plain,omitempty"`
		Bytes    []byte   `json:"bytes,omitzero"`
		Blobs    [][]byte `json:"blobs,omitzero" jsonschema:"maxLength=1000"`
	}
	formats struct {
		Email    []string     `json:"email,omitzero" jsonschema:"format=email"`
		URI      []string     `json:"uri,omitzero" jsonschema:"format=uri"`
		Host     []string     `json:"host,omitzero" jsonschema:"format=hostname"`
		IPv6     []string     `json:"ipv6,omitzero" jsonschema:"format=ipv6"`
		UUID     []string     `json:"uuid,omitzero" jsonschema:"format=uuid"`
		Regex    []string     `json:"regex,omitzero" jsonschema:"format=regex"`
		Pointer  []string     `json:"pointer,omitzero" jsonschema:"format=json-pointer"`
		Date     []string     `json:"date,omitzero" jsonschema:"format=date"`
		Duration []string     `json:"duration,omitzero" jsonschema:"format=duration"`
		Time     []time.Time  `json:"time,omitzero"`
		Address  []netip.Addr `json:"address,omitzero"`
	}
	numbers struct {
		Int      []int64       `json:"int,omitzero"`
		Small    []int8        `json:"small,omitzero" jsonschema:"minimum=-3,maximum=3"`
		Unsigned []uint64      `json:"unsigned,omitzero"`
		Float    []float64     `json:"float,omitzero" jsonschema:"exclusiveMinimum=-1e300"`
		Step     []float64     `json:"step,omitzero" jsonschema:"multipleOf=0.01"`
		Single   []float32     `json:"single,omitzero"`
		Big      []big.Int     `json:"big,omitzero" jsonschema:"multipleOf=7"`
		BigRef   []*big.Int    `json:"bigRef,omitzero"`
		Number   []json.Number `json:"number,omitzero"`
		Quoted   int64         `json:"quoted,string,omitempty"`
		Duration time.Duration `json:"duration,omitempty"`
	}
	lists struct {
		Strings []string     `json:"strings,omitzero"`
		Bools   []bool       `json:"bools,omitzero"`
		Deep    [][][]string `json:"deep,omitzero"`
		Fixed   [3][2]int    `json:"fixed,omitzero"`
		Fixes   [][2]int     `json:"fixes,omitzero"`
		Bounded []string     `json:"bounded,omitzero" jsonschema:"minItems=1,maxItems=1000"`
		Refs    []*string    `json:"refs,omitzero"`
		Empty   []struct{}   `json:"empty,omitzero"`
		Points  []point      `json:"points,omitzero"`
	}
	uniqueLists struct {
		Ints    []int      `json:"ints,omitzero" jsonschema:"uniqueItems"`
		Floats  []float64  `json:"floats,omitzero" jsonschema:"uniqueItems"`
		Strings []string   `json:"strings,omitzero" jsonschema:"uniqueItems"`
		Points  []point    `json:"points,omitzero" jsonschema:"uniqueItems"`
		Any     []any      `json:"any,omitzero" jsonschema:"uniqueItems"`
		Deep    [][]string `json:"deep,omitzero" jsonschema:"uniqueItems"`
	}
	mapsIn struct {
		Strings map[string]string           `json:"strings,omitzero"`
		Ints    map[int]int                 `json:"ints,omitzero"`
		Deep    map[string]map[string][]int `json:"deep,omitzero"`
		Bounded map[string]point            `json:"bounded,omitzero" jsonschema:"minProperties=1,maxProperties=1000"`
		Times   map[string]time.Time        `json:"times,omitzero"`
		Address map[netip.Addr]*point       `json:"address,omitzero"`
	}
	point struct {
		X float64 `json:"x"`
		Y float64 `json:"y"`
		Z *int    `json:"z,omitempty" jsonschema:"minimum=0,default=3"`
	}
	structs struct {
		point
		*Corner
		Inner  inner            `json:"inner,omitzero"`
		Inners []inner          `json:"inners,omitzero" jsonschema:"maxItems=100000"`
		Named  map[string]inner `json:"named,omitzero"`
	}
	// Corner is exported because a pointer to it is embedded.
	Corner struct {
		Name string `json:"corner" jsonschema:"minLength=1"`
	}
	inner struct {
		A string  `json:"a,omitempty" jsonschema:"pattern=^[a-z]*$"`
		B []point `json:"b,omitzero"`
		C *inner2 `json:"c,omitempty"`
		D bool    `json:"d,omitempty"`
	}
	inner2 struct {
		A [][]point         `json:"a,omitzero" jsonschema:"uniqueItems"`
		B map[string]*point `json:"b,omitzero"`
	}
	defaults struct {
		Rows []defaulted `json:"rows"`
	}
	defaulted struct {
		A string            `json:"a" jsonschema:"default=a long default that is filled in for each row"`
		B []int             `json:"b" jsonschema:"default=[1\\,2\\,3\\,4\\,5\\,6\\,7\\,8\\,9]"`
		C map[string]string `json:"c" jsonschema:"default={\"a\":\"b\"\\,\"c\":\"d\"}"`
		D point             `json:"d,omitzero"`
	}
	filledIn struct {
		Rows []filled `json:"rows"`
	}
	filled struct {
		Text string `json:"text,omitempty" jsonschema:"default=a long text that is filled in where a row has none\\, and that is in memory once for all rows a long text that is filled in where a row has none\\, and that is in memory once for all rows a long text that is filled in where a row has none\\, and that is in"`
		Name string `json:"name,omitempty"`
	}
	anything struct {
		Any  any             `json:"any,omitempty"`
		Raw  json.RawMessage `json:"raw,omitempty"`
		List []any           `json:"list,omitzero"`
		Map  map[string]any  `json:"map,omitzero"`
		Raws []rawOrNot      `json:"raws,omitzero"`
	}
	rawOrNot struct {
		Raw  json.RawMessage `json:"raw,omitempty"`
		Name string          `json:"name,omitempty"`
	}
	shape  interface{ isShape() }
	circle struct {
		Radius float64 `json:"radius" jsonschema:"minimum=0"`
	}
	group struct {
		Shapes []shape `json:"shapes"`
		Name   string  `json:"name,omitempty"`
	}
	polygon struct {
		Points []point          `json:"points" jsonschema:"uniqueItems"`
		Labels map[string]shape `json:"labels,omitzero"`
	}
	unions struct {
		Shape  shape   `json:"shape,omitempty"`
		Shapes []shape `json:"shapes,omitzero"`
	}
	tree struct {
		Name  string           `json:"name,omitempty" jsonschema:"maxLength=10"`
		Left  *tree            `json:"left,omitempty"`
		Right *tree            `json:"right,omitempty"`
		Kids  []tree           `json:"kids,omitzero"`
		More  map[string]*tree `json:"more,omitzero"`
	}
	knots struct {
		Knots []knots  `json:"knots,omitzero" jsonschema:"uniqueItems"`
		Tree  *tree    `json:"tree,omitempty"`
		Any   []any    `json:"any,omitzero" jsonschema:"maxItems=3000,uniqueItems"`
		Whole *unions  `json:"whole,omitempty"`
		Names []string `json:"names,omitzero" jsonschema:"nullable"`
	}
	// plain has its own JSON methods.
	plain struct{ text string }

	ownJSON struct {
		Plain  plain   `json:"plain,omitzero"`
		Plains []plain `json:"plains,omitzero"`
	}
	repeatIn struct {
		Items []string `json:"items,omitzero"`
		Rest  []point  `json:"rest,omitzero"`
		Times int      `json:"times,omitempty" jsonschema:"minimum=0,maximum=3"`
	}
	repeatOut struct {
		Items []string `json:"items"`
		Rest  []point  `json:"rest"`
	}
	openIn struct {
		_ struct{} `jsonschema:"additionalProperties=true"`
		A string   `json:"a,omitempty"`
	}
	wide struct {
		A0, A1, A2, A3, A4, A5, A6, A7, A8, A9 []string `json:",omitzero"`
		B0, B1, B2, B3, B4, B5, B6, B7, B8, B9 string   `json:",omitempty"`
		Rows                                   []row    `json:"rows,omitzero"`
	}
	row struct {
		C0, C1, C2, C3, C4, C5, C6, C7, C8, C9 *string `json:",omitempty"`
		D0, D1, D2, D3, D4, D5, D6, D7, D8, D9 int     `json:",omitempty"`
	}
)

func init() { //nolint:gochecknoinits // registers a type, as gob.Register does
	reflectschema.RegisterUnion("type", map[string]shape{"circle": circle{}, "group": group{}, "polygon": polygon{}})
}

func (circle) isShape()  {}
func (group) isShape()   {}
func (polygon) isShape() {}

// repeat returns a typed tool with results that may exceed the limit and are then refused.
func repeat() (*mcptool.Tool, error) {
	return mcptool.New(func(_ context.Context, in repeatIn) (repeatOut, error) {
		return repeatOut{slices.Repeat(in.Items, in.Times), slices.Repeat(in.Rest, in.Times)}, nil
	}, mcptool.Name(toolName))
}

// MarshalJSON implements [json.Marshaler].
func (p plain) MarshalJSON() ([]byte, error) { return json.Marshal(p.text) }

// UnmarshalJSON implements [json.Unmarshaler].
func (p *plain) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &p.text) }
