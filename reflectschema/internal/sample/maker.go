package sample

import "github.com/mcptool-go/mcptool/internal/jsondoc"

// A Maker makes values for a schema. It is safe for concurrent use.
type Maker struct {
	Schema *jsondoc.Value
	Draft7 bool   // the schema is in draft-07, which ignores keywords beside a $ref
	Reader Reader // of the values; must not be nil

	// Check returns a function that reports whether a value is valid against a schema, which may be a part of Schema.
	Check func(schema *jsondoc.Value) (fits func(value []byte) bool)
}

// A Reader represents the Go type that decodes values of a schema. The schema of a type with its own methods for
// decoding may allow more than the methods accept; the Reader returns values that they accept. [Unknown] is the Reader
// for an unknown type.
type Reader interface {
	// Member returns the Reader of the member of an object.
	Member(name string) Reader
	// Element returns the Reader of the elements of an array.
	Element() Reader
	// Branch returns the Reader of values of an alternative of the schema.
	Branch(alternative *jsondoc.Value) Reader
	// Own returns a value, in JSON, that the methods of the type accept. It returns nil if the type has no such
	// methods, so that the schema is sufficient, or if it finds no value.
	Own(schema *jsondoc.Value) []byte
	// Name returns a name that the methods of the key type of a map accept, "" if it finds none. Known is false if the
	// key type has no such methods, so that names, the schema of the names, is sufficient.
	Name(names *jsondoc.Value) (name string, known bool)
}

// Unknown is the Reader of values whose Go type is unknown.
var Unknown Reader = unknown{}

type unknown struct{}

func (unknown) Member(string) Reader               { return Unknown }
func (unknown) Element() Reader                    { return Unknown }
func (unknown) Branch(*jsondoc.Value) Reader       { return Unknown }
func (unknown) Own(*jsondoc.Value) []byte          { return nil }
func (unknown) Name(*jsondoc.Value) (string, bool) { return "", false }
