package client

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// A Resource is an entry of resources/list or resources/templates/list.
type Resource struct {
	Entry

	// URI identifies a resource; "" in a template.
	URI string `json:"uri,omitempty"`
	// URITemplate is the URI template (RFC 6570); "" in a resource.
	URITemplate string               `json:"uriTemplate,omitempty"`
	MIMEType    string               `json:"mimeType,omitempty"`
	Size        *int64               `json:"size,omitempty"` // bytes; nil if absent, and in a template
	Annotations *ResourceAnnotations `json:"annotations,omitempty"`
}

// ResourceAnnotations are hints to clients on the use of a resource.
type ResourceAnnotations struct {
	Audience     []string `json:"audience,omitempty"` // user, assistant
	Priority     *float64 `json:"priority,omitempty"` // 0 to 1; nil if absent
	LastModified string   `json:"lastModified,omitempty"`
}

// DecodeResource decodes an entry of resources/list or resources/templates/list. Members that cannot be decoded are absent,
// see [Entry.Problems].
func DecodeResource(entry json.RawMessage) Resource {
	var res Resource
	top := res.decode(entry)
	readMember(&res.Entry, top, "", "uri", &res.URI, "a string")
	readMember(&res.Entry, top, "", "uriTemplate", &res.URITemplate, "a string")
	readMember(&res.Entry, top, "", "mimeType", &res.MIMEType, "a string")
	readMember(&res.Entry, top, "", "size", &res.Size, "an integer")
	if hints := res.nested(top, "annotations"); hints != nil {
		a := new(ResourceAnnotations)
		res.Annotations = a
		readMember(&res.Entry, hints, "annotations.", "audience", &a.Audience, "an array of strings")
		readMember(&res.Entry, hints, "annotations.", "priority", &a.Priority, "a number")
		readMember(&res.Entry, hints, "annotations.", "lastModified", &a.LastModified, "a string")
	}
	res.finish(entry, &res)
	return res
}

// Resources returns the resources of the server, from all pages, in server order. It returns nil, without a request, if
// the server does not declare resources. All pages together may take [MaxExtension] times the timeout.
func (c *Client) Resources(ctx context.Context) ([]Resource, error) {
	if !c.Declares("resources") {
		return nil, nil
	}
	return listAll(ctx, c, "resources/list", "resources", DecodeResource)
}

// ResourceTemplates is like [Client.Resources] for resources/templates/list. A server that declares resources but
// rejects this method as unknown has no templates.
func (c *Client) ResourceTemplates(ctx context.Context) ([]Resource, error) {
	if !c.Declares("resources") {
		return nil, nil
	}
	all, err := listAll(ctx, c, "resources/templates/list", "resourceTemplates", DecodeResource)
	if refused := asRefusal(err); refused != nil && refused.Code == codeMethodNotFound {
		return []Resource{}, nil
	}
	return all, err
}

// A ReadResult is the result of resources/read.
type ReadResult struct {
	Contents []Contents `json:"contents"`
	// Raw is the original JSON of the result.
	Raw json.RawMessage `json:"-"`
}

// Contents holds the contents of a resource, or of one of several resources in the same result. Either Text or Blob is
// set.
type Contents struct {
	URI      string          `json:"uri"`
	MIMEType string          `json:"mimeType"` // "" if absent
	Text     *string         `json:"text"`
	Blob     *string         `json:"blob"`  // base64
	Meta     json.RawMessage `json:"_meta"` // nil if absent
}

// Bytes returns the contents: the text in UTF-8, or the decoded bytes. It fails if the contents are not valid base64.
func (c *Contents) Bytes() ([]byte, error) {
	if c.Text != nil {
		return []byte(*c.Text), nil
	}
	data, err := base64.StdEncoding.DecodeString(*c.Blob)
	if err != nil {
		return nil, fmt.Errorf("the blob of %s is not base64: %w", c.URI, err)
	}
	return data, nil
}

// ReadResource reads a resource. Elicitations of the server go to [Options.Elicit]. The error is an *RPCError if the
// server rejects the request, for example because the resource does not exist, an *UnreachableError, or ctx's.
func (c *Client) ReadResource(ctx context.Context, uri string) (*ReadResult, error) {
	const method = "resources/read"
	r := new(ReadResult)
	raw, err := c.converse(ctx, method, uri, map[string]any{"uri": uri}, r)
	if err != nil {
		return nil, err
	}
	r.Raw = raw
	for i := range r.Contents {
		if has := &r.Contents[i]; (has.Text == nil) == (has.Blob == nil) {
			return nil, c.conn.unreachable(fmt.Sprintf("its answer to %s is not one: contents[%d] should have either a text or a blob", method, i), nil)
		}
	}
	return r, nil
}
