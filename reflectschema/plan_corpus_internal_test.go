package reflectschema

import (
	"encoding/json"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/testing/tagcase"
	"github.com/mcptool-go/mcptool/reflectschema/datetime"
)

// The corpus of FuzzPlan: declared types that cover every kind of node and every keyword that plans support.
type (
	corpusIn struct {
		Location string `json:"location" jsonschema:"minLength=1"`
		Units    string `json:"units,omitempty" jsonschema:"enum=celsius,enum=fahrenheit,default=celsius"`
		Days     int    `json:"days" jsonschema:"minimum=1,maximum=14"`
	}
	corpusNumbers struct {
		I     int           `json:"i" jsonschema:"minimum=-5,maximum=5"`
		Open  int64         `json:"open" jsonschema:"exclusiveMinimum=0,exclusiveMaximum=10"`
		Half  int           `json:"half" jsonschema:"optional,minimum=0,multipleOf=5"`
		I8    int8          `json:"i8,omitempty"`
		I16   int16         `json:"i16,omitempty" jsonschema:"multipleOf=3"`
		U8    uint8         `json:"u8,omitempty"`
		U32   uint32        `json:"u32,omitempty" jsonschema:"minimum=7"`
		U64   uint64        `json:"u64,omitempty" jsonschema:"maximum=18446744073709551615"`
		Big   int64         `json:"big,omitempty" jsonschema:"minimum=-9223372036854775808,maximum=9223372036854775806"`
		F     float64       `json:"f" jsonschema:"minimum=-90,maximum=90"`
		FOpen float64       `json:"fopen,omitempty" jsonschema:"exclusiveMinimum=0.1,exclusiveMaximum=0.3"`
		FFine float64       `json:"ffine,omitempty" jsonschema:"maximum=0.30000000000000004"`
		Cents float64       `json:"cents,omitempty" jsonschema:"multipleOf=0.01"`
		F32   float32       `json:"f32,omitempty" jsonschema:"maximum=0.1"`
		FAny  float64       `json:"fany,omitempty"`
		Num   json.Number   `json:"num,omitempty" jsonschema:"optional,minimum=1,maximum=3"`
		Pick  int           `json:"pick,omitempty" jsonschema:"enum=1,enum=20,enum=300"`
		FPick float64       `json:"fpick,omitempty" jsonschema:"enum=0.5,enum=1,enum=1.00000000000000001"`
		Only  int           `json:"only,omitempty" jsonschema:"const=7"`
		Wait  time.Duration `json:"wait,omitempty"`
	}
	corpusTexts struct {
		Short   string             `json:"short" jsonschema:"minLength=2,maxLength=4"`
		Pattern string             `json:"pattern,omitempty" jsonschema:"pattern=^[a-z]+$"`
		Choice  string             `json:"choice,omitempty" jsonschema:"enum=a,enum=bé,enum=c\"d"`
		Const   string             `json:"const,omitempty" jsonschema:"const=only"`
		Date    string             `json:"date,omitempty" jsonschema:"format=date-time"`
		Mail    string             `json:"mail,omitempty" jsonschema:"format=email"`
		URI     string             `json:"uri,omitempty" jsonschema:"format=uri"`
		UUID    string             `json:"uuid,omitempty" jsonschema:"format=uuid"`
		Regex   string             `json:"regex,omitempty" jsonschema:"format=regex"`
		Bytes   []byte             `json:"bytes,omitempty"`
		Time    time.Time          `json:"time,omitzero"`
		Addr    netip.Addr         `json:"addr,omitzero"`
		Color   color              `json:"color,omitempty" jsonschema:"enum=green"`
		Day     datetime.Date      `json:"day,omitzero" jsonschema:"minimum=2026-01-01"`
		Wait    *datetime.Duration `json:"wait,omitempty" jsonschema:"minimum=15m,exclusiveMaximum=8h"`
		Yes     bool               `json:"yes,omitempty" jsonschema:"const=true"`
		Quoted  int16              `json:"quoted,omitempty,string"`
		QUint   *uint              `json:"quint,omitempty,string"`
		QFloat  float64            `json:"qfloat,omitempty,string"`
		QBool   bool               `json:"qbool,omitempty,string"`
		Odd     string             `json:"naïve/name,omitempty"`
	}
	corpusContainers struct {
		Unique  []string           `json:"unique" jsonschema:"minItems=1,maxItems=12,uniqueItems"`
		Ints    []int              `json:"ints,omitempty" jsonschema:"uniqueItems,minimum=0"`
		Deep    [][][]float64      `json:"deep,omitempty"`
		Array   [3]uint8           `json:"array"`
		Set     [2]bool            `json:"set,omitzero" jsonschema:"uniqueItems"`
		Names   map[string]int     `json:"names,omitempty" jsonschema:"minProperties=1,maxProperties=3"`
		Numbers map[int8]string    `json:"numbers,omitempty"`
		Uints   map[uint16]*bool   `json:"uints,omitempty"`
		Texts   map[color][]string `json:"texts,omitempty"`
		Ptr     *int               `json:"ptr,omitempty" jsonschema:"nullable,minimum=3"`
		Opt     Optional[string]   `json:"opt" jsonschema:"minLength=2"`
		OptList Optional[[]int]    `json:"optlist,omitzero" jsonschema:"minItems=1,minimum=0"`
		OptAny  Optional[any]      `json:"optany"`
		NilList []int              `json:"nillist,omitempty" jsonschema:"nullable"`
		NilMap  map[string]string  `json:"nilmap,omitempty" jsonschema:"nullable"`
		Inner   struct {
			A string `json:"a,omitempty"`
			B []struct {
				C bool `json:"c"`
			} `json:"b,omitempty"`
		} `json:"inner"`
		*CorpusBelow
	}
	CorpusBelow struct {
		Below  string `json:"below,omitempty" jsonschema:"default=deep"`
		Second *int   `json:"second,omitempty" jsonschema:"nullable"`
	}
	corpusDefaults struct {
		Int    int            `json:"int" jsonschema:"default=3"`
		Text   string         `json:"text" jsonschema:"default=é\"x"`
		Float  float64        `json:"float" jsonschema:"default=-0.5"`
		Flag   bool           `json:"flag" jsonschema:"default=true"`
		List   []int          `json:"list" jsonschema:"default=1,default=2"`
		Ptr    *string        `json:"ptr" jsonschema:"default=x"`
		Map    map[string]int `json:"map" jsonschema:"default={\"a\":1}"`
		Bytes  []byte         `json:"bytes" jsonschema:"default=aGk="`
		When   time.Time      `json:"when" jsonschema:"default=2026-01-31T09:30:00Z"`
		Nested struct {
			N int `json:"n" jsonschema:"default=7"`
			M struct {
				O uint8 `json:"o" jsonschema:"default=8"`
			} `json:"m,omitzero"`
		} `json:"nested,omitzero"`
		Items []struct {
			N int `json:"n" jsonschema:"default=9"`
		} `json:"items,omitempty"`
	}
	corpusAny struct {
		Any  any              `json:"any"`
		Raw  json.RawMessage  `json:"raw"`
		Own  ownJSON          `json:"own,omitzero"`
		Map  map[string]any   `json:"map,omitempty"`
		List []any            `json:"list,omitempty" jsonschema:"maxItems=3"`
		Only any              `json:"only,omitempty" jsonschema:"enum=1,enum=\"x\",enum=null"`
		Ptrs []*ownJSON       `json:"ptrs,omitempty"`
		Rows []map[string]any `json:"rows,omitempty"`
	}
	corpusTree struct {
		Name string                 `json:"name"`
		Kids []corpusTree           `json:"kids,omitempty"`
		Next *corpusTree            `json:"next"`
		More map[string]*corpusTree `json:"more,omitempty"`
		Just *int                   `json:"just"`
	}
	corpusOpen struct {
		_ struct{} `jsonschema:"additionalProperties=true"`
		A int      `json:"a"`
		B string   `json:"b,omitempty"`
	}
	corpusWide struct {
		A0, A1, A2, A3, A4, A5, A6, A7, A8, A9 int `json:",omitempty"`
		B0, B1, B2, B3, B4, B5, B6, B7, B8, B9 *string
		C0, C1, C2, C3, C4, C5, C6, C7, C8, C9 []bool  `json:",omitempty"`
		D0, D1, D2, D3, D4, D5, D6, D7, D8, D9 string  `json:",omitempty"`
		E0, E1, E2, E3, E4, E5, E6, E7, E8, E9 float32 `json:",omitzero"`
		F0, F1, F2, F3, F4, F5, F6, F7, F8, F9 uint8   `json:",omitempty"`
		G0, G1, G2, G3, G4, G5, G6, G7, G8, G9 int64   `json:",omitempty"`
		Last                                   int
	}
	// corpusExpr is a recursive union.
	corpusExpr interface{ isExpr() }
	corpusLit  struct {
		Value float64 `json:"value" jsonschema:"maximum=10"`
	}
	corpusSum struct {
		Left  corpusExpr `json:"left"`
		Right corpusExpr `json:"right,omitempty"`
		Note  string     `json:"note" jsonschema:"default=none"`
	}
	corpusNone   struct{}
	corpusUnions struct {
		Expr  corpusExpr            `json:"expr"`
		Maybe corpusExpr            `json:"maybe" jsonschema:"nullable,optional"`
		Lamps []signal              `json:"lamps,omitempty" jsonschema:"maxItems=2"`
		Named map[string]corpusExpr `json:"named,omitempty"`
	}
	// corpusNulls has fields with methods, for which null is a value or means absent.
	corpusNulls struct {
		Must  ownJSON                 `json:"must"`
		May   ownJSON                 `json:"may,omitzero"`
		Given ownJSON                 `json:"given,omitzero" jsonschema:"default={\"n\":7}"`
		Null  corpusColumn            `json:"null,omitzero" jsonschema:"default={\"n\":7}"`
		List  []ownJSON               `json:"list,omitempty"`
		Named map[string]corpusColumn `json:"named,omitempty"`
	}
	// corpusColumn writes its zero value as null.
	corpusColumn struct {
		own   ownJSON
		valid bool
	}
	// corpusUnknown has a schema with a keyword that plans do not support.
	corpusUnknown struct{ A, B string }
)

func (c *corpusColumn) MarshalJSON() ([]byte, error) {
	if !c.valid {
		return []byte("null"), nil
	}
	return c.own.MarshalJSON()
}

func (c *corpusColumn) UnmarshalJSON(data []byte) error {
	c.valid = string(data) != "null"
	return c.own.UnmarshalJSON(data)
}

func (corpusLit) isExpr()  {}
func (*corpusSum) isExpr() {}
func (corpusNone) isExpr() {}

func init() {
	RegisterUnion("op", map[string]corpusExpr{"lit": corpusLit{}, "sum": (*corpusSum)(nil), "none": corpusNone{}})
}

// corpusSchema is a handwritten schema for values of any type.
const corpusSchema = `{"type":"object","properties":{
	"n":{"type":["integer","null"],"minimum":1,"maximum":9},
	"f":{"type":"number","exclusiveMinimum":-0.5,"multipleOf":0.5},
	"s":{"type":"string","maxLength":3},
	"e":{"enum":["a",1,2.5,null,true,[1]]},
	"l":{"type":"array","items":{"$ref":"#/$defs/item"},"minItems":1,"uniqueItems":true},
	"o":{"type":"object","properties":{"k":{"const":"v"}},"required":["k"],"additionalProperties":{"type":"boolean"},"propertyNames":{"maxLength":2}}},
	"required":["n"],"minProperties":2,"maxProperties":4,"additionalProperties":{"anyOf":[{"type":"string"},{"type":"null"}]},
	"$defs":{"item":{"type":"string","minLength":1}}}`

func (corpusUnknown) JSONSchemaExtend(s *jsonschema.Schema) {
	s.DependentRequired = map[string][]string{"A": {"B"}}
}

var corpusTypes = []reflect.Type{
	reflect.TypeFor[corpusIn](), reflect.TypeFor[corpusNumbers](), reflect.TypeFor[corpusTexts](), reflect.TypeFor[corpusContainers](),
	reflect.TypeFor[corpusDefaults](), reflect.TypeFor[corpusAny](), reflect.TypeFor[corpusTree](), reflect.TypeFor[corpusOpen](),
	reflect.TypeFor[corpusWide](), reflect.TypeFor[map[string]corpusTree](), reflect.TypeFor[[]float64](),
	reflect.TypeFor[any](), reflect.TypeFor[scalars](), reflect.TypeFor[containers](), reflect.TypeFor[corpusUnions](),
	reflect.TypeFor[corpusStated](), reflect.TypeFor[corpusExtra](), reflect.TypeFor[corpusNulls](),
}

// corpusExtra has a property in its schema without a field.
type corpusExtra struct {
	A     int           `json:"a"`
	Inner []corpusInner `json:"inner,omitempty"`
}

type corpusInner struct {
	B string `json:"b"`
}

func (corpusExtra) JSONSchemaExtend(s *jsonschema.Schema) { extend(s) }
func (corpusInner) JSONSchemaExtend(s *jsonschema.Schema) { extend(s) }

func extend(s *jsonschema.Schema) {
	s.Properties.Set("extra", &jsonschema.Schema{Type: "integer", Minimum: "3"})
}

// corpusKeywords returns a struct for each keyword of the tag that plans support.
func corpusKeywords(tb testing.TB) (types []*Type) {
	tb.Helper()
	fields := reflect.TypeFor[tagcase.Fields]()
	for i, c := range tagcase.Cases {
		t, err := Compile(reflect.StructOf([]reflect.StructField{fields.Field(i)}), DirectionInput)
		if err != nil {
			tb.Fatalf("%s: %v", c.Keyword, err)
		}
		if c.Slow == "" {
			types = append(types, t)
		}
	}
	return types
}

// corpus returns the types of the corpus in both directions, if they have a plan.
func corpus(tb testing.TB) []*Type {
	tb.Helper()
	var types []*Type
	for _, goType := range corpusTypes {
		for _, d := range []Direction{DirectionInput, DirectionOutput} {
			t, err := Compile(goType, d)
			if err != nil {
				tb.Fatalf("%v: %v", goType, err)
			}
			if t.plan() == nil {
				tb.Fatalf("%v has no plan: %s", goType, t.Schema().JSON())
			}
			types = append(types, t)
		}
	}
	return append(types, typeWith[map[string]any](tb, DirectionInput, corpusSchema), typeWith[any](tb, DirectionInput, corpusSchema), typeWith[json.RawMessage](tb, DirectionInput, corpusSchema))
}
