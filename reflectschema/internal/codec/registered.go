package codec

import "github.com/mcptool-go/mcptool/internal/jsondoc"

// Registered is what a program has registered for a Go type: its schema, and possibly functions that write and read its
// values. It is immutable.
type Registered interface {
	// Doc returns the schema.
	Doc() *jsondoc.Value
	// Check returns the failures of a JSON value that does not fit the schema.
	Check(value []byte) []Failure
	// Requirement returns a sentence with the first requirement that the value does not meet, "" if it fits.
	Requirement(value []byte) string
	// Functions returns the registered functions, nil if the type is written and read as without a registration.
	Functions() *Functions
}

// Functions are the registered functions of a type T.
type Functions struct {
	Marshal   func(pointer any) ([]byte, error)    // of a *T
	Unmarshal func(data []byte, pointer any) error // into a *T
}
