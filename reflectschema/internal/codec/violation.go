package codec

import (
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

const (
	// MaxViolations is the maximum number of violations that are reported: enough to correct a call at once, few enough to
	// be read.
	MaxViolations = 10
	// MaxCounted is the number of violations at which counting stops, so that a hostile megabyte of errors costs no more
	// than a thousand of them.
	MaxCounted = 1000
)

// Keywords of violations that are not keywords of JSON Schema.
const (
	KeywordDecode = "decode" // the Go type cannot hold a value that its schema allows
	KeywordEncode = "encode" // the Go value cannot be written as JSON
)

// A Violation is a location in a value at which it cannot be decoded or encoded. It has the fields of a Violation of package
// reflectschema, where they are documented.
type Violation struct {
	Path    string
	Pointer string
	Keyword string
	Want    string
	Got     string
	Suggest string
}

// Violations are the violations of one value.
type Violations struct {
	List  []Violation // the first ones, at most MaxViolations
	Total int         // at most MaxCounted
}

// Below converts a violation in the value at a location to a violation in the whole value.
func (v Violation) Below(at jsondoc.Path) Violation {
	if len(at) == 0 {
		return v
	}
	if v.Path != "" && !strings.HasPrefix(v.Path, "[") {
		v.Path = "." + v.Path
	}
	v.Path = show.Path(at) + v.Path
	v.Pointer = at.Pointer() + v.Pointer
	return v
}
