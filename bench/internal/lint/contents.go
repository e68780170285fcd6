package lint

import (
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
	"github.com/mcptool-go/mcptool/internal/mediatype"
)

// A Reading is the result of reading a resource.
type Reading struct {
	Resource client.Resource    // as listed
	Result   *client.ReadResult // nil if the server rejected the request
	Refusal  string             // the error in that case
}

// contents checks the contents of resources.
func (c *checker) contents(all []Reading) {
	for i := range all {
		r := &all[i]
		of := Finding{Resource: orUnnamed(r.Resource.URI)}
		switch {
		case r.Result == nil:
			c.of(of, "not-readable", r.Refusal)
			continue
		case len(r.Result.Contents) == 0:
			c.of(of, "no-contents", "an empty list of contents")
			continue
		}
		for j := range r.Result.Contents {
			at := of
			if at.Path = "contents"; len(r.Result.Contents) > 1 {
				at.Path = fmt.Sprintf("contents[%d]", j)
			}
			c.content(at, r, &r.Result.Contents[j])
		}
	}
}

// content checks contents of a resource. It compares them with the list only if they have the same URI.
func (c *checker) content(of Finding, r *Reading, contents *client.Contents) {
	listed, own := r.Resource, contents.URI == r.Resource.URI
	switch {
	case contents.MIMEType == "":
		c.of(of, "no-mime", "no MIME type")
	case own && listed.MIMEType != "" && !strings.EqualFold(listed.MIMEType, contents.MIMEType):
		c.of(of, "other-mime", fmt.Sprintf("the MIME type is %q, and %q in the list", short(contents.MIMEType), short(listed.MIMEType)))
	}
	if contents.MIMEType != "" || strings.HasPrefix(contents.URI, "ui://") {
		c.mimeType(of, contents.URI, contents.MIMEType)
	}
	data, err := contents.Bytes()
	if err != nil {
		c.of(of, "bad-blob", "it is not base64")
		return
	}
	if contents.Text == nil && utf8.Valid(data) && isTextType(contents.MIMEType) {
		c.of(of, "text-as-blob", fmt.Sprintf("a blob of %q", short(contents.MIMEType)))
	}
	if own && listed.Size != nil && *listed.Size >= 0 && *listed.Size != int64(len(data)) {
		c.of(of, "other-size", fmt.Sprintf("%d bytes, and %d in the list", len(data), *listed.Size))
	}
}

// isTextType reports whether contents of a MIME type should be text. A view may be text or binary.
func isTextType(text string) bool {
	_, parameters, _ := mime.ParseMediaType(text) // nil on error
	return mediatype.IsText(text) && parameters["profile"] != "mcp-app"
}

// view checks the view of a tool (MCP Apps).
func (c *checker) view(t *client.Tool) {
	var meta struct {
		UI struct {
			ResourceURI string `json:"resourceUri"`
		} `json:"ui"`
		Flat string `json:"ui/resourceUri"`
	}
	if t.Meta == nil || strictjson.Decode(t.Meta, &meta) != nil {
		return // absent, or reported as a bad member
	}
	for _, at := range []struct{ path, uri string }{{"_meta.ui.resourceUri", meta.UI.ResourceURI}, {"_meta[ui/resourceUri]", meta.Flat}} {
		if at.uri != "" && !strings.HasPrefix(at.uri, "ui://") {
			c.add("view-uri", t.Name, at.path, fmt.Sprintf("the URI is %q", short(at.uri)))
		}
	}
}
