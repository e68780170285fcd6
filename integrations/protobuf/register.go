package protobuf

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// Register registers a message type, once for the whole program, with the schema of its descriptor and the functions of
// protojson, with their default options. T is the generated struct; its pointer type is inferred:
//
//	func init() { protobuf.Register[orderpb.Order]() }
//
// It is [reflectschema.RegisterCodec] for T: it must be called before the first compile of a type that contains T, has no
// effect if it is called again, and panics if T is registered in another way. It also panics if it is called before the
// init functions of the package with the generated code, which initialize its descriptors: call it in another package. It
// is safe for concurrent use.
func Register[T any, M interface {
	*T
	proto.Message
}]() {
	md := descriptorOf(M(new(T)))
	if md == nil {
		//nolint:forbidigo // as reflectschema.RegisterCodec does: an init function cannot handle an error
		panic(fmt.Sprintf("protobuf: Register[%s]: the descriptor of the message is not initialized; call Register in another package than that of the generated code", strings.TrimPrefix(fmt.Sprintf("%T", new(T)), "*")))
	}
	reflectschema.RegisterCodec(schemaOf(md),
		func(m *T) ([]byte, error) {
			data, err := protojson.Marshal(M(m))
			return data, plain(err)
		},
		func(data []byte, m *T) error { return plain(protojson.Unmarshal(data, M(m))) })
}

// descriptorOf returns the descriptor of a message, nil if its package is not initialized. Depending on the order of
// initialization, generated code then returns nil or panics.
func descriptorOf(m proto.Message) (md protoreflect.MessageDescriptor) {
	defer func() { _ = recover() }()
	return m.ProtoReflect().Descriptor()
}

// position matches the start of an error of protojson: its package, and a position in the JSON of the message, which is
// only a part of what the caller sent. The space may be U+00A0.
var position = regexp.MustCompile(`^proto:[\s\x{a0}]*(syntax error )?(\(line \d+:\d+\): )?`)

// plain returns an error of protojson without the parts that mean nothing to a caller.
func plain(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(position.ReplaceAllString(err.Error(), ""))
}
