package codec

import (
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

const (
	// MaxFailures is the maximum number of failures that are reported: enough to correct a call at once, few enough to
	// be read.
	MaxFailures = 10
	// MaxCounted is the number of failures at which counting stops, so that a hostile megabyte of errors costs no more
	// than a thousand of them.
	MaxCounted = 1000
)

// Keywords of failures that are not keywords of JSON Schema.
const (
	KeywordDecode = "decode" // the Go type cannot hold a value that its schema allows
	KeywordEncode = "encode" // the Go value cannot be written as JSON
)

// A Failure is a location in a value at which it cannot be decoded or encoded. It has the fields of a Violation of
// package reflectschema, where they are documented. Its fields are text, unlike the fields of
// a Failure of package authority, because no schema describes them.
type Failure struct {
	Path    string
	Pointer string
	Keyword string
	Want    string
	Got     string
	Suggest string
}

// Failures are the failures of one value.
type Failures struct {
	List  []Failure // the first ones, at most MaxFailures
	Total int       // at most MaxCounted
}

// Below converts a failure in the value at a location to a failure in the whole value.
func (f Failure) Below(at jsondoc.Path) Failure {
	if len(at) == 0 {
		return f
	}
	if f.Path != "" && !strings.HasPrefix(f.Path, "[") {
		f.Path = "." + f.Path
	}
	f.Path = show.Path(at) + f.Path
	f.Pointer = at.Pointer() + f.Pointer
	return f
}
