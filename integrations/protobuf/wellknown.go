package protobuf

import "google.golang.org/protobuf/reflect/protoreflect"

// The patterns of a Duration and a FieldMask. A part of a path may start with an upper-case letter: _foo is written as Foo.
const (
	durationPattern = `^-?(0|[1-9][0-9]{0,11})(\.[0-9]{1,9})?s$`
	maskPattern     = `^([a-zA-Z][a-zA-Z0-9]*([.,][a-zA-Z][a-zA-Z0-9]*)*)?$`
)

// wellKnown returns the schema of a type with its own form in JSON, nil if the message has none. Times, durations and
// masks have a description, because some clients remove formats and patterns from schemas.
func wellKnown(md protoreflect.MessageDescriptor) *schema {
	name := md.FullName()
	if name.Parent() != "google.protobuf" {
		return nil
	}
	switch name.Name() {
	case "Timestamp":
		return &schema{Description: "Time in RFC 3339 with a time zone", Type: "string", Format: "date-time"}
	case "Duration":
		return &schema{Description: "Duration in seconds, such as 1.5s", Type: "string", Pattern: durationPattern}
	case "FieldMask":
		return &schema{Description: "Names of fields, such as user.name,createTime", Type: "string", Pattern: maskPattern}
	case "Struct":
		return &schema{Type: "object"}
	case "ListValue":
		return &schema{Type: "array", Items: &schema{}}
	case "Value":
		return &schema{}
	case "Any":
		return &schema{
			Type: "object", Description: "A message of the type in @type, which is required",
			Properties: &properties{
				names:   []string{"@type"},
				schemas: []*schema{{Type: "string", Pattern: ".", Description: "Such as type.googleapis.com/google.protobuf.Duration"}},
			},
		}
	case "Empty":
		return &schema{Type: "object", Properties: &properties{}, AdditionalProperties: false}
	case "DoubleValue", "FloatValue", "Int64Value", "UInt64Value", "Int32Value", "UInt32Value", "BoolValue", "StringValue", "BytesValue":
		return scalar(md.Fields().ByName("value").Kind())
	default:
		return nil
	}
}
