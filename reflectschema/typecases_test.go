package reflectschema_test

import (
	"bytes"
	list2 "container/list"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"math"
	"math/big"
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"regexp/syntax"
	"strings"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/reflectschema/datetime"
)

// Types of the table.
type (
	Base    struct{ ID, Name string }
	hidden  struct{ H int }
	number  int
	State   string
	Names   []string
	Scores  map[string]int
	Blob    []byte
	Meeting struct {
		time.Time
		Room string
	}
	Stamp struct{ time.Time }
	Self  struct {
		*Self
		X int
	}
	Endless *Endless
	Lists   []Lists
	Anyone  any
	Dicts   map[string]Dicts
	Husband struct{ Wife *Wife }
	Wife    struct{ Husbands []Husband }
	Regexp  struct { // named like syntax.Regexp
		Sub  []Regexp
		Text string
	}
	List[T any] struct {
		Value T
		Next  *List[T]
	}
	Pair[A, B any] struct {
		First  A
		Second B
	}
)

// Level is an integer that is encoded as its name.
type Level int

func (l Level) MarshalText() ([]byte, error) {
	if l != 1 && l != 2 {
		return nil, fmt.Errorf("no level %d", int(l))
	}
	return []byte([]string{"low", "high"}[l-1]), nil
}

func (l *Level) UnmarshalText(text []byte) error {
	i := strings.Index("low high", string(text))
	if i < 0 || len(text) < 3 {
		return errors.New("no such level")
	}
	*l = Level(1 + i/4)
	return nil
}

// ID is an array that is encoded as hexadecimal digits, like a UUID.
type ID [2]byte

func (id ID) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%04x", id[:]), nil }
func (id *ID) UnmarshalText(text []byte) error {
	if len(text) != 4 {
		return errors.New("want 4 digits")
	}
	_, err := fmt.Sscanf(string(text), "%02x%02x", &id[0], &id[1])
	return err
}

// Angle is zero if it is a multiple of 360.
type Angle int

func (a Angle) IsZero() bool { return a%360 == 0 }

// Point is encoded as [x,y].
type Point struct{ X, Y int }

func (p *Point) MarshalJSON() ([]byte, error) { return json.Marshal([2]int{p.X, p.Y}) }
func (p *Point) UnmarshalJSON(data []byte) error {
	var xy [2]int
	if err := json.Unmarshal(data, &xy); err != nil {
		return err
	}
	p.X, p.Y = xy[0], xy[1]
	return nil
}

// Message resembles a generated protobuf message.
type Message struct {
	state   int
	Seconds int64 `json:"seconds,omitempty"`
}

func (m *Message) ProtoReflect() any { return m.state }

// JSONMessage is a Message with JSON methods.
type JSONMessage struct{ Message }

func (JSONMessage) ProtoReflect() any                { return nil }
func (JSONMessage) MarshalJSON() ([]byte, error)     { return []byte(`"5s"`), nil }
func (*JSONMessage) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, new(string)) }

// Celsius can only be encoded.
type Celsius float64

func (c Celsius) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `"%g C"`, float64(c)), nil }

// Word can only be decoded.
type Word string

func (w *Word) UnmarshalText(text []byte) error { *w = Word(bytes.ToLower(text)); return nil }

// Lower is a string that is decoded to lower case.
type Lower string

func (l Lower) MarshalText() ([]byte, error)     { return []byte(l), nil }
func (l *Lower) UnmarshalText(text []byte) error { *l = Lower(bytes.ToLower(text)); return nil }

// Weekday has a JSONSchema method with its values.
type Weekday string

func (Weekday) JSONSchema() *jsonschema.Schema { return weekdays }

var weekdays = &jsonschema.Schema{Type: "string", Enum: []any{"Monday", "Friday"}}

// Even has a schema method on the pointer.
type Even struct {
	N int `json:"n"`
}

func (*Even) JSONSchemaExtend(s *jsonschema.Schema) {
	if n, ok := s.Properties.Get("n"); ok {
		n.MultipleOf = "2"
	}
}

// Outer promotes the schema method of Even, which does not describe its own field.
type Outer struct {
	Even
	Unit Weekday `json:"unit" doc:"When"`
}

// Types with schema methods that fail.
type (
	Panics     struct{}
	ReturnsNil struct{}
	Nonsense   struct{}
	Unlinked   struct{}
)

func (Panics) JSONSchema() *jsonschema.Schema     { panic("not now") }
func (ReturnsNil) JSONSchema() *jsonschema.Schema { return nil }
func (Nonsense) JSONSchema() *jsonschema.Schema   { return &jsonschema.Schema{Type: "strange"} }
func (Unlinked) JSONSchema() *jsonschema.Schema   { return &jsonschema.Schema{Ref: "#/$defs/Nowhere"} }

var (
	seven    = 7
	pointer  = &seven
	noon     = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	bigOne   = func() *big.Int { n, _ := new(big.Int).SetString("123456789012345678901234567890", 10); return n }
	selfLoop = Self{Self: &Self{X: 2}, X: 1}
)

// typeCases are the kinds of types, each with values that must survive a round trip if the type is allowed.
var typeCases = []typeCase{
	{"bool", "a scalar", []any{true, false}},
	{"int", "64 bits need no limits in a schema", []any{0, -1, math.MaxInt64}},
	{"small ints", "the decoder refuses what does not fit, so the schema says the range", []any{struct {
		A int8
		B int16
		C int32
	}{-128, 1, math.MaxInt32}}},
	{"uint", "never below zero", []any{uint(0), uint(math.MaxUint64)}},
	{"small uints", "the decoder refuses what does not fit, so the schema says the range", []any{struct {
		A uint8
		B uint16
		C uint32
		D uint64
	}{255, 1, 2, math.MaxUint64}}},
	{"floats", "a number, of either size", []any{struct {
		A float32
		B float64
	}{1.5, -1e300}}},
	{"string", "a scalar", []any{"", "é\n\"<>&"}},
	{"named scalars", "the name makes no difference", []any{struct {
		S State
		N number
	}{"open", 3}}},
	{"pointer", "an input leaves it out, an output writes null", []any{struct{ P *int }{nil}, struct{ P *int }{pointer}}},
	{"pointer to pointer", "as a pointer, and null even with omitempty", []any{struct {
		P **int `json:",omitempty"`
	}{&pointer}}},
	{"pointer omitempty", "left out instead of null", []any{struct {
		P *int `json:",omitempty"`
	}{nil}, struct {
		P *int `json:",omitempty"`
	}{pointer}}},
	{"root pointer", "what it points at: a result must be an object", []any{&Base{"1", "a"}}},
	{"slice", "nil is [], not null", []any{[]string{"a"}, []string{}}},
	{"slice of pointers", "an output may hold null", []any{[]*int{pointer}}},
	{"slice of slices", "an array of arrays", []any{[][]int{{1}, {2, 3}}}},
	{"named slice", "keeps the constraints of the tag", []any{struct {
		N Names `jsonschema:"minItems=1"`
	}{Names{"a"}}}},
	{"map", "nil is {}, not null", []any{map[string]int{"a": 1}, map[string]int{}}},
	{"named map", "keeps the constraints of the tag", []any{struct {
		S Scores `jsonschema:"minProperties=1"`
	}{Scores{"a": 1}}}},
	{"bytes", "base64 in a string", []any{[]byte{0, 255}, []byte{}}},
	{"named bytes", "base64 as well", []any{struct{ B Blob }{Blob{1}}}},
	{"array of bytes", "numbers, as encoding/json has it", []any{[4]byte{1, 2, 3, 4}}},
	{"array", "exactly so many", []any{[3]int{1, 2, 3}}},
	{"RawMessage", "any JSON", []any{struct{ R json.RawMessage }{json.RawMessage(`{"a":[1]}`)}}},
	{"Number", "a number, not the string that Go has", []any{json.Number("12345678901234567890.5")}},
	{"Time", "RFC 3339", []any{noon}},
	{"Time omitzero", "left out when zero", []any{struct {
		T time.Time `json:",omitzero"`
	}{}, struct {
		T time.Time `json:",omitzero"`
	}{noon}}},
	{"Duration", "nanoseconds, and the schema says so", []any{time.Second}},
	{"Date and Duration", "text, with the bounds in the description", []any{struct {
		D datetime.Date       `jsonschema:"minimum=2026-01-01"`
		W datetime.Duration   `jsonschema:"minimum=15m,maximum=8h" doc:"How long"`
		L []datetime.Duration `jsonschema:"exclusiveMinimum=0s"`
		M map[datetime.Duration]int
		K map[datetime.Date]int
		A netip.Addr `jsonschema:"maximum=10.0.0.255"`
	}{
		datetime.Date{Year: 2026, Month: 1, Day: 31},
		datetime.Duration(90 * time.Minute),
		[]datetime.Duration{1},
		map[datetime.Duration]int{0: 1},
		map[datetime.Date]int{{Year: 1, Month: 1, Day: 1}: 1},
		netip.MustParseAddr("10.0.0.255"),
	}}},
	{"big.Int", "a number, not an object without properties", []any{struct {
		P *big.Int
		N big.Int
	}{bigOne(), *bigOne()}}},
	{"big.Float and big.Rat", "text in a string", []any{struct {
		F *big.Float
		R *big.Rat
	}{big.NewFloat(1.5), big.NewRat(1, 3)}}},
	{"quoted int", "a string of digits, and abc is none", []any{struct {
		N int   `json:",string"`
		U uint8 `json:",string"`
	}{-5, 7}}},
	{"quoted bool and float", "a string", []any{struct {
		B bool    `json:",string"`
		F float64 `json:",string"`
	}{true, 1.5}}},
	{"quoted pointer", "a string, or nothing", []any{struct {
		P *int `json:",string"`
	}{pointer}}},
	{"quoted string", "JSON in a string", []any{struct {
		S string `json:",string"`
	}{}}},
	{"omitempty and omitzero", "both optional", []any{struct {
		A int    `json:"a,omitempty"`
		B string `json:"b,omitzero"`
	}{}, struct {
		A int    `json:"a,omitempty"`
		B string `json:"b,omitzero"`
	}{1, "x"}}},
	{"embedded", "flattened", []any{struct {
		Base
		Z int
	}{Base{"1", "a"}, 2}}},
	{"embedded pointer", "nothing of it while it is nil", []any{struct {
		*Base
		Z int
	}{&Base{"1", "a"}, 2}, struct {
		*Base
		Z int
	}{nil, 2}}},
	{"embedded with a name", "a member of its own", []any{struct {
		Base `json:"base"`
	}{Base{"1", "a"}}}},
	{"shadowing before", "the outer field wins", []any{struct {
		ID int
		Base
	}{7, Base{"1", "a"}}}},
	{"shadowing after", "the outer field wins", []any{struct {
		Base
		ID int
	}{Base{"", "a"}, 7}}},
	{"embedded pointer with a hook", "a hook is for its own type, also behind nil", []any{struct {
		*Even
		Z int
	}{nil, 1}}},
	{"embedded generic", "flattened like any other", []any{struct {
		Pair[int, string]
	}{Pair[int, string]{1, "a"}}}},
	{"embedded any", "a member called like its type", []any{struct{ Anyone }{1.5}}},
	{"embedded twice, deeper loses", "the shallowest field wins", []any{struct {
		Base
		Deep
	}{Base{"1", "a"}, Deep{Other2{ID: 2}, 3}}}},
	{"omitzero with IsZero", "the type says what zero is", []any{struct {
		A Angle `json:",omitzero"`
	}{90}, struct {
		A Angle `json:",omitzero"`
	}{0}}},
	{"embedded clash", "encoding/json drops both: refused in a struct of the author's own", []any{struct {
		Base
		Even
		Other
	}{}}},
	{"one name twice", "encoding/json drops both: refused in a struct of the author's own", []any{tagged(`json:"x"`, `json:"x"`)}},
	{"embedded unexported struct", "its exported fields count", []any{struct{ hidden }{hidden{4}}}},
	{"embedded pointer to unexported struct", "can be written, but not made when reading", []any{struct{ *hidden }{&hidden{4}}}},
	{"embedded unexported scalar", "not in the JSON", []any{struct {
		number
		A int
	}{0, 1}}},
	{"embedded Time with more", "the whole struct is the time: refused in a struct of the author's own", []any{Meeting{}}},
	{"embedded Time alone", "whatever its methods write", []any{struct{ S Stamp }{Stamp{noon}}}},
	{"embedded interface", "a member like its type, refused as an argument", []any{struct{ fmt.Stringer }{}}},
	{"map of ints", "negative keys are legal", []any{map[int]string{-1: "a", 10: "b"}}},
	{"map of small uints", "digits; the range is the decoder's", []any{map[uint8]string{200: "a"}}},
	{"map of uints", "no minus", []any{map[uint64]bool{math.MaxUint64: true}}},
	{"map of texts that are strings", "read by their method, written as they are", []any{map[Lower]int{"a": 1}}},
	{"map of text structs", "an address is a name", []any{map[netip.Addr]int{netip.MustParseAddr("::1"): 1}}},
	{"maps of maps of slices", "each level is described", []any{map[string]map[int][]string{"a": {1: {"b"}}}}},
	{"map of keys that describe themselves", "what the type says rules the names", []any{map[keyEnum]int{"open": 1}}},
	{"map of integers that describe themselves", "a range becomes the list of names", []any{map[keyMonth]int{2: 1}}},
	{"map of texts", "keys by their text", []any{map[Level]int{1: 5}}},
	{"map of bools or floats", "no JSON name: refused", []any{struct {
		B map[bool]int
		F map[float64]int
	}{}}},
	{"any", "anything, and {} instead of true", []any{struct {
		A any
		M map[string]any
	}{[]any{1.5, "x", nil}, map[string]any{"k": true}}}},
	{"interface with methods", "no way to know the type when reading", []any{struct {
		E error
		M map[string]fmt.Stringer
	}{M: map[string]fmt.Stringer{}}}},
	{"recursive struct", "a definition, and references to it", []any{tree{Name: "a", Kids: []tree{{Name: "b", Kids: []tree{}}}, ByName: map[string]*tree{}}}},
	{"recursive slice", "a definition that is an array", []any{Lists{{}, {{}}}}},
	{"recursive map", "a definition that is a map", []any{Dicts{"a": {"b": {}}}}},
	{"recursive pair of structs", "both are definitions", []any{Husband{&Wife{[]Husband{}}}}},
	{"recursive generic", "the name is readable, and a legal reference", []any{List[Pair[string, Base]]{Value: Pair[string, Base]{"k", Base{}}}}},
	{"recursive, one name in two packages", "each has its own definition", []any{struct {
		Ours   Regexp
		Theirs syntax.Regexp
	}{Ours: Regexp{Sub: []Regexp{}}, Theirs: syntax.Regexp{Sub: []*syntax.Regexp{}, Rune: []rune{}}}}},
	{"struct embedding itself", "ends where it starts", []any{selfLoop}},
	{"pointer to itself", "there is nothing to write: refused", []any{Endless(nil)}},
	{"generic", "written out in place", []any{Pair[int, List2]{1, List2{2}}}},
	{"text types", "a string each", []any{struct {
		A netip.Addr
		B net.IP
		C Level
	}{netip.MustParseAddr("::1"), net.ParseIP("10.0.0.1"), 2}}},
	{"text array", "a string, not an array of numbers", []any{struct{ I ID }{ID{1, 255}}}},
	{"more text types", "ports, networks, pointers to them", []any{struct {
		A netip.AddrPort
		P netip.Prefix
		O *netip.Addr `json:",omitempty"`
	}{netip.MustParseAddrPort("[::1]:80"), netip.MustParsePrefix("10.0.0.0/8"), nil}}},
	{"url.URL", "an object of eleven fields: refused in a struct of the author's own", []any{struct{ U *url.URL }{}}},
	{"nullable columns", "an object with Valid: refused in a struct of the author's own", []any{struct {
		S sql.NullInt64
		N sql.Null[int]
		T *sql.NullTime
	}{}}},
	{"protobuf message", "its Go fields are not its JSON: refused", []any{struct{ M *Message }{}}},
	{"protobuf message with JSON methods", "somebody gave it the right ones", []any{struct{ M JSONMessage }{}}},
	{"net types in base64", "not in their usual form: refused in a struct of the author's own", []any{struct {
		N net.IPNet
		M net.IPMask
	}{net.IPNet{Mask: net.IPMask{}}, net.IPMask{}}}},
	{"structs of others", "fields without tags are described; containers and reflect.Value lose their content", []any{struct {
		P image.Point
		L *list2.Element
		V reflect.Value
	}{}}},
	{"JSON methods", "anything; on the pointer as well", []any{struct{ P Point }{Point{1, 2}}}},
	{"half a pair", "the Go kind is used in the other direction", []any{struct {
		C Celsius
		W Word
	}{}}},
	{"anonymous struct", "written out in place", []any{struct{ A struct{ B int } }{struct{ B int }{1}}}},
	{"no JSON", "chan, func, complex, uintptr: all of them told", []any{struct {
		A chan int
		B func()
		C map[string][]complex128
		D uintptr
	}{}}},
	{"names", "- is a name, left out is left out, a quote cannot be one", []any{tagged(`json:"-,"`, `json:"-"`, `json:"bad\"name"`, `json:"a,omitEmpty"`)}},
	{"hooks", "on value or pointer, not promoted, on a fresh schema; a bad one is an error", []any{struct {
		W1 Weekday `doc:"first"`
		W2 Weekday
		E  Even
		O  Outer
	}{"Monday", "Friday", Even{2}, Outer{Even{3}, "Friday"}}}},
}

type (
	// Other clashes with Base.
	Other struct{ ID int }
	// Other2 is embedded one level below Base.
	Other2 struct{ ID int }
	// Deep embeds it.
	Deep struct {
		Other2
		X int
	}
	// List2 is a type argument.
	List2 struct{ N int }
)
