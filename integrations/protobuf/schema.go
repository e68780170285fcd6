package protobuf

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// maxProperties is how many properties a schema may have before deeper messages are described without their members.
// A property takes about 80 bytes.
const maxProperties = 500

// schemaOf returns the JSON Schema of a message in the JSON format of protobuf. It is as deep as [maxProperties] allows,
// and has at least the members of the message itself.
func schemaOf(md protoreflect.MessageDescriptor) string {
	var deepest *schema
	for depth := 1; ; depth++ {
		b := builder{depth: depth, room: maxProperties}
		s := b.message(md)
		if deepest == nil || b.room >= 0 {
			deepest = s
		}
		if b.room < 0 || !b.cut {
			break
		}
	}
	text, err := json.Marshal(deepest)
	if err != nil {
		panic("protobuf: " + err.Error()) //nolint:forbidigo // impossible: a schema has only strings, numbers and valid JSON
	}
	return string(text)
}

// A builder builds the schema of one message.
type builder struct {
	depth  int                              // messages in each other that are described
	room   int                              // properties that may be added
	cut    bool                             // a message was not described because of depth
	around []protoreflect.MessageDescriptor // the messages that contain the current one
}

// message returns the schema of a message.
func (b *builder) message(md protoreflect.MessageDescriptor) *schema {
	if known := wellKnown(md); known != nil {
		return known
	}
	s := &schema{Type: "object", Required: required(md)}
	switch {
	case slices.ContainsFunc(b.around, func(o protoreflect.MessageDescriptor) bool { return o.FullName() == md.FullName() }):
		s.Description = fmt.Sprintf("A %s, like the one that contains it", md.FullName())
		return s
	case len(b.around) >= b.depth || b.room < 0 && len(b.around) > 0:
		b.cut = true
		s.Description = fmt.Sprintf("A %s", md.FullName())
		return s
	}
	b.around = append(b.around, md)
	defer func() { b.around = b.around[:len(b.around)-1] }()
	s.Description, s.Properties, s.AdditionalProperties = commentOf(md), &properties{}, false
	fields := md.Fields()
	b.room -= fields.Len()
	for i := range fields.Len() {
		s.Properties.names = append(s.Properties.names, fields.Get(i).JSONName())
		s.Properties.schemas = append(s.Properties.schemas, b.field(fields.Get(i)))
	}
	if md.ExtensionRanges().Len() > 0 {
		s.PatternProperties = map[string]*schema{`^\[.+\]$`: {Description: "An extension"}}
	}
	return s
}

// required returns the names of the required members of a message.
func required(md protoreflect.MessageDescriptor) (names []string) {
	for i := range md.RequiredNumbers().Len() {
		names = append(names, md.Fields().ByNumber(md.RequiredNumbers().Get(i)).JSONName())
	}
	return names
}

// field returns the schema of a member.
func (b *builder) field(fd protoreflect.FieldDescriptor) *schema {
	var s *schema
	switch {
	case fd.IsMap():
		s = &schema{Type: "object", AdditionalProperties: b.value(fd.MapValue()), PropertyNames: keys(fd.MapKey())}
	case fd.IsList():
		s = &schema{Type: "array", Items: b.value(fd)}
	default:
		s = b.value(fd)
		s.Default = defaultOf(fd)
	}
	s.Description = cmp.Or(commentOf(fd), s.Description)
	if note := oneofNote(fd); s.Description == "" {
		s.Description = note
	} else if note != "" {
		s.Description = strings.TrimSuffix(s.Description, ".") + ". " + note
	}
	options, ok := fd.Options().(interface{ GetDeprecated() bool })
	s.Deprecated = ok && options.GetDeprecated()
	return s
}

// value returns the schema of one value of a field: an element of a list, a value of a map.
func (b *builder) value(fd protoreflect.FieldDescriptor) *schema {
	switch fd.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return b.message(fd.Message())
	case protoreflect.EnumKind:
		return enum(fd.Enum())
	default:
		return scalar(fd.Kind())
	}
}

func scalar(kind protoreflect.Kind) *schema {
	switch kind {
	case protoreflect.BoolKind:
		return &schema{Type: "boolean"}
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return integer(math.MinInt32, math.MaxInt32)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return integer(0, math.MaxUint32)
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return &schema{Type: "string", Pattern: intPattern}
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return &schema{Type: "string", Pattern: uintPattern}
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return &schema{AnyOf: []*schema{{Type: "number"}, {Type: "string", Enum: []string{"NaN", "Infinity", "-Infinity"}}}}
	case protoreflect.BytesKind:
		return &schema{Description: "Bytes in base64", Type: "string", ContentEncoding: "base64"}
	default:
		return &schema{Type: "string"}
	}
}

// Patterns of integers in strings. protojson refuses other spellings and, when it reads, numbers out of range.
const (
	intPattern  = `^(0|-?[1-9][0-9]*)$`
	uintPattern = `^(0|[1-9][0-9]*)$`
)

func integer(low, high int64) *schema {
	return &schema{Type: "integer", Minimum: &low, Maximum: &high}
}

// enum returns the schema of an enum. An open enum may have values without a name, which are written as numbers.
func enum(ed protoreflect.EnumDescriptor) *schema {
	if ed.FullName() == "google.protobuf.NullValue" {
		return &schema{Type: "null"}
	}
	names := &schema{Type: "string"}
	values := ed.Values()
	for i := range values.Len() {
		names.Enum = append(names.Enum, string(values.Get(i).Name()))
	}
	comment := commentOf(ed)
	if ed.IsClosed() {
		names.Description = comment
		return names
	}
	number := integer(math.MinInt32, math.MaxInt32)
	number.Description = "A value without a name"
	return &schema{Description: comment, AnyOf: []*schema{names, number}}
}

// keys returns the schema of the names of a map, nil if it allows all.
func keys(fd protoreflect.FieldDescriptor) *schema {
	switch scalar(fd.Kind()).Type {
	case "boolean":
		return &schema{Enum: []string{"true", "false"}}
	case "integer":
		if fd.Kind() == protoreflect.Uint32Kind || fd.Kind() == protoreflect.Fixed32Kind {
			return &schema{Pattern: uintPattern}
		}
		return &schema{Pattern: intPattern}
	}
	if fd.Kind() == protoreflect.StringKind {
		return nil
	}
	return &schema{Pattern: scalar(fd.Kind()).Pattern}
}

// maxOneofNames is how many members of a oneof are listed in the description of each.
const maxOneofNames = 5

// oneofNote states which members exclude each other. A description serves more clients than a combination of required
// and not would, and protojson has a better error.
func oneofNote(fd protoreflect.FieldDescriptor) string {
	od := fd.ContainingOneof()
	if od == nil || od.IsSynthetic() || od.Fields().Len() < 2 {
		return ""
	}
	if od.Fields().Len() > maxOneofNames {
		return fmt.Sprintf("At most one of the %d members of the oneof %s.", od.Fields().Len(), od.Name())
	}
	var names []string
	for i := range od.Fields().Len() {
		names = append(names, od.Fields().Get(i).JSONName())
	}
	return "At most one of " + strings.Join(names, ", ") + "."
}

// commentOf returns the comment of a descriptor as one line, "" if there is none.
func commentOf(d protoreflect.Descriptor) string {
	location := d.ParentFile().SourceLocations().ByDescriptor(d)
	text := location.LeadingComments
	if text == "" {
		text = location.TrailingComments
	}
	return strings.Join(strings.Fields(text), " ")
}

// defaultOf returns the JSON of an explicit default, nil if there is none.
func defaultOf(fd protoreflect.FieldDescriptor) json.RawMessage {
	if !fd.HasDefault() {
		return nil
	}
	var value any
	switch fd.Kind() {
	case protoreflect.EnumKind:
		value = string(fd.DefaultEnumValue().Name())
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind,
		protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		value = fd.Default().String()
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		f := fd.Default().Float()
		switch {
		case math.IsNaN(f):
			value = "NaN"
		case math.IsInf(f, 1):
			value = "Infinity"
		case math.IsInf(f, -1):
			value = "-Infinity"
		default:
			value = fd.Default().Interface() // a float32 has fewer digits
		}
	default:
		value = fd.Default().Interface()
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	return text
}
