package reflectschema_test

import (
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
)

// unionSeeds are JSON for the unions of the tests, right and wrong.
var unionSeeds = []string{
	`{"shape":{"type":"circle","radius":1}}`,
	`{"shape":{"radius":1,"fill":"blue","type":"circle"}}`,
	`{"shape":{"type":"group","shapes":[{"shapes":[{"side":1,"type":"square","tilt":3}],"type":"group"},{"type":"span","to":2}]}}`,
	`{"shape":{"t\u0079pe":"circle","radius":1}}`,
	`{"shape":{"type":"span","type":"span"}}`,
	`{"shape":{"type":["circle"],"radius":1}}`,
	`{"shape":null}`,
	`{"value":{"op":"and","args":[{"args":[{"op":"num","value":1}],"op":"or"},{"op":"not","args":[]}],"note":{"args":[]}}}`,
	`{"value":{"op":"num","value":1e2}}`,
	`{"value":{"op":"num","op2":"and","value":"1"}}`,
	`{"a":{"a kind":"beep","hertz":440},"b":{"value":7,"a kind":"box of \"ints\""},"c":{"a kind":"ring","radius":2}}`,
}

// FuzzUnion feeds bytes to types with unions, as FuzzDecode does to the others.
func FuzzUnion(f *testing.F) {
	for _, seed := range unionSeeds {
		f.Add([]byte(seed))
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		defer watch()()
		decodeAgrees[drawing](t, data)
		decodeAgrees[Box[Expr]](t, data)
		decodeAgrees[map[string]Sound](t, data)
	})
}
