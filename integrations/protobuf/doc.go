// Package protobuf makes protobuf messages arguments and results of tools, in the JSON format of protobuf that
// [google.golang.org/protobuf/encoding/protojson] reads and writes. Without it, reflectschema refuses generated messages,
// because encoding/json would write their Go fields: enums as numbers, and a oneof under the name of its Go field.
//
// Each message type that a tool uses directly is registered once, in an init function:
//
//	func init() { protobuf.Register[orderpb.Order]() }
//
//	func GetOrder(ctx context.Context, in GetOrderIn) (*orderpb.Order, error)
//
// Use pointers to messages in fields, elements and results, because messages must not be copied. Messages inside a
// registered message are not registered separately.
//
// # Schemas
//
// The schema of a message is made from its descriptor. It describes the JSON that protojson writes with its default
// options, and is also the schema of arguments:
//
//   - Members have their JSON names (createTime, not create_time). None is required, except required fields of proto2 and
//     editions; protojson omits zero values of fields without presence. Unknown members are refused.
//   - 64-bit integers are strings, because many clients keep numbers as float64. A float may also be "NaN", "Infinity" or
//     "-Infinity". Bytes are in base64.
//   - An enum is one of the names of its values; an open enum may also be the number of a value that has no name in this
//     version of the descriptor, so that a result with a newer value is valid. google.protobuf.NullValue is null.
//   - Maps are objects; the schema describes names of maps with integers or bools as keys.
//   - Timestamp, Duration, FieldMask, Struct, Value, ListValue, Any, Empty and the wrappers have their own form. The types
//     of the messages in an Any must be linked into the program.
//   - A member of a oneof states in its description that at most one of its oneof is set. Explicit defaults of proto2
//     and editions are defaults in the schema. Extensions are members with a name in brackets, which may have any value.
//   - Comments of fields and enums are descriptions if the descriptor has source information. The descriptors of
//     generated Go code have none.
//
// A schema has no references, so messages are written out where they occur. A message that contains itself, and a message
// below the level at which the schema would have more than 500 properties, is described as an object without its members.
//
// protojson refuses some values that the schema allows, and the caller gets its error: 64-bit integers, floats, durations
// and times beyond the range of their type, leap seconds, strings that are not base64, two members of a oneof, unknown
// extensions, an Any without "@type" or of an unknown type, and wrong members of a message that the schema does not
// describe.
package protobuf
