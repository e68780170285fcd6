package reflectschema_test

import (
	"fmt"
	"net/netip"
	"reflect"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// Imagine that these types are in a package that you cannot change.
type (
	// A Block is a part of a message. There are many types of blocks.
	Block interface{ BlockType() string }

	TextBlock struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}

	// A Route has a method to write its JSON, but none to read it.
	Route struct {
		To  netip.Prefix
		Via netip.Addr
	}
)

func (TextBlock) BlockType() string { return "text" }

func (r Route) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%q", r.To.String()+" via "+r.Via.String()), nil
}

func init() {
	reflectschema.RegisterJSON[Block](`{}`)
	reflectschema.RegisterJSON[Route](`{"type":"string"}`)
}

type MessageOut struct {
	Blocks []Block `json:"blocks"`
	Route  Route   `json:"route"`
}

// Types of other packages are written as encoding/json writes them, with the schema that the registration states.
func ExampleRegisterJSON() {
	compiled, err := reflectschema.Compile(reflect.TypeFor[MessageOut](), reflectschema.DirectionOutput)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(compiled.Schema())
	out, err := compiled.AppendEncode(nil, reflect.ValueOf(MessageOut{
		Blocks: []Block{TextBlock{Type: "text", Text: "Hello"}},
		Route:  Route{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParseAddr("192.0.2.1")},
	}))
	fmt.Println(string(out), err)
	// Output:
	// {"type":"object","properties":{"blocks":{"type":"array","items":{}},"route":{"type":"string"}},"required":["blocks","route"],"additionalProperties":false}
	// {"blocks":[{"type":"text","text":"Hello"}],"route":"192.0.2.0/24 via 192.0.2.1"} <nil>
}
