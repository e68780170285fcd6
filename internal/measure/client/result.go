package client

import (
	"encoding/json"

	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
)

// A Result is the result of a call, whether or not the tool succeeded.
type Result struct {
	// IsError reports that the tool failed; Content has the reason, for the model.
	IsError bool `json:"isError"`
	// StructuredContent is the result as JSON; nil if absent.
	StructuredContent json.RawMessage `json:"structuredContent"`
	Content           []Content       `json:"content"`
	// Raw is the original JSON of the result.
	Raw json.RawMessage `json:"-"`
}

// Content is a content block of a Result. Type determines which fields are set.
type Content struct {
	Type     string // as in the protocol: text, image, resource_link
	Text     string // text, and text resources
	MIMEType string
	URI      string // resource_link, resource
	Name     string // resource_link
	Data     string // base64: media, and binary resources
	// Raw is the original JSON of the block.
	Raw json.RawMessage
}

// UnmarshalJSON decodes a block and keeps the JSON as Raw.
func (c *Content) UnmarshalJSON(data []byte) error {
	var block struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		URI      string `json:"uri"`
		Name     string `json:"name"`
		Data     string `json:"data"`
		MIMEType string `json:"mimeType"`
		Resource *struct {
			URI      string `json:"uri"`
			Text     string `json:"text"`
			Blob     string `json:"blob"`
			MIMEType string `json:"mimeType"`
		} `json:"resource"`
	}
	if err := strictjson.Decode(data, &block); err != nil {
		return err
	}
	*c = Content{
		Type: block.Type, Text: block.Text, MIMEType: block.MIMEType, URI: block.URI, Name: block.Name, Data: block.Data,
		Raw: append(json.RawMessage(nil), data...),
	}
	if r := block.Resource; r != nil {
		c.URI, c.Text, c.Data, c.MIMEType = r.URI, r.Text, r.Blob, r.MIMEType
	}
	return nil
}
