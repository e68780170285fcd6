package reflectschema_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// Byte types with listed values, with a codec, and without either.
type (
	volume    uint8
	hexDigit  uint8
	plainByte uint8
	gradeByte uint8 // has a JSONSchema method
)

func (gradeByte) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Enum: []any{1, 2}}
}

func init() {
	reflectschema.RegisterEnum[volume](1, 2)
	reflectschema.RegisterCodec(`{"type":"string","pattern":"^[0-9a-f]$"}`,
		func(d *hexDigit) ([]byte, error) { return json.Marshal(string("0123456789abcdef"[*d])) },
		func(data []byte, d *hexDigit) error {
			*d = hexDigit(strings.IndexByte("0123456789abcdef", data[1]))
			return nil
		})
}

// TestRegisteredBytes checks that a slice of a registered byte type is an array of its values. In base64, the
// registration would be ignored.
func TestRegisteredBytes(t *testing.T) {
	t.Parallel()
	type holds struct {
		Volumes []volume    `json:"volumes"`
		Digits  []hexDigit  `json:"digits"`
		Plain   []plainByte `json:"plain"`
	}
	const schema = `"properties":{"volumes":{"type":"array","items":{"type":"integer","enum":[1,2]}},` +
		`"digits":{"type":"array","items":{"type":"string","pattern":"^[0-9a-f]$"}},"plain":{"description":"Bytes in base64","type":"string","contentEncoding":"base64"}}`
	if got := answer(reflect.TypeFor[holds](), reflectschema.DirectionInput); !strings.Contains(got, schema) {
		t.Errorf("got %s\nwant %s", got, schema)
	}
	const data = `{"volumes":[2,1],"digits":["f"],"plain":"AQI="}`
	value := holds{[]volume{2, 1}, []hexDigit{15}, []plainByte{1, 2}}
	if got, err := decode[holds](t, data); err != nil || !reflect.DeepEqual(got, value) {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := reflectschema.AppendValue(nil, value); err != nil || string(got) != data {
		t.Errorf("got %s, %v", got, err)
	}
	for _, illegal := range []string{`{"volumes":[3],"digits":[],"plain":""}`, `{"volumes":"Aw==","digits":[],"plain":""}`} {
		if got, err := decode[holds](t, illegal); err == nil {
			t.Errorf("%s decodes to %+v", illegal, got)
		}
	}
	if _, err := reflectschema.AppendValue(nil, holds{Volumes: []volume{3}}); err == nil {
		t.Error("AppendEncode accepted a value that is not listed")
	}
	if got, err := decode[struct {
		Grades []gradeByte `json:"grades"`
	}](t, `{"grades":[1,3]}`); err == nil || !strings.Contains(err.Error(), "grades[1]: must be one of 1, 2") {
		t.Errorf("byte type with a JSONSchema method: %+v, %v", got, err)
	}
	if got := registrationPanic(t, func() { reflectschema.RegisterEnum[plainByte](1) }); !strings.Contains(got, "has been compiled already") {
		t.Errorf("registration after a slice of the type was compiled: %q", got)
	}
}
