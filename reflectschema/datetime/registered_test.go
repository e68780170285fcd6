package datetime_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema"
)

func init() {
	reflectschema.RegisterCodec(`{"type":"string"}`,
		func(d *time.Duration) ([]byte, error) { return json.Marshal(d.String()) },
		func(data []byte, d *time.Duration) error { *d = time.Duration(len(data)); return nil })
}

// TestBoundOfRegistered checks that the error for a bound of a time.Duration that is registered as text names Duration.
func TestBoundOfRegistered(t *testing.T) {
	t.Parallel()
	_, err := reflectschema.Compile(reflect.TypeFor[struct {
		A time.Duration `jsonschema:"minimum=15m"`
	}](), reflectschema.DirectionInput)
	const want = "struct{…}.A (A): `minimum=15m`: minimum is for numbers, and for types with text methods and a method Compare, which time.Duration lacks; use Duration of package reflectschema/datetime, which is text and has bounds"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
