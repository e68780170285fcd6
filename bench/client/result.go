package client

import (
	"encoding/json"

	"github.com/mcptool-go/mcptool/bench/strictjson"
)

// A Result is the result of a call, whether the tool succeeded or failed.
type Result struct {
	// IsError is set if the tool failed; Content has the reason, for the model.
	IsError bool
	// StructuredContent is the result as JSON; nil if there is none.
	StructuredContent json.RawMessage
	Content           []Content
	// Raw is the whole result as it came.
	Raw json.RawMessage
}

// Content is a block of a Result. Which fields are set depends on Type.
type Content struct {
	Type     string // as in the protocol: text, image, resource_link
	Text     string // text, and resources that are text
	MIMEType string
	URI      string // resource_link, resource
	Name     string // resource_link
	Data     string // base64: media, and resources that are bytes
	// Raw is the whole block as it came.
	Raw json.RawMessage
}

// UnmarshalJSON reads a block and keeps the text as Raw.
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

// UnmarshalJSON reads a result and keeps the text as Raw.
func (r *Result) UnmarshalJSON(data []byte) error {
	var result struct {
		IsError           bool            `json:"isError"`
		StructuredContent json.RawMessage `json:"structuredContent"`
		Content           []Content       `json:"content"`
	}
	if err := strictjson.Decode(data, &result); err != nil {
		return err
	}
	*r = Result{result.IsError, result.StructuredContent, result.Content, append(json.RawMessage(nil), data...)}
	return nil
}
