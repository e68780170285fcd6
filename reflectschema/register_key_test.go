package reflectschema_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// Key types with a registered schema.
type (
	codecKey   struct{ text string } // the type of its schema is a list
	spelledKey int                   // an enum with a number in another spelling
	rangeKey   int                   // a range
	openKey    int                   // a half-open range
	smallKey   int8                  // a schema that allows every value
	upperKey   string                // its text methods use upper case
	schemaKey  string                // the same, without listed values
	strictKey  string                // encoded unchanged, by a method
	shiftedKey int                   // encoded as the next number
)

func (k upperKey) MarshalText() ([]byte, error) { return []byte(strings.ToUpper(string(k))), nil }
func (k *upperKey) UnmarshalText(text []byte) error {
	*k = upperKey(strings.ToLower(string(text)))
	return nil
}
func (k schemaKey) MarshalText() ([]byte, error)     { return upperKey(k).MarshalText() }
func (k *schemaKey) UnmarshalText(text []byte) error { return (*upperKey)(k).UnmarshalText(text) }
func (k strictKey) MarshalJSON() ([]byte, error)     { return json.Marshal(string(k)) }
func (k *strictKey) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, (*string)(k)) }
func (k shiftedKey) MarshalJSON() ([]byte, error)    { return json.Marshal(int(k) + 1) }
func (k *shiftedKey) UnmarshalJSON(data []byte) error {
	err := json.Unmarshal(data, (*int)(k))
	*k--
	return err
}

func init() {
	reflectschema.RegisterCodec(`{"type":["string"],"minLength":2}`,
		func(k *codecKey) ([]byte, error) { return json.Marshal(k.text) },
		func(data []byte, k *codecKey) error { return json.Unmarshal(data, &k.text) })
	reflectschema.RegisterSchema[spelledKey](`{"type":"integer","enum":[1.0,2]}`)
	reflectschema.RegisterSchema[rangeKey](`{"type":"integer","minimum":1,"maximum":3}`)
	reflectschema.RegisterSchema[openKey](`{"type":"integer","minimum":1}`)
	reflectschema.RegisterSchema[smallKey](`{"type":"integer","description":"Small"}`)
	reflectschema.RegisterEnum[upperKey]("open", "shut")
	reflectschema.RegisterSchema[schemaKey](`{"type":"string","pattern":"^[A-Z]+$"}`)
	reflectschema.RegisterEnum[strictKey]("open", "shut")
	reflectschema.RegisterEnum[shiftedKey](1, 2)
}

// TestRegisteredKeys checks that the schema of names matches the encoded and decoded keys, or that the type is refused.
func TestRegisteredKeys(t *testing.T) {
	t.Parallel()
	all := []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput, reflectschema.DirectionStored}
	for _, tt := range []struct {
		name, names    string // the schema of the names, or the reason for a refusal
		value          any    // with one valid key
		legal, illegal string
		directions     []reflectschema.Direction
	}{
		{"a list of one type", `{"type":"string","minLength":2}`, map[codecKey]int{{"ab"}: 1}, "ab", "a", all},
		{"spelling", `{"type":"string","enum":["1","2"]}`, map[spelledKey]int{1: 1}, "1", "1.0", all},
		{"range", `{"type":"string","enum":["1","2","3"]}`, map[rangeKey]int{3: 1}, "3", "9", all},
		{"annotation", `{"description":"Small","type":"string","pattern":"^-?(0|[1-9][0-9]*)$"}`, map[smallKey]int{-3: 1}, "-3", "03", all},
		{"open range", "restricts numbers in a way that is not possible for texts", map[openKey]int{}, "", "", all},
		{"text that is read", `{"type":"string","enum":["OPEN","SHUT"]}`, map[upperKey]int{"open": 1}, "OPEN", "open", all[:1]},
		{"text that is not written", `the key "open" would be written for the value "OPEN"`, map[upperKey]int{}, "", "", all[1:]},
		{"text of unknown values", "the keys are written as the Go string, and the schema registered for reflectschema_test.schemaKey", map[schemaKey]int{}, "", "", all[1:]},
		{"method that writes the same", `{"type":"string","enum":["open","shut"]}`, map[strictKey]int{"open": 1}, "open", "OPEN", all},
		{"method that writes other numbers", `the key "1" would be written for the value "2"`, map[shiftedKey]int{}, "", "", all},
	} {
		goType := reflect.TypeOf(tt.value)
		for _, direction := range tt.directions {
			typ, err := reflectschema.Compile(goType, direction)
			if tt.legal == "" {
				if err == nil || !strings.Contains(err.Error(), tt.names) {
					t.Errorf("%s, direction %d: got error %v, want %q", tt.name, direction, err, tt.names)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s, direction %d: %v", tt.name, direction, err)
				continue
			}
			if got := string(typ.Schema().JSON()); !strings.HasSuffix(got, `"propertyNames":`+tt.names+`}`) {
				t.Errorf("%s, direction %d: schema = %s, want %s", tt.name, direction, got, tt.names)
			}
			legal, illegal, got := `{"`+tt.legal+`":1}`, `{"`+tt.illegal+`":1}`, reflect.New(goType).Elem()
			if err := typ.Decode([]byte(legal), got); err != nil || !reflect.DeepEqual(got.Interface(), tt.value) {
				t.Errorf("%s, direction %d: %s is %v, %v", tt.name, direction, legal, got, err)
			}
			if err := typ.Decode([]byte(illegal), got); err == nil || typ.Schema().Judge([]byte(illegal)) == nil {
				t.Errorf("%s, direction %d: %s: Decode = %v, authority = %v", tt.name, direction, illegal, err, typ.Schema().Judge([]byte(illegal)))
			}
			if direction == reflectschema.DirectionInput {
				continue
			}
			if out, err := typ.AppendEncode(nil, reflect.ValueOf(tt.value)); err != nil || string(out) != legal {
				t.Errorf("%s, direction %d: encoded as %s, %v", tt.name, direction, out, err)
			}
		}
	}
}
