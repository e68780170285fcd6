package openapi

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
)

// tests adds the test of the operations, and their examples.
func (p *printer) tests() {
	examples := []Example{}
	for _, s := range p.services {
		for _, o := range s.Operations {
			if o.Example == nil {
				continue
			}
			e := *o.Example
			e.Tool, e.Method = o.ToolName, o.Method
			if base, err := url.Parse(o.BaseURL); err == nil { // the test replaces the host, but not this path
				e.Path = strings.TrimSuffix(base.EscapedPath(), "/") + e.Path
			}
			examples = append(examples, e)
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
