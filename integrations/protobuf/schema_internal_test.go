package protobuf

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/apipb"
	_ "google.golang.org/protobuf/types/known/emptypb" // kinds3 imports it
	"google.golang.org/protobuf/types/known/structpb"
	_ "google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/mcptool-go/mcptool/integrations/protobuf/testdata/orderpb"
	"github.com/mcptool-go/mcptool/internal/testing/golden"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// file returns the descriptor in a file of testdata.
func file(tb testing.TB, name string) protoreflect.FileDescriptor {
	tb.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		tb.Fatal(err)
	}
	var set descriptorpb.FileDescriptorSet
	if err := prototext.Unmarshal(text, &set); err != nil {
		tb.Fatal(err)
	}
	fd, err := protodesc.NewFile(set.GetFile()[0], protoregistry.GlobalFiles)
	if err != nil {
		tb.Fatal(err)
	}
	return fd
}

// messagesOf returns the messages of a file, without those in others.
func messagesOf(fd protoreflect.FileDescriptor) (all []protoreflect.MessageDescriptor) {
	for i := range fd.Messages().Len() {
		all = append(all, fd.Messages().Get(i))
	}
	return all
}

// tried are the messages whose schemas are compared with protojson.
func tried(tb testing.TB) (all []protoreflect.MessageDescriptor) {
	tb.Helper()
	for _, fd := range []protoreflect.FileDescriptor{
		file(tb, "kinds2.txtpb"), file(tb, "kinds3.txtpb"),
		orderpb.File_order_proto, errdetails.File_google_rpc_error_details_proto, status.File_google_rpc_status_proto,
		apipb.File_google_protobuf_api_proto, descriptorpb.File_google_protobuf_descriptor_proto, structpb.File_google_protobuf_struct_proto,
	} {
		all = append(all, messagesOf(fd)...)
	}
	return all
}

func compile(tb testing.TB, md protoreflect.MessageDescriptor) *reflectschema.Schema {
	tb.Helper()
	s, err := reflectschema.ParseSchema([]byte(schemaOf(md)))
	if err != nil {
		tb.Fatalf("%s: %v", md.FullName(), err)
	}
	return s
}

// TestWrittenFits checks that the JSON that protojson writes of random messages fits the schema, and is read again as an
// equal message.
func TestWrittenFits(t *testing.T) {
	t.Parallel()
	for _, md := range tried(t) {
		s := compile(t, md)
		for seed := range uint64(300) {
			m := dynamicpb.NewMessage(md)
			f := filler{rand.New(rand.NewPCG(seed, 0)), t}
			f.fill(m, 4)
			data, err := protojson.Marshal(m)
			if err != nil {
				t.Fatalf("%s: protojson does not write a message of the test: %v", md.FullName(), err)
			}
			if err := s.Check(data); err != nil {
				t.Errorf("%s %s: %v\n%s", md.FullName(), data, err, s)
				break
			}
			again := dynamicpb.NewMessage(md)
			if err := protojson.Unmarshal(data, again); err != nil || !proto.Equal(m, again) {
				t.Errorf("%s: %s is read as %v, error %v", md.FullName(), data, again, err)
			}
		}
	}
}

// Parts of errors for values that the schema allows and protojson refuses, see the package documentation: in any message,
// and in extensions and messages that contain themselves, which the schema does not describe.
var (
	unread      = []string{"invalid value for bytes", "already set", "unable to resolve"}
	undescribed = []string{"unknown field", "invalid value for enum"}
)

// TestAllowedIsRead checks that protojson reads the values that the schema allows, but for documented exceptions, and that
// most values are read.
func TestAllowedIsRead(t *testing.T) {
	t.Parallel()
	read, refused := 0, map[string]int{}
	for _, md := range tried(t) {
		s := compile(t, md)
		for _, sample := range samples.Of(s) {
			if s.Check(sample.JSON) != nil {
				continue
			}
			err := protojson.Unmarshal(sample.JSON, dynamicpb.NewMessage(md))
			if err == nil {
				read++
				continue
			}
			known := unread
			if text := s.String(); strings.Contains(text, "like the one that contains it") || strings.Contains(text, "An extension") {
				known = slices.Concat(unread, undescribed)
			}
			i := slices.IndexFunc(known, func(part string) bool { return strings.Contains(err.Error(), part) })
			if i < 0 {
				t.Errorf("%s: %s fits the schema: %v", md.FullName(), sample.JSON, err)
				continue
			}
			refused[known[i]]++
		}
	}
	t.Logf("%d values read, refused: %v", read, refused)
	if read < 500 {
		t.Errorf("%d values read", read)
	}
}

// A filler fills messages with random values.
type filler struct {
	*rand.Rand
	tb testing.TB
}

func (f filler) fill(m protoreflect.Message, depth int) {
	md := m.Descriptor()
	if f.fillKnown(m, depth) {
		return
	}
	for i := range md.Fields().Len() {
		fd := md.Fields().Get(i)
		isMessage := fd.Message() != nil && !fd.IsMap()
		switch {
		case fd.Cardinality() == protoreflect.Required && !isMessage:
		case depth == 0 && fd.Message() != nil, f.IntN(3) == 0:
			continue
		}
		switch {
		case fd.IsMap():
			entries := m.Mutable(fd).Map()
			for range f.IntN(3) {
				entries.Set(f.scalar(fd.MapKey()).MapKey(), f.value(entries.NewValue, fd.MapValue(), depth))
			}
		case fd.IsList():
			list := m.Mutable(fd).List()
			for range f.IntN(3) {
				list.Append(f.value(list.NewElement, fd, depth))
			}
		default:
			m.Set(fd, f.value(func() protoreflect.Value { return m.NewField(fd) }, fd, depth))
		}
	}
}

func (f filler) value(made func() protoreflect.Value, fd protoreflect.FieldDescriptor, depth int) protoreflect.Value {
	if fd.Message() == nil {
		return f.scalar(fd)
	}
	v := made()
	f.fill(v.Message(), depth-1)
	return v
}

// fillKnown fills a well-known type with a value that has a form in JSON.
func (f filler) fillKnown(m protoreflect.Message, depth int) bool {
	fields := m.Descriptor().Fields()
	set := func(name protoreflect.Name, v any) { m.Set(fields.ByName(name), protoreflect.ValueOf(v)) }
	switch m.Descriptor().FullName() {
	case "google.protobuf.Timestamp":
		set("seconds", f.Int64N(253402300799+62135596800)-62135596800)
		set("nanos", int32(f.IntN(1_000_000_000)))
	case "google.protobuf.Duration":
		sign := int64(f.IntN(2)*2 - 1)
		set("seconds", sign*f.Int64N(315_576_000_000))
		set("nanos", int32(sign)*int32(f.IntN(3)*1_000_000))
	case "google.protobuf.FieldMask":
		paths := m.Mutable(fields.ByName("paths")).List()
		for range f.IntN(4) {
			paths.Append(protoreflect.ValueOfString([]string{"a", "b_c.d", "_foo.bar_baz", "x1"}[f.IntN(4)]))
		}
	case "google.protobuf.Value":
		switch n := f.IntN(6); {
		case n == 0 || depth <= 0:
			set("null_value", protoreflect.EnumNumber(0))
		case n == 1:
			set("number_value", f.NormFloat64())
		case n == 2:
			set("string_value", f.text())
		case n == 3:
			set("bool_value", true)
		case n == 4:
			f.fill(m.Mutable(fields.ByName("struct_value")).Message(), depth-1)
		default:
			f.fill(m.Mutable(fields.ByName("list_value")).Message(), depth-1)
		}
	case "google.protobuf.Any":
		if f.IntN(4) == 0 {
			return true
		}
		inner, err := anypb.New(&orderpb.Line{Sku: f.text(), UnitPriceCents: f.Int64()})
		if f.IntN(2) == 0 {
			inner, err = anypb.New(structpb.NewStringValue(f.text()))
		}
		if err != nil {
			f.tb.Fatal(err)
		}
		set("type_url", inner.GetTypeUrl())
		set("value", inner.GetValue())
	default:
		return false
	}
	return true
}

func (f filler) text() string { return []string{"", "a", "ü<&>", "\u2028\"\\\x01", "👍"}[f.IntN(5)] }

func pick[T any](f filler, values ...T) T { return values[f.IntN(len(values))] }

func (f filler) scalar(fd protoreflect.FieldDescriptor) protoreflect.Value {
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(f.IntN(2) == 0)
	case protoreflect.EnumKind:
		values := fd.Enum().Values()
		if fd.Enum().FullName() != "google.protobuf.NullValue" && !fd.Enum().IsClosed() && f.IntN(4) == 0 {
			return protoreflect.ValueOfEnum(pick(f, 12345, protoreflect.EnumNumber(math.MinInt32), math.MaxInt32))
		}
		return protoreflect.ValueOfEnum(values.Get(f.IntN(values.Len())).Number())
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(pick(f, 0, -1, math.MinInt32, math.MaxInt32, f.Int32()))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(pick(f, 0, math.MaxUint32, f.Uint32()))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(pick(f, 0, -1, math.MinInt64, math.MaxInt64, f.Int64()))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(pick(f, 0, math.MaxUint64, f.Uint64()))
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(pick(f, 0, math.MaxFloat32, math.SmallestNonzeroFloat32, float32(math.Inf(1)), f.Float32()))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(pick(f, 0, math.MaxFloat64, -math.SmallestNonzeroFloat64, math.Inf(-1), math.NaN(), math.Copysign(0, -1), f.NormFloat64()))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(pick(f, nil, []byte{0xfb, 0xff}, []byte("abc")))
	default:
		return protoreflect.ValueOfString(f.text())
	}
}

// TestSchema checks the schemas of messages in full.
func TestSchema(t *testing.T) {
	t.Parallel()
	want := golden.Open(t, "testdata/schemas.golden")
	for _, md := range append(messagesOf(file(t, "kinds2.txtpb")), messagesOf(file(t, "kinds3.txtpb"))...) {
		want.Check(t, string(md.FullName()), schemaOf(md))
	}
}

// TestComments checks that comments in the descriptor are descriptions.
func TestComments(t *testing.T) {
	t.Parallel()
	fd := protodesc.ToFileDescriptorProto(orderpb.File_order_proto)
	comment := func(text string, path ...int32) {
		fd.SourceCodeInfo.Location = append(fd.SourceCodeInfo.Location, &descriptorpb.SourceCodeInfo_Location{Path: path, Span: []int32{1, 1, 1}, LeadingComments: &text})
	}
	fd.SourceCodeInfo = &descriptorpb.SourceCodeInfo{}
	comment(" A line of\n an order.\n", 4, 0)
	comment(" The article.\n", 4, 0, 2, 0)
	comment(" Paid by card.", 4, 2, 2, 5)
	comment(" Its progress.", 5, 0)
	file, err := protodesc.NewFile(fd, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	got := schemaOf(file.Messages().ByName("Order"))
	for _, want := range []string{
		`"items":{"description":"A line of an order.","type":"object","properties":{"sku":{"description":"The article.","type":"string"}`,
		`"card":{"description":"Paid by card. At most one of card, invoiceNumber."`,
		`"state":{"description":"Its progress.","anyOf":`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s\nwant %s in it", got, want)
		}
	}
}

// TestLarge checks that a message with many messages in it gets a schema of limited size, whose outer levels are complete.
func TestLarge(t *testing.T) {
	t.Parallel()
	const levels, each = 12, 10
	fd := &descriptorpb.FileDescriptorProto{Name: proto.String("large.proto"), Package: proto.String("large"), Syntax: proto.String("proto3")}
	for level := range levels {
		m := &descriptorpb.DescriptorProto{Name: proto.String("L" + strconv.Itoa(level))}
		for i := range each {
			f := &descriptorpb.FieldDescriptorProto{
				Name: proto.String("f" + strconv.Itoa(i)), Number: proto.Int32(int32(i + 1)),
				Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(),
			}
			if level+1 < levels {
				f.Type, f.TypeName = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), proto.String(".large.L"+strconv.Itoa(level+1))
			}
			m.Field = append(m.Field, f)
		}
		fd.MessageType = append(fd.MessageType, m)
	}
	file, err := protodesc.NewFile(fd, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := schemaOf(file.Messages().Get(0))
	if n := strings.Count(got, `"type":`); n != 1+each+each*each {
		t.Errorf("%d schemas, want those of two levels and their members", n)
	}
	if n := strings.Count(got, `{"description":"A large.L2","type":"object"}`); n != each*each {
		t.Errorf("%d messages are not described, want %d", n, each*each)
	}
	wide := descriptorpb.File_google_protobuf_descriptor_proto.Messages().ByName("FileDescriptorProto")
	if got := len(schemaOf(wide)); got > 100*maxProperties {
		t.Errorf("the schema of %s has %d bytes", wide.FullName(), got)
	}
}
