package wellknown

import (
	"maps"
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/internal/callsite"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
	"github.com/mcptool-go/mcptool/reflectschema/internal/walk"
)

// Register registers the schemas of these types, once for the whole program. The versions are those that the schemas were
// compared with:
//
//	github.com/go-openapi/strfmt              v0.27.4  Base64, CIDR, Date, DateTime, Duration, Email, Hostname, IPv4, IPv6, MAC, ObjectId, Password, ULID, URI, UUID, UUID3, UUID4, UUID5, UUID7
//	github.com/google/uuid                    v1.6.0   NullUUID
//	github.com/gofrs/uuid/v5                  v5.5.1   NullUUID
//	github.com/guregu/null/v5                 v5.0.0   Bool, Byte, Float, Int, Int16, Int32, String, Time
//	github.com/guregu/null/v6                 v6.0.0   Bool, Byte, Float, Int, Int16, Int32, String, Time
//	gopkg.in/guregu/null.v4                   v4.0.0   Bool, Float, Int, String, Time
//	github.com/jackc/pgx/v5/pgtype            v5.13.0  Bool, Date, Float4, Float8, Int2, Int4, Int8, Numeric, Text, Timestamp, Timestamptz, UUID, Uint32
//	github.com/oapi-codegen/runtime/types     v1.9.0   Date, Email
//	github.com/oklog/ulid/v2                  v2.1.2   ULID
//	github.com/shopspring/decimal             v1.6.0   Decimal, NullDecimal
//	go.mongodb.org/mongo-driver/v2/bson       v2.10.0  DateTime, ObjectID
//	go.mongodb.org/mongo-driver/bson/primitive v1.17.10 DateTime, ObjectID
//	k8s.io/apimachinery/pkg/apis/meta/v1      v0.37.2  MicroTime
//
// A registration of a type with [reflectschema.RegisterSchema] or [reflectschema.RegisterCodec] takes precedence, as does a
// JSONSchema method. A schema that the zero value of its type does not fit, because the module has changed, is not used.
// As with RegisterSchema, values are checked against the schema before the type reads them and after it has written them.
//
// Register must be called before the first [reflectschema.Compile] of a type that contains one of these, and panics
// otherwise, with a [reflectschema.TypeErrors]: call it in an init function, or at the start of main. Further calls have
// no effect. It is safe for concurrent use.
func Register() { register(schemas, callsite.Here(ownPackage).String()) }

const ownPackage = "github.com/mcptool-go/mcptool/reflectschema/wellknown"

// register registers schemas by import path and name. It panics if a type has been compiled already, without its schema.
func register(schemas map[string]string, location string) {
	var late []private.TypeMistake
	walk.CompiledTypes.Range(func(key, _ any) bool {
		t := key.(reflect.Type) //nolint:errcheck,forcetypeassert // nothing else is stored
		_, isNamed := walk.NamedSchemas.Load(tag.FullName(t))
		if _, ok := schemas[tag.FullName(t)]; ok && !isNamed {
			late = append(late, private.TypeMistake{Type: t.String(), Reason: "wellknown.Register at " + location + ": " + walk.TooLate.Reason, Fix: walk.TooLate.Fix})
		}
		return true
	})
	if late != nil {
		panic(reflectschema.Internal(private.Key{}).TypeErrors(late)) //nolint:forbidigo // as RegisterSchema does: an init function cannot handle an error
	}
	for name, schema := range schemas {
		walk.NamedSchemas.LoadOrStore(name, walk.NamedSchema{Schema: schema, Function: "wellknown.Register", Location: location})
	}
}

// Names returns the import paths and names of the types, with a dot between them, in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(schemas)) }
