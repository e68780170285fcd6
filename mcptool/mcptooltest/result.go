package mcptooltest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// callResult is the result of any method.
type callResult struct {
	ResultType    string                     `json:"resultType"`
	InputRequests map[string]json.RawMessage `json:"inputRequests"`
	RequestState  string                     `json:"requestState"`

	Content           []contentBlock  `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent"`
	IsError           bool            `json:"isError"`

	Meta map[string]json.RawMessage `json:"_meta"`

	Messages   []promptMessage `json:"messages"`
	Contents   []contentsPart  `json:"contents"`
	Completion *struct {
		Values []string `json:"values"`
	} `json:"completion"`

	Tools             []json.RawMessage `json:"tools"`
	Prompts           []json.RawMessage `json:"prompts"`
	Resources         []json.RawMessage `json:"resources"`
	ResourceTemplates []json.RawMessage `json:"resourceTemplates"`
	NextCursor        *string           `json:"nextCursor"`
}

// entries returns the entries of a list result.
func (r *callResult) entries() []json.RawMessage {
	return slices.Concat(r.Tools, r.Prompts, r.Resources, r.ResourceTemplates)
}

// tool returns the entry of a tool in a list; nil if the list lacks it, or r is nil.
func (r *callResult) tool(name string) json.RawMessage {
	if r == nil {
		return nil
	}
	for _, raw := range r.Tools {
		var e struct{ Name json.RawMessage }
		if err := json.Unmarshal(raw, &e); err == nil && sameString(name, e.Name) {
			return raw
		}
	}
	return nil
}

// text returns the first text of a result.
func (r *callResult) text() string {
	for _, block := range r.Content {
		if block.Type == "text" {
			return block.Text
		}
	}
	return ""
}

// suggestions returns the values of a completion; nil if there are none.
func (r *callResult) suggestions() []string {
	if r.Completion == nil {
		return nil
	}
	return r.Completion.Values
}

type contentBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
	URI  string `json:"uri"` // of a link
}

type promptMessage struct {
	Role    string       `json:"role"`
	Content contentBlock `json:"content"`
}

type contentsPart struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType"`
	Text     *string `json:"text"`
	Blob     *string `json:"blob"`
}

// size returns the size of the part in bytes, before encoding.
func (c *contentsPart) size() int64 {
	if c.Text != nil {
		return int64(len(*c.Text))
	}
	data, _ := base64.StdEncoding.DecodeString(*c.Blob) // encoded by the server
	return int64(len(data))
}

// A refusal is a JSON-RPC error.
type refusal struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    struct {
		URI *string `json:"uri"` // of a resource that is not found
	} `json:"data"`
}

func (r *refusal) Error() string { return fmt.Sprintf("error %d: %s", r.Code, r.Message) }

// refusalOf returns the error that the JSON of a JSON-RPC error describes.
func refusalOf(raw json.RawMessage) error {
	r := &refusal{}
	if err := json.Unmarshal(raw, r); err != nil {
		return err
	}
	return r
}

// sameString reports whether value is a JSON string that servers send as this text.
func sameString(text string, value json.RawMessage) bool {
	var s string
	return json.Unmarshal(value, &s) == nil && bytes.Equal(rawjson.AppendText(nil, s), rawjson.AppendText(nil, text))
}
