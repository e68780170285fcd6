package sample

import "github.com/mcptool-go/mcptool/internal/jsondoc"

// A Maker makes values for a schema. It may be used by several goroutines at once.
type Maker struct {
	Schema *jsondoc.Value
	Draft7 bool   // the schema is written in draft-07, which ignores what stands beside a $ref
	Reader Reader // of the values

	// Check returns a func that reports whether values fit a schema, which may be a part of Schema.
	Check func(schema *jsondoc.Value) (fits func(value []byte) bool)
}

// A Reader is the Go type that reads the values of a schema, as far as the schema does not describe it: the schema of a type with
// methods of its own says little of what they take. [Unknown] stands for no type.
type Reader interface {
	// Member returns the Reader of the member of an object.
	Member(name string) Reader
	// Element returns the Reader of the elements of an array.
	Element() Reader
	// Branch returns the Reader of the values that fit an alternative of the schema.
	Branch(alternative *jsondoc.Value) Reader
	// Own returns a value that methods of the type take, in JSON; nil if the schema tells what they take.
	Own(schema *jsondoc.Value) []byte
	// Name returns a name that methods of the type of the keys of a map take, empty if none was found. Known is false
	// if names, the schema of the names, tells what they take.
	Name(names *jsondoc.Value) (name string, known bool)
}

// Unknown is the Reader of values that are read by no type that is known.
var Unknown Reader = unknown{}

type unknown struct{}

func (unknown) Member(string) Reader               { return Unknown }
func (unknown) Element() Reader                    { return Unknown }
func (unknown) Branch(*jsondoc.Value) Reader       { return Unknown }
func (unknown) Own(*jsondoc.Value) []byte          { return nil }
func (unknown) Name(*jsondoc.Value) (string, bool) { return "", false }
