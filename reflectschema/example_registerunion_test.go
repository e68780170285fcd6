package reflectschema_test

import (
	"fmt"
	"reflect"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// A Target is where a backup goes.
type Target interface{ isTarget() }

type (
	Disk struct {
		Path string `json:"path"`
	}
	Bucket struct {
		Name   string `json:"name"`
		Region string `json:"region" jsonschema:"default=eu-west-1"`
	}
)

func (Disk) isTarget()   {}
func (Bucket) isTarget() {}

func init() {
	reflectschema.RegisterUnion("kind", map[string]Target{
		"disk":   Disk{},
		"bucket": Bucket{},
	})
}

type BackupIn struct {
	Target Target `json:"target" doc:"Where to put it"`
}

// The discriminator selects the type of the value in a field of an interface type.
func ExampleRegisterUnion() {
	compiled, err := reflectschema.Compile(reflect.TypeFor[BackupIn](), reflectschema.DirectionInput)
	if err != nil {
		fmt.Println(err)
		return
	}
	var in BackupIn
	dst := reflect.ValueOf(&in).Elem()
	for _, data := range []string{
		`{"target":{"kind":"bucket","name":"nightly"}}`,
		`{"target":{"kind":"bukket","name":"nightly"}}`,
		`{"target":{"kind":"disk","name":"nightly"}}`,
	} {
		if err := compiled.Decode([]byte(data), dst); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%#v\n", in.Target)
	}
	// Output:
	// reflectschema_test.Bucket{Name:"nightly", Region:"eu-west-1"}
	// target.kind: must be one of "bucket", "disk", got "bukket"; did you mean "bucket"?
	// Example: {"target":{"kind":"bucket","name":"text"}}
	// target.name: is not a known property; there are also "path"
	// target.path: is required but missing
	// Example: {"target":{"kind":"disk","path":"text"}}
}
