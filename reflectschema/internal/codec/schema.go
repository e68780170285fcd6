package codec

import (
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// A Schema is a finished schema. It is immutable.
type Schema interface {
	// Doc returns the document, which must not be modified.
	Doc() *jsondoc.Value
	// String returns the document as JSON.
	String() string
	// Check returns the violations of a JSON value that does not fit. If work is nil, it has its own budget.
	Check(value []byte, work *authority.Budget) []Violation
	// Requirement returns a sentence with the first requirement that a value does not meet, "" if it fits.
	Requirement(value []byte, work *authority.Budget) string
}

// Functions are the registered functions of a type T.
type Functions struct {
	Marshal   func(pointer any) ([]byte, error)    // of a *T
	Unmarshal func(data []byte, pointer any) error // into a *T
}
