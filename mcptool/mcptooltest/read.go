package mcptooltest

import (
	"reflect"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// Read reads the URI from the resource, without a server, and returns its contents. Out is string for text, []byte for
// text or a blob, [mcptool.ResourceContents] for contents with their media type, []mcptool.ResourceContents if there may be several, or
// another type, which the text is decoded into as JSON. Read ends the test (FailNow) if the URI does not match the
// resource, if a variable does not fit, if the func returns an error, or if the contents do not match Out.
func Read[Out any](tb testing.TB, resource *mcptool.Resource, uri string) Out {
	tb.Helper()
	contents, err := resource.Read(tb.Context(), uri)
	return contentsOf[Out](tb, uri, contents, err)
}

// ReadAs is [Read] by a client. It also ends the test if an answer was not used.
func ReadAs[Out any](tb testing.TB, c *Client, resource *mcptool.Resource, uri string) Out {
	tb.Helper()
	contents, err := c.Read(tb.Context(), resource, uri)
	out := contentsOf[Out](tb, uri, contents, err)
	c.answered(tb, uri+": the resource")
	return out
}

// contentsOf decodes the contents of a resource.
func contentsOf[Out any](tb testing.TB, uri string, contents []mcptool.ResourceContents, err error) Out {
	tb.Helper()
	if err != nil {
		tb.Fatalf("%s: %v", uri, err)
	}
	var out Out
	if all, ok := any(&out).(*[]mcptool.ResourceContents); ok {
		*all = contents
		return out
	}
	if len(contents) != 1 {
		tb.Fatalf("%s: want one part, got %d: %v", uri, len(contents), contents)
	}
	only := contents[0]
	switch dst := any(&out).(type) {
	case *mcptool.ResourceContents:
		*dst = only
		return out
	case *[]byte:
		if *dst = only.Blob; only.Blob == nil {
			*dst = []byte(only.Text)
		}
		return out
	}
	if only.Blob != nil {
		tb.Fatalf("%s: want text, got %v", uri, only)
	}
	if text, ok := any(&out).(*string); ok {
		*text = only.Text
		return out
	}
	if err := decode([]byte(only.Text), reflect.ValueOf(&out).Elem()); err != nil {
		tb.Fatalf("%s: %v: decode the contents: %v", uri, only, err)
	}
	return out
}
