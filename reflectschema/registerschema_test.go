package reflectschema_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"net/mail"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// Decimal resembles a number type of another module: it has JSON and text methods, and ignores null, as encoding/json
// recommends.
type Decimal struct{ text string }

var decimalText = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

func (d Decimal) MarshalText() ([]byte, error) { return []byte(d.text), nil }

func (d *Decimal) UnmarshalText(text []byte) error {
	if !decimalText.Match(text) {
		return errors.New("bad decimal")
	}
	d.text = string(text)
	return nil
}

func (d Decimal) MarshalJSON() ([]byte, error) { return []byte(strconv.Quote(d.text)), nil }

func (d *Decimal) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	return d.UnmarshalText([]byte(strings.Trim(string(data), `"`)))
}

// Unstated is like Decimal, without a registration.
type Unstated struct{ Decimal }

func (u Unstated) MarshalJSON() ([]byte, error)     { return u.Decimal.MarshalJSON() }
func (u *Unstated) UnmarshalJSON(data []byte) error { return u.Decimal.UnmarshalJSON(data) }

// Optional writes its zero value as null.
type Optional struct{ n *int }

func (o Optional) MarshalJSON() ([]byte, error)  { return json.Marshal(o.n) }
func (o *Optional) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &o.n) }

type (
	// Status and Priority have a list of values.
	Status   string
	Priority int8
	// Grade is written as text.
	Grade int
	// Slug is a string of another module, without methods.
	Slug string
	// Pair2 is written as an array.
	Pair2 struct{ a, b int }
)

func (g Grade) MarshalText() ([]byte, error) {
	if g < 1 || g > 3 {
		return nil, errors.New("no such grade")
	}
	return []byte([]string{"low", "middle", "high"}[g-1]), nil
}

func (g *Grade) UnmarshalText(text []byte) error {
	for i, name := range []string{"low", "middle", "high"} {
		if name == string(text) {
			*g = Grade(i + 1)
			return nil
		}
	}
	return errors.New("no such grade")
}

func init() {
	reflectschema.RegisterSchema[Decimal](`{"type":"string","pattern":"^-?[0-9]+(\\.[0-9]+)?$"}`)
	reflectschema.RegisterSchema[Slug](`{"title":"Slug","type":"string","minLength":2,"maxLength":10,"pattern":"^[a-z]+$"}`)
	reflectschema.RegisterEnum[Status]("open", "closed", "in review")
	reflectschema.RegisterEnum[Priority](1, 2, 3)
	reflectschema.RegisterEnum[Grade](1, 2)
	reflectschema.RegisterCodec(`{"type":["string","null"]}`,
		func(s *sql.NullString) ([]byte, error) {
			if !s.Valid {
				return []byte("null"), nil
			}
			return json.Marshal(s.String)
		},
		func(data []byte, s *sql.NullString) error {
			s.Valid = string(data) != "null"
			return json.Unmarshal(data, &s.String)
		})
	reflectschema.RegisterCodec(`{"type":"string","format":"email"}`,
		func(a *mail.Address) ([]byte, error) { return json.Marshal(a.Address) },
		func(data []byte, a *mail.Address) error { return json.Unmarshal(data, &a.Address) })
	reflectschema.RegisterCodec(`{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2}`,
		func(p *Pair2) ([]byte, error) { return json.Marshal([]int{p.a, p.b}) },
		func(data []byte, p *Pair2) error {
			var list []int
			if err := json.Unmarshal(data, &list); err != nil {
				return err
			}
			if list[0] > list[1] { // the schema, checked first, requires two
				return errors.New("the first number is the greater")
			}
			p.a, p.b = list[0], list[1]
			return nil
		})
}

// registeredKinds has fields of registered types, with and without tags.
type registeredKinds struct {
	Price    Decimal              `json:"price,omitzero" jsonschema:"maxLength=6,example=1.50" doc:"In euros"`
	Was      *Decimal             `json:"was,omitempty" jsonschema:"nullable"`
	Prices   []Decimal            `json:"prices,omitempty" jsonschema:"minLength=2"`
	Slug     Slug                 `json:"slug,omitempty" jsonschema:"maxLength=5"`
	Status   Status               `json:"status,omitempty" jsonschema:"default=open"`
	Some     Status               `json:"some,omitempty" jsonschema:"enum=open,enum=closed"`
	All      []Status             `json:"all,omitempty" jsonschema:"uniqueItems"`
	Maybe    *Status              `json:"maybe,omitempty" jsonschema:"nullable"`
	Priority Priority             `json:"priority,omitempty"`
	Grade    Grade                `json:"grade,omitempty"`
	Name     sql.NullString       `json:"name,omitzero"`
	Mail     mail.Address         `json:"mail,omitzero"`
	Pair     Pair2                `json:"pair,omitzero" jsonschema:"default=[1\\,2]"`
	ByStatus map[Status]int       `json:"byStatus,omitempty"`
	ByPrio   map[Priority]int     `json:"byPrio,omitempty"`
	ByPrice  map[Decimal]int      `json:"byPrice,omitempty"`
	ByMail   map[mail.Address]int `json:"byMail,omitempty"`
}

// TestRegisteredSchemas checks the schemas of registered types, combined with the tags of the fields.
func TestRegisteredSchemas(t *testing.T) {
	t.Parallel()
	compiled, err := reflectschema.Compile(reflect.TypeFor[registeredKinds](), reflectschema.DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Properties map[string]json.RawMessage }
	if err := json.Unmarshal(compiled.Schema().JSON(), &doc); err != nil {
		t.Fatal(err)
	}
	const decimal = `^-?[0-9]+(\\.[0-9]+)?$`
	for name, want := range map[string]string{
		"price":    `{"description":"In euros","type":"string","pattern":"` + decimal + `","maxLength":6,"examples":["1.50"]}`,
		"was":      `{"type":["string","null"],"pattern":"` + decimal + `"}`,
		"prices":   `{"type":"array","items":{"type":"string","pattern":"` + decimal + `","minLength":2}}`,
		"slug":     `{"title":"Slug","type":"string","pattern":"^[a-z]+$","minLength":2,"maxLength":5}`,
		"status":   `{"type":"string","enum":["open","closed","in review"],"default":"open"}`,
		"some":     `{"type":"string","enum":["open","closed"]}`,
		"all":      `{"type":"array","items":{"type":"string","enum":["open","closed","in review"]},"uniqueItems":true}`,
		"maybe":    `{"type":["string","null"],"enum":["open","closed","in review",null]}`,
		"priority": `{"type":"integer","enum":[1,2,3]}`,
		"grade":    `{"type":"string","enum":["low","middle"]}`,
		"name":     `{"type":["string","null"]}`,
		"mail":     `{"type":"string","format":"email"}`,
		"pair":     `{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2,"default":[1,2]}`,
		"byStatus": `{"type":"object","properties":{},"additionalProperties":{"type":"integer"},"propertyNames":{"type":"string","enum":["open","closed","in review"]}}`,
		"byPrio":   `{"type":"object","properties":{},"additionalProperties":{"type":"integer"},"propertyNames":{"type":"string","enum":["1","2","3"]}}`,
		"byPrice":  `{"type":"object","properties":{},"additionalProperties":{"type":"integer"},"propertyNames":{"type":"string","pattern":"` + decimal + `"}}`,
		"byMail":   `{"type":"object","properties":{},"additionalProperties":{"type":"integer"},"propertyNames":{"type":"string","format":"email"}}`,
	} {
		if got := string(doc.Properties[name]); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
		}
	}
}

// TestRegisteredValues checks that schema, plan and decoder agree about values of registered types, and the error texts
// for invalid ones.
func TestRegisteredValues(t *testing.T) {
	t.Parallel()
	goType := reflect.TypeFor[registeredKinds]()
	in, err := reflectschema.Compile(goType, reflectschema.DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	out, err := reflectschema.Compile(goType, reflectschema.DirectionOutput)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ data, want string }{
		{`{"price":"1.50"}`, ""},
		{`{"price":1.5}`, "price: must be a string, got the number 1.5"},
		{`{"price":"1.5.0"}`, `price: must match the pattern`},
		{`{"price":"1234.567"}`, "price: must have at most 6 characters, got 8"},
		{`{"price":null}`, "price: must be a string, got null"},
		{`{"was":null}`, ""},
		{`{"prices":["10","2"]}`, "prices[1]: must have at least 2 characters, got 1"},
		{`{"slug":"abcdef"}`, "slug: must have at most 5 characters, got 6"},
		{`{"slug":"Abc"}`, "slug: must match the pattern ^[a-z]+$"},
		{`{"status":"opn"}`, `status: must be one of "open", "closed", "in review", got "opn"; did you mean "open"?`},
		{`{"some":"in review"}`, `some: must be one of "open", "closed"`},
		{`{"all":["open","shut"]}`, `all[1]: must be one of`},
		{`{"maybe":null,"grade":"low","priority":3,"mail":"a@b.cd","pair":[1,5]}`, ""},
		{`{"priority":4}`, "priority: must be one of 1, 2, 3, got 4"},
		{`{"grade":"high"}`, `grade: must be one of "low", "middle", got "high"`},
		{`{"name":null}`, ""},
		{`{"name":"x"}`, ""},
		{`{"name":7}`, "name: must be a string or null, got the number 7"},
		{`{"mail":"nobody"}`, "mail: must have the format email"},
		{`{"pair":[5,1]}`, "pair: must be a value that can be read (the first number is the greater)"},
		{`{"pair":[1]}`, "pair: must have at least 2 items, got 1"},
		{`{"byStatus":{"open":1,"closed":2},"byPrio":{"1":1},"byPrice":{"1.5":1},"byMail":{"a@b.cd":1}}`, ""},
		{`{"byStatus":{"opn":1}}`, `byStatus.opn: is not an allowed name: it must be one of "open", "closed", "in review"`},
		{`{"byPrio":{"4":1}}`, `byPrio["4"]: is not an allowed name: it must be one of "1", "2", "3"`},
		{`{"byPrice":{"x":1}}`, `byPrice.x: is not an allowed name: it must match the pattern`},
		{`{"byMail":{"x":1}}`, `byMail.x: is not an allowed name: it must have the format email`},
	} {
		v := reflect.New(goType).Elem()
		err := in.Decode([]byte(tt.data), v)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.data, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: got error %v, want %q", tt.data, err, tt.want)
		}
		if judged := in.Schema().Judge([]byte(tt.data)); !strings.Contains(tt.want, "can be read") && (judged == nil) != (err == nil) {
			t.Errorf("%s: authority = %v, Decode = %v", tt.data, judged, err)
		}
		if err != nil {
			continue
		}
		written, err := out.AppendEncode(nil, v)
		if err != nil {
			t.Errorf("%s: %v", tt.data, err)
		}
		again := reflect.New(goType).Elem()
		if err := in.Decode(written, again); err != nil || !reflect.DeepEqual(v.Interface(), again.Interface()) {
			t.Errorf("%s encodes to %s, which decodes to %+v, error %v", tt.data, written, again, err)
		}
	}
}

// Counted counts how often it is decoded.
type Counted struct{}

var readings atomic.Int32

func init() {
	reflectschema.RegisterCodec(`{"type":"integer"}`,
		func(*Counted) ([]byte, error) { return []byte("1"), nil },
		func([]byte, *Counted) error { readings.Add(1); return nil })
}

// TestRegisteredFirst checks that registered functions are called only with JSON that fits the schema, also if other
// parts of the data are invalid.
func TestRegisteredFirst(t *testing.T) {
	t.Parallel()
	type input struct {
		A Counted `json:"a"`
		B int     `json:"b"`
	}
	for data, want := range map[string]bool{`{"a":"x","b":1}`: false, `{"a":null,"b":"y"}`: false, `{"a":1.5,"b":1}`: false, `{"a":7,"b":"y"}`: true} {
		before := readings.Load()
		if _, err := decode[input](t, data); err == nil {
			t.Errorf("%s is accepted", data)
		}
		if called := readings.Load() > before; called != want {
			t.Errorf("%s: the function was called: %t, want %t", data, called, want)
		}
	}
}

// TestRegisteredDefaults checks that a default is decoded like a value.
func TestRegisteredDefaults(t *testing.T) {
	t.Parallel()
	got, err := decode[registeredKinds](t, `{}`)
	if err != nil || got.Status != "open" || got.Pair != (Pair2{1, 2}) {
		t.Errorf("got %+v, error %v", got, err)
	}
}

// TestRegisteredEncode checks that the JSON of a registered type is validated, wherever it occurs.
func TestRegisteredEncode(t *testing.T) {
	t.Parallel()
	type holds struct {
		Any any            `json:"any"`
		Map map[Status]int `json:"map"`
		S   Status         `json:"s"`
	}
	compiled, err := reflectschema.Compile(reflect.TypeFor[holds](), reflectschema.DirectionOutput)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		value holds
		want  string
	}{
		{holds{S: "open", Any: []any{Status("closed"), sql.NullString{}}}, ""},
		{holds{S: "shut"}, `s: must be one of "open"`},
		{holds{S: "open", Any: []any{Status("shut")}}, `any[0]: must be one of "open"`},
		{holds{S: "open", Any: map[Priority]int{9: 1}}, `is not an allowed name: it must be one of 1, 2, 3`},
		{holds{S: "open", Map: map[Status]int{"shut": 1}}, `map.shut: is not an allowed name: it must be one of "open"`},
	} {
		_, err := compiled.AppendEncode(nil, reflect.ValueOf(tt.value))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%+v: got error %v, want %q", tt.value, err, tt.want)
		}
	}
}

// TestRegisteredTags checks the errors for tags that conflict with a registered schema.
func TestRegisteredTags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		goType any
		tag    reflect.StructTag
		want   string
	}{
		{Slug(""), `jsonschema:"minLength=1"`, "the schema registered for reflectschema_test.Slug has minLength 2, which a tag cannot widen; stay within it, or drop the keyword"},
		{Slug(""), `jsonschema:"pattern=^x"`, "has a pattern already: \"^[a-z]+$\"; drop it"},
		{Slug(""), `jsonschema:"default=X"`, "the value does not fit the field: must "},
		{Slug(""), `json:",string"`, "has no effect on reflectschema_test.Slug, whose schema is registered"},
		{Status(""), `jsonschema:"enum=shut"`, `the value does not fit the field: must be one of "open"`},
		{Status(""), `jsonschema:"enumTitle=Open"`, "there are 1 titles for 3 values"},
		{Status(""), `jsonschema:"nullable"`, "make the field a pointer"},
		{Priority(0), `jsonschema:"default=9"`, "must be one of 1, 2, 3, got 9"},
		{Decimal{}, `jsonschema:"minimum=3"`, "minimum is for numbers"},
		{map[Pair2]int{}, ``, "the schema registered for reflectschema_test.Pair2 describes other values"},
		{map[sql.NullString]int{}, ``, "the schema registered for sql.NullString describes other values"},
		{Unstated{}, `jsonschema:"minLength=1"`, "the JSON that reflectschema_test.Unstated writes is unknown; register its schema with reflectschema.RegisterSchema, or drop it"},
		{Unstated{}, `jsonschema:"nullable"`, "make the field a pointer"},
	} {
		got := tagAnswer(t, tagCase{goType: tt.goType, tag: tt.tag}, reflectschema.DirectionInput)
		if !strings.HasPrefix(got, "refused: ") || !strings.Contains(got, tt.want) {
			t.Errorf("%T `%s`: got %s, want %q", tt.goType, tt.tag, got, tt.want)
		}
	}
}

// TestEnumForm checks that a type with listed values is a choice in a form.
func TestEnumForm(t *testing.T) {
	t.Parallel()
	type form struct {
		Status Status   `json:"status" jsonschema:"enumTitle=Open,enumTitle=Closed,enumTitle=Under review"`
		More   []Status `json:"more,omitempty"`
	}
	compiled, err := reflectschema.Compile(reflect.TypeFor[form](), reflectschema.DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	f, err := compiled.Form()
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.Schema(true)
	const want = `{"type":"object","properties":{"status":{"type":"string","oneOf":[{"const":"open","title":"Open"},{"const":"closed","title":"Closed"},{"const":"in review","title":"Under review"}]},"more":{"type":"array","items":{"type":"string","enum":["open","closed","in review"]}}},"required":["status"]}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, error %v", got, err)
	}
}
