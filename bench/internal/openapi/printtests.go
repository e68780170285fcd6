package openapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// A storedExample is an example in testdata/examples.json, which the generated test reads.
type storedExample struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Method    string          `json:"method"`
	Path      string          `json:"path"`
	Query     string          `json:"query,omitempty"`
	Body      json.RawMessage `json:"body,omitempty"`
	Status    int             `json:"status"`
	MediaType string          `json:"mediaType,omitempty"`
	Response  any             `json:"response,omitempty"` // JSON, or the text of another response
}

// tests adds the test of the operations, and their examples.
func (p *printer) tests() {
	examples := []storedExample{}
	for _, s := range p.services {
		for _, o := range s.Operations {
			if o.Example != nil {
				examples = append(examples, stored(o))
			}
		}
	}
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "\t")
	if err := encoder.Encode(examples); err != nil {
		p.errorf("testdata/examples.json: %w", err)
	}
	p.files = append(p.files, File{Name: "testdata/examples.json", Data: data.Bytes()})
	p.execute("examples_test.go", program{Package: p.options.Package, Services: p.services}, false)
}

func stored(o *Operation) storedExample {
	e := o.Example
	s := storedExample{
		Tool: o.ToolName, Arguments: e.Args, Method: o.Method, Path: e.Path, Query: e.Query, Body: e.Body,
		Status: cmp.Or(e.Status, http.StatusOK), MediaType: e.MediaType,
	}
	if base, err := url.Parse(o.BaseURL); err == nil { // the test replaces the host, but not this path
		s.Path = strings.TrimSuffix(base.EscapedPath(), "/") + s.Path
	}
	if json.Valid(e.Response) && o.Result.Kind == ResultJSON {
		s.Response = json.RawMessage(e.Response)
	} else if len(e.Response) > 0 {
		s.Response = string(e.Response)
	}
	return s
}
