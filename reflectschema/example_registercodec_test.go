package reflectschema_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// A Pause is a duration that models write as text, such as 1h30m. Registering
// time.Duration itself would do this for all durations of a program.
type Pause time.Duration

func init() {
	reflectschema.RegisterCodec(`{"type":"string","description":"Such as 90s or 1h30m","examples":["1h30m"]}`,
		func(p *Pause) ([]byte, error) { return json.Marshal(time.Duration(*p).String()) },
		func(data []byte, p *Pause) error {
			var text string
			if err := json.Unmarshal(data, &text); err != nil {
				return err
			}
			d, err := time.ParseDuration(text)
			if err != nil {
				return fmt.Errorf("%q is not like 90s or 1h30m", text)
			}
			*p = Pause(d)
			return nil
		})
}

type SleepIn struct {
	Pause Pause `json:"pause" jsonschema:"default=90s"`
}

// A type is read and written by functions that are registered for it.
func ExampleRegisterCodec() {
	compiled, err := reflectschema.Compile(reflect.TypeFor[SleepIn](), reflectschema.DirectionInput)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, data := range []string{`{}`, `{"pause":"1h30m"}`, `{"pause":"soon"}`, `{"pause":90}`} {
		var in SleepIn
		if err := compiled.Decode([]byte(data), reflect.ValueOf(&in).Elem()); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(time.Duration(in.Pause))
	}
	// Output:
	// 1m30s
	// 1h30m0s
	// pause: must be a value that can be read ("soon" is not like 90s or 1h30m), got the string "soon"
	// Example: {"pause":"1h30m"}
	// pause: must be a string, got the number 90
	// Example: {"pause":"1h30m"}
}
