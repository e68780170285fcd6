package mcptool

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// TestEveryTagOfMethods is TestEveryTagCounts for types that reflect cannot create.
func TestEveryTagOfMethods(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		with, without any
		word, field   string
	}{
		{"a field of a type with UnmarshalJSON", struct{ A opaqueTold }{}, struct{ A opaque }{}, "doc", "A"},
		{"a blank field of a type with UnmarshalJSON", struct{ A opaqueBlank }{}, struct{ A opaque }{}, "doc", "_"},
		{"an mcp tag of a type with UnmarshalJSON", struct{ A opaqueTool }{}, struct{ A opaque }{}, "mcp", "_"},
		{"a struct embedded in a type with UnmarshalJSON", struct{ A opaqueOuter }{}, struct{ A opaque }{}, "doc", "told.Word"},
		{"a field of a type with text methods", struct{ A textTold }{}, struct{ A text }{}, "doc", "A"},
		{"a key of a map", map[string]map[textTold]int{}, map[string]map[text]int{}, "doc", "A"},
		{"a blank field of a member of a union", struct{ A unionTold }{}, struct{ A unionPlain }{}, "doc", "_"},
		{"an mcp tag of a member of a union", struct{ A unionTool }{}, struct{ A unionPlain }{}, "mcp", "_"},
		{"an embedded interface of unexported type", struct {
			unionPlain `doc:"D"`
		}{}, struct{ unionPlain }{}, "doc", "unionPlain"},
		{"an embedded union", struct {
			Union `doc:"D"`
		}{}, struct{ Union }{}, "doc", "Union"},
		{"an embedded scalar of unexported type", struct {
			hiddenInt `doc:"D"`
		}{}, struct{ hiddenInt }{}, "doc", "hiddenInt"},
		{"an embedded struct of unexported type", struct{ told }{}, struct{ untold }{}, "doc", "_"},
		{"a tag on an embedded struct", struct {
			untold `doc:"D"`
		}{}, struct{ untold }{}, "doc", "untold"},
		{"a generic struct", genericTold[int]{}, generic[int]{}, "mcp", "_"},
		{"a generic struct, embedded", struct{ genericTold[int] }{}, struct{ generic[int] }{}, "mcp", "_"},
	} {
		for _, direction := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput} {
			judgeTag(t, fmt.Sprintf("%s, direction %d", test.name, direction), test.word, test.field,
				toolOf(t, reflect.TypeOf(test.with), direction), toolOf(t, reflect.TypeOf(test.without), direction))
		}
	}
}

type (
	opaque     struct{ A int }
	opaqueTold struct {
		A int `doc:"D"`
	}
	opaqueBlank struct {
		_ struct{} `doc:"D"`
		A int
	}
	opaqueTool struct {
		_ struct{} `mcp:"scopes=a"`
		A int
	}
	opaqueOuter struct{ told }
	text        struct{ A int }
	textTold    struct {
		A int `doc:"D"`
	}
	told struct {
		_    struct{} `doc:"D"`
		Word string   `doc:"D"`
	}
	untold struct {
		Word string `doc:"D"`
	}
	hiddenInt   int
	unionPlain  interface{ isPlain() }
	unionTold   interface{ isTold() }
	unionTool   interface{ isTool() }
	Union       = unionPlain
	memberPlain struct{ A int }
	memberTold  struct {
		_ struct{} `doc:"D"`
		A int
	}
	memberTool struct {
		_ struct{} `mcp:"scopes=a"`
		A int
	}
	generic[T any]     struct{ A T }
	genericTold[T any] struct {
		_ struct{} `mcp:"scopes=a"`
		A T
	}
)

func init() {
	reflectschema.RegisterUnion("type", map[string]unionPlain{"m": memberPlain{}})
	reflectschema.RegisterUnion("type", map[string]unionTold{"m": memberTold{}})
	reflectschema.RegisterUnion("type", map[string]unionTool{"m": memberTool{}})
}

func (memberPlain) isPlain()                     {}
func (memberTold) isTold()                       {}
func (memberTool) isTool()                       {}
func (opaque) MarshalJSON() ([]byte, error)      { return []byte("1"), nil }
func (opaqueTold) MarshalJSON() ([]byte, error)  { return []byte("1"), nil }
func (opaqueBlank) MarshalJSON() ([]byte, error) { return []byte("1"), nil }
func (opaqueTool) MarshalJSON() ([]byte, error)  { return []byte("1"), nil }
func (opaqueOuter) MarshalJSON() ([]byte, error) { return []byte("1"), nil }
func (*opaque) UnmarshalJSON([]byte) error       { return nil }
func (*opaqueTold) UnmarshalJSON([]byte) error   { return nil }
func (*opaqueBlank) UnmarshalJSON([]byte) error  { return nil }
func (*opaqueTool) UnmarshalJSON([]byte) error   { return nil }
func (*opaqueOuter) UnmarshalJSON([]byte) error  { return nil }
func (text) MarshalText() ([]byte, error)        { return []byte("1"), nil }
func (textTold) MarshalText() ([]byte, error)    { return []byte("1"), nil }
func (*text) UnmarshalText([]byte) error         { return nil }
func (*textTold) UnmarshalText([]byte) error     { return nil }
