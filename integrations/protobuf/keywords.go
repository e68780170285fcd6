package protobuf

import (
	"bytes"
	"encoding/json"
)

// A schema has the keywords of JSON Schema that a schema of a message may have.
type schema struct {
	Description          string             `json:"description,omitempty"`
	Type                 string             `json:"type,omitempty"`
	Enum                 []string           `json:"enum,omitempty"`
	Format               string             `json:"format,omitempty"`
	Pattern              string             `json:"pattern,omitempty"`
	ContentEncoding      string             `json:"contentEncoding,omitempty"`
	Minimum              *int64             `json:"minimum,omitempty"`
	Maximum              *int64             `json:"maximum,omitempty"`
	Items                *schema            `json:"items,omitempty"`
	Properties           *properties        `json:"properties,omitempty"`
	PatternProperties    map[string]*schema `json:"patternProperties,omitempty"`
	AdditionalProperties any                `json:"additionalProperties,omitempty"` // false, or a *schema
	PropertyNames        *schema            `json:"propertyNames,omitempty"`
	Required             []string           `json:"required,omitempty"`
	AnyOf                []*schema          `json:"anyOf,omitempty"`
	Default              json.RawMessage    `json:"default,omitempty"`
	Deprecated           bool               `json:"deprecated,omitempty"`
}

// properties are properties in their order.
type properties struct {
	names   []string
	schemas []*schema // of the properties of these names
}

// MarshalJSON writes an object.
func (p *properties) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, name := range p.names {
		if i > 0 {
			out.WriteByte(',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(p.schemas[i])
		if err != nil {
			return nil, err
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
