package sample

import "github.com/mcptool-go/mcptool/internal/jsondoc"

// A Maker makes values for a schema. It is safe for concurrent use.
type Maker struct {
	Schema *jsondoc.Value
	Draft7 bool   // the schema is in draft-07, which ignores the keywords beside a $ref
	Reader Reader // of the values; not nil

	// Check returns a func that reports whether values fit a schema, which may be a part of Schema.
	Check func(schema *jsondoc.Value) (fits func(value []byte) bool)
}

// A Reader is the Go type that reads values of a schema. The schema of a type with methods of its own may allow more than the
// methods accept; the Reader returns what they accept. [Unknown] stands for no type.
type Reader interface {
	// Member returns the Reader of the member of an object.
	Member(name string) Reader
	// Element returns the Reader of the elements of an array.
	Element() Reader
	// Branch returns the Reader of the values that fit an alternative of the schema.
	Branch(alternative *jsondoc.Value) Reader
	// Own returns a value, in JSON, that the methods of the type accept; nil if the schema describes their values, or if
	// none was found.
	Own(schema *jsondoc.Value) []byte
	// Name returns a name that the methods of the type of a map's keys accept; "" if none was found. Known is false if
	// names, the schema of the names, describes them.
	Name(names *jsondoc.Value) (name string, known bool)
}

// Unknown is the Reader of values whose Go type is not known.
var Unknown Reader = unknown{}

type unknown struct{}

func (unknown) Member(string) Reader               { return Unknown }
func (unknown) Element() Reader                    { return Unknown }
func (unknown) Branch(*jsondoc.Value) Reader       { return Unknown }
func (unknown) Own(*jsondoc.Value) []byte          { return nil }
func (unknown) Name(*jsondoc.Value) (string, bool) { return "", false }
