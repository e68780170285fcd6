package reflectschema_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema"
)

type (
	// misreadFields is decoded by encoding/json inside UnmarshalJSON, as most methods do.
	misreadFields struct {
		misreadBase
		Qty   int8                      `json:"qty"`
		Small uint8                     `json:"small"`
		Ratio float32                   `json:"ratio"`
		Tags  []string                  `json:"tags"`
		Ints  []int                     `json:"ints"`
		Subs  []misreadSub              `json:"subs"`
		Table map[string]misreadSub     `json:"table"`
		Deep  struct{ Sub *misreadSub } `json:"deep"`
		Bytes []byte                    `json:"bytes"`
		Text  misreadText               `json:"text"`
		Own   misreadOwn                `json:"own"`
		Time  time.Time                 `json:"time"`
		Num   json.Number               `json:"num"`
		Dot   int                       `json:"a.b"`
	}
	misreadBase struct {
		Base bool `json:"base"`
	}
	misreadSub struct {
		Name string `json:"name"`
	}
	misreadText struct{ n int }
	misreadOwn  struct{ n int }

	// The types differ in how they handle the error.
	misreadBare    struct{ misreadFields }
	misreadWrapped struct{ misreadFields }
	misreadAfter   struct{ misreadFields }
	misreadPrinted struct{ misreadFields }
	misreadStrict  struct{ misreadFields }
	misreadInner   struct{ n int } // decodes the JSON in a string
	misreadDate    struct{ time.Time }
	misreadFailure struct{ n int } // returns an error by name

	panickingError struct{}
	misreadIn      struct {
		Bare    misreadBare    `json:"bare,omitzero"`
		Bares   []misreadBare  `json:"bares,omitempty"`
		Wrapped misreadWrapped `json:"wrapped,omitzero"`
		After   misreadAfter   `json:"after,omitzero"`
		Printed misreadPrinted `json:"printed,omitzero"`
		Strict  misreadStrict  `json:"strict,omitzero"`
		Inner   misreadInner   `json:"inner,omitzero"`
		Date    misreadDate    `json:"date,omitzero"`
		Level   misreadText    `json:"level,omitzero"`
		Failure misreadFailure `json:"failure,omitzero"`

		Levels map[misreadText]int `json:"levels,omitempty"`
	}
)

func (x *misreadText) UnmarshalText(text []byte) (err error) {
	if x.n, err = strconv.Atoi(string(text)); err != nil {
		return fmt.Errorf("invalid level: %w", err)
	}
	return nil
}

func (x *misreadOwn) UnmarshalJSON(data []byte) error {
	return &json.UnmarshalTypeError{Value: "string", Type: reflect.TypeFor[misreadOwn]()}
}

func (x *misreadBare) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &x.misreadFields)
}

func (x *misreadWrapped) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &x.misreadFields); err != nil {
		return fmt.Errorf("invalid line: %w", err)
	}
	return nil
}

func (x *misreadAfter) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &x.misreadFields); err != nil {
		return fmt.Errorf("%w; see the price list", err)
	}
	return nil
}

func (x *misreadPrinted) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &x.misreadFields); err != nil {
		return fmt.Errorf("invalid line: %v", err) //nolint:errorlint // tests %v
	}
	return nil
}

func (x *misreadStrict) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(&x.misreadFields)
}

func (x *misreadInner) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), &x.n)
}

func (x *misreadDate) UnmarshalJSON(data []byte) (err error) {
	x.Time, err = time.Parse(`"`+time.DateOnly+`"`, string(data))
	return err
}

func (panickingError) Error() string { panic("told to") }

func (x *misreadFailure) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case `"no type"`:
		return &json.UnmarshalTypeError{Value: "string"}
	case `"no value"`:
		return &json.UnmarshalTypeError{Type: reflect.TypeFor[int](), Field: "x"}
	case `"nil"`:
		return (*json.UnmarshalTypeError)(nil)
	case `"panic"`:
		return panickingError{}
	case `"empty"`:
		return errors.New("")
	case `"Go type"`:
		return fmt.Errorf("cannot read %T", *x)
	case `"joined"`:
		return errors.Join(errors.New("first"), &json.UnmarshalTypeError{Value: "number", Type: reflect.TypeFor[string]()})
	case `"atoi"`:
		return func() error { _, err := strconv.Atoi("x"); return err }()
	case `"long"`:
		return &json.UnmarshalTypeError{Value: "string", Type: reflect.TypeFor[int](), Field: strings.Repeat("n", 5000)}
	default:
		return errors.New("unknown case")
	}
}

// TestMisread compares the violations for errors of methods. The text names the expected type and the location, and no
// Go type.
func TestMisread(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ data, want, pointer, reason string }{
		{`{"bare":{"qty":"x"}}`, `bare.qty: must be an integer, got the string "x"`, "/bare/qty", "the violation is at the member"},
		{`{"bare":{"QTY":"x"}}`, `bare: must be a value that can be read (expected an integer in qty), got an object`, "/bare", "a member in another case is not searched"},
		{`{"bare":{"qty":300}}`, `bare.qty: must be an integer from -128 to 127, got the number 300`, "/bare/qty", "overflow"},
		{`{"bare":{"small":-1}}`, `bare.small: must be an integer from 0 to 255, got the number -1`, "/bare/small", "unsigned"},
		{`{"bare":{"qty":1.5}}`, `bare.qty: must be an integer, got the number 1.5`, "/bare/qty", "a fraction"},
		{`{"bare":{"qty":1e1}}`, `bare.qty: must be an integer from -128 to 127, got the number 1e1`, "/bare/qty", "encoding/json reads no exponent"},
		{`{"bare":{"ratio":1e300}}`, `bare.ratio: must be a number closer to 0, got the number 1e300`, "/bare/ratio", "float overflow"},
		{`{"bare":{"ratio":[]}}`, `bare.ratio: must be a number, got an array of 0 items`, "/bare/ratio", "an array"},
		{`{"bare":{"base":"yes"}}`, `bare.base: must be a boolean, got the string "yes"`, "/bare/base", "the path of encoding/json has the name of the embedded struct"},
		{`{"bare":{"tags":"a"}}`, `bare.tags: must be an array, got the string "a"`, "/bare/tags", "not an array"},
		{`{"bare":{"tags":["a",2]}}`, `bare.tags[1]: must be a string, got the number 2`, "/bare/tags/1", "an element"},
		{`{"bare":{"ints":[1,2.5,3]}}`, `bare.ints[1]: must be an integer, got the number 2.5`, "/bare/ints/1", "numbers are found by their text"},
		{`{"bare":{"subs":[{"name":"a"},{"name":{}}]}}`, `bare.subs[1].name: must be a string, got an object`, "/bare/subs/1/name", "a member of an element"},
		{`{"bare":{"subs":[{"name":"a"},7]}}`, `bare.subs[1]: must be an object, got the number 7`, "/bare/subs/1", "an element that is no object"},
		{`{"bare":{"deep":{"Sub":{"name":1}}}}`, `bare.deep.Sub.name: must be a string, got the number 1`, "/bare/deep/Sub/name", "below a pointer"},
		{`{"bare":{"table":{"k":{"name":1}}}}`, `bare: must be a value that can be read (expected a string in name), got an object`, "/bare", "the error does not name the member of a map"},
		{`{"bare":{"bytes":1}}`, `bare.bytes: must be a string, got the number 1`, "/bare/bytes", "bytes"},
		{`{"bare":{"text":1}}`, `bare.text: must be a string, got the number 1`, "/bare/text", "text methods"},
		{`{"bare":{"num":true}}`, `bare.num: must be a number, got true`, "/bare/num", "json.Number"},
		{`{"bare":{"a.b":"x"}}`, `bare: must be a value that can be read (expected an integer in b), got an object`, "/bare", "a name with a dot cannot be told from a path"},
		{`{"bare":{"own":"x"}}`, `bare.own: must be a value that can be read (unexpected value in own), got the string "x"`, "/bare/own", "the Go type has a method, so what it accepts is unknown"},
		{`{"bare":{"time":7}}`, `bare: must be a value that can be read (input is not a JSON string), got an object`, "/bare", "the name of the method of time.Time is dropped"},
		{`{"bare":7}`, `bare: must be an object, got the number 7`, "/bare", "the value itself"},
		{`{"bares":[{"qty":1},{"qty":"x"}]}`, `bares[1].qty: must be an integer, got the string "x"`, "/bares/1/qty", "below an element"},
		{`{"wrapped":{"qty":"x"}}`, `wrapped.qty: must be a value that can be read (invalid line: expected an integer in qty), got the string "x"`, "/wrapped/qty", "the words of the author are kept"},
		{`{"after":{"qty":300}}`, `after.qty: must be a value that can be read (expected an integer from -128 to 127 in qty; see the price list), got the number 300`, "/after/qty", "words behind the error"},
		{`{"printed":{"qty":"x"}}`, `printed: must be a value that can be read (invalid line), got an object`, "/printed", "an error that is not wrapped is cut"},
		{`{"strict":{"qtty":1}}`, `strict: must be a value that can be read (unknown field "qtty"), got an object`, "/strict", "an unknown field"},
		{`{"inner":"x"}`, `inner: must be a value that can be read (invalid character 'x' looking for beginning of value), got the string "x"`, "/inner", "a syntax error is about the text in the string"},
		{`{"inner":"true"}`, `inner: must be a value that can be read (expected an integer), got the string "true"`, "/inner", "a type error in that text is not a part of the value"},
		{`{"date":"2026-02-30"}`, `date: must be a value that can be read (parsing time "\"2026-02-30\"": day out of range), got the string "2026-02-30"`, "/date", "time.Parse"},
		{`{"level":"x"}`, `level: must be a value that can be read (invalid level: parsing "x": invalid syntax), got "x"`, "/level", "strconv"},
		{`{"levels":{"99999999999999999999":1}}`, `levels["99999999999999999999"]: is not an allowed name: it must be a value that can be read (invalid level: parsing "99999999999999999999": value out of range)`, "/levels/99999999999999999999", "a key"},
		{`{"failure":"no type"}`, `failure: must be a value that can be read (unexpected value), got the string "no type"`, "/failure", "the text of the error panics without a Go type"},
		{`{"failure":"no value"}`, `failure: must be a value that can be read (expected an integer in x), got the string "no value"`, "/failure", "an error that the author made"},
		{`{"failure":"nil"}`, `failure: must be a value that can be read (its method panicked), got the string "nil"`, "/failure", "a nil error"},
		{`{"failure":"panic"}`, `failure: must be a value that can be read (its method panicked), got the string "panic"`, "/failure", "Error panics"},
		{`{"failure":"empty"}`, `failure: must be a value that can be read, got the string "empty"`, "/failure", "no text"},
		{`{"failure":"Go type"}`, `failure: must be a value that can be read, got the string "Go type"`, "/failure", "the name of the Go type"},
		{`{"failure":"joined"}`, `failure: must be a value that can be read (first expected a string), got the string "joined"`, "/failure", "several errors"},
		{`{"failure":"atoi"}`, `failure: must be a value that can be read (parsing "x": invalid syntax), got the string "atoi"`, "/failure", "a bare error of strconv"},
		{`{"failure":"long"}`, `failure: must be a value that can be read (expected an integer in ` + strings.Repeat("n", 40) + `…), got the string "long"`, "/failure", "a long name is cut"},
	} {
		t.Run(tt.data, func(t *testing.T) {
			t.Parallel()
			_, err := decode[misreadIn](t, tt.data)
			invalid, ok := errors.AsType[*reflectschema.InvalidError](err)
			if !ok {
				t.Fatalf("got %v, want %s", err, tt.want)
			}
			line, _, _ := strings.Cut(err.Error(), "\n")
			if line != tt.want {
				t.Errorf("got  %s\nwant %s\n%s", line, tt.want, tt.reason)
			}
			if got := invalid.Violations[0].Pointer; got != tt.pointer || invalid.Total != 1 {
				t.Errorf("got the location %s of %d violations, want only %s", got, invalid.Total, tt.pointer)
			}
			for _, leak := range []string{"json:", "reflectschema", "misread", "Go value", "strconv", "int8"} {
				if strings.Contains(line, leak) {
					t.Errorf("the text contains %q: %s", leak, line)
				}
			}
		})
	}
}
