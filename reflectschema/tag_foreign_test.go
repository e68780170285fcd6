package reflectschema_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// TestTagKeys checks which keys of a struct tag are misspelled keys of this package, and which belong to other
// libraries.
func TestTagKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ key, want string }{
		{"mcps", "write mcp"},
		{"mcp_", "write mcp"},
		{"mp", "write mcp"},
		{"mcq", "write mcp"},
		{"mpc", "write mcp"},
		{"MCPs", "write mcp"},
		{"docs", "write doc"},
		{"doc_", "write doc"},
		{"odc", "write doc"},
		{"Doc", "write doc"},
		{"jsom", "write json"},
		{"jsn", "write json"},
		{"jsoms", "write json"},
		{"_json", "write json"},
		{"jsonschemas", "write jsonschema"},
		{"jsonschema_descriptions", "write jsonschema_description"},
		{"enums", `write jsonschema:"enum=3"`},
		{"titel", `write jsonschema:"title=3"`},
		{"titles", `write jsonschema:"title=3"`},
		{"d\u043ec", "has non-ASCII letters"},  // Cyrillic o
		{"doc\u200b", "has non-ASCII letters"}, // zero width
		{"\u0434\u043e\u043a", "has non-ASCII letters"},
	} {
		if err := compileTag(tt.key + `:"3"`); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.key, err, tt.want)
		}
	}
	for _, key := range strings.Fields(`db sql gorm xorm bun pg ch orm yaml toml xml bson hjson json5 jsonb jsonapi jsonpb msgpack msg codec cbor avro parquet csv
		form query uri url path header cookie param schema validate binding valid mapstructure structs koanf env envconfig split_words conf config
		protobuf protobuf_oneof thrift redis dynamodbav dynamo firestore datastore spanner bigquery graphql neo4j ldap asn1 tls hcl ini properties
		help short long name arg cmd flag cli placeholder sep desc usage alias group hidden negatable faker fake mock copier deepcopier diff hash
		swaggertype swaggerignore extensions in dc loc map num cost tile tcp mod modifier conform human log zap slog`) {
		if err := compileTag(key + `:"3"`); err != nil {
			t.Errorf("a key of another library is refused: %v", err)
		}
	}
	for _, tt := range []struct{ tag, want string }{
		{`enum:"a,b"`, `write jsonschema:"enum=a,enum=b"`},
		{`enums:"a, b"`, `write jsonschema:"enum=a,enum=b"`},
		{`pattern:"a{1,2}"`, `write jsonschema:"pattern=a{1\\,2}"`},
	} {
		if err := compileTag(tt.tag); err == nil || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.tag, err, tt.want)
		}
	}
	if err := compileTag(`enums:"3" jsonschema:"enum=3"`); err != nil {
		t.Errorf("a key of another library that is also a keyword: %v", err)
	}
}

func compileTag(tag string) error {
	_, err := compileOwn(reflect.StructOf([]reflect.StructField{{Name: "F", Type: reflect.TypeFor[string](), Tag: reflect.StructTag(tag)}}), reflectschema.DirectionInput)
	return err
}
