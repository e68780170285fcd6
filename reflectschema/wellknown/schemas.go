package wellknown

// Schemas that several types share.
const (
	text     = `{"type":"string"}`
	boolean  = `{"type":"boolean"}`
	integer  = `{"type":"integer"}`
	number   = `{"type":"number"}`
	date     = `{"type":"string","format":"date"}`
	dateTime = `{"description":"Time in RFC 3339 with a time zone","type":"string","format":"date-time"}`
	uuid     = `{"type":"string","format":"uuid"}`
	ulid     = `{"description":"ULID","type":"string","pattern":"^[0-7][0-9A-HJKMNP-TV-Z]{25}$"}`
	objectID = `{"description":"ObjectID in hexadecimal","type":"string","pattern":"^[0-9a-f]{24}$"}`

	// A decimal is written as a number if decimal.MarshalJSONWithoutQuotes is set, and with an exponent if
	// decimal.UseScientificNotation is.
	decimal = `{"description":"Decimal number","type":"string","pattern":"^-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$"}`

	infinity = `{"type":"string","enum":["infinity","-infinity"]}`
	null     = `{"type":"null"}`
)

// schemas maps the import path and name of a type to its schema. The zero value of each type fits, or cannot be written.
// The formats of strfmt are descriptions, because its types write and read any string.
var schemas = map[string]string{
	"github.com/shopspring/decimal.Decimal":     anyOf(decimal, number),
	"github.com/shopspring/decimal.NullDecimal": anyOf(decimal, number, null),

	"github.com/google/uuid.NullUUID":   anyOf(uuid, null),
	"github.com/gofrs/uuid/v5.NullUUID": anyOf(uuid, null),
	"github.com/oklog/ulid/v2.ULID":     ulid,

	"github.com/jackc/pgx/v5/pgtype.Bool":    anyOf(boolean, null),
	"github.com/jackc/pgx/v5/pgtype.Date":    anyOf(date, infinity, null),
	"github.com/jackc/pgx/v5/pgtype.Float4":  anyOf(number, null),
	"github.com/jackc/pgx/v5/pgtype.Float8":  anyOf(number, null),
	"github.com/jackc/pgx/v5/pgtype.Int2":    anyOf(`{"type":"integer","minimum":-32768,"maximum":32767}`, null),
	"github.com/jackc/pgx/v5/pgtype.Int4":    anyOf(`{"type":"integer","minimum":-2147483648,"maximum":2147483647}`, null),
	"github.com/jackc/pgx/v5/pgtype.Int8":    anyOf(integer, null),
	"github.com/jackc/pgx/v5/pgtype.Numeric": anyOf(number, `{"type":"string","enum":["NaN","Infinity","-Infinity"]}`, null),
	"github.com/jackc/pgx/v5/pgtype.Text":    anyOf(text, null),
	// A Timestamp has no time zone when it is written, and ignores one when it is read.
	"github.com/jackc/pgx/v5/pgtype.Timestamp":   anyOf(`{"description":"Time in RFC 3339, without a time zone","type":"string","pattern":"^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?$"}`, infinity, null),
	"github.com/jackc/pgx/v5/pgtype.Timestamptz": anyOf(dateTime, infinity, null),
	"github.com/jackc/pgx/v5/pgtype.UUID":        anyOf(uuid, null),
	"github.com/jackc/pgx/v5/pgtype.Uint32":      anyOf(`{"type":"integer","minimum":0,"maximum":4294967295}`, null),

	"github.com/guregu/null/v5.Bool":   anyOf(boolean, null),
	"github.com/guregu/null/v5.Byte":   anyOf(`{"type":"integer","minimum":0,"maximum":255}`, null),
	"github.com/guregu/null/v5.Float":  anyOf(number, null),
	"github.com/guregu/null/v5.Int":    anyOf(integer, null),
	"github.com/guregu/null/v5.Int16":  anyOf(`{"type":"integer","minimum":-32768,"maximum":32767}`, null),
	"github.com/guregu/null/v5.Int32":  anyOf(`{"type":"integer","minimum":-2147483648,"maximum":2147483647}`, null),
	"github.com/guregu/null/v5.String": anyOf(text, null),
	"github.com/guregu/null/v5.Time":   anyOf(dateTime, null),

	"github.com/guregu/null/v6.Bool":   anyOf(boolean, null),
	"github.com/guregu/null/v6.Byte":   anyOf(`{"type":"integer","minimum":0,"maximum":255}`, null),
	"github.com/guregu/null/v6.Float":  anyOf(number, null),
	"github.com/guregu/null/v6.Int":    anyOf(integer, null),
	"github.com/guregu/null/v6.Int16":  anyOf(`{"type":"integer","minimum":-32768,"maximum":32767}`, null),
	"github.com/guregu/null/v6.Int32":  anyOf(`{"type":"integer","minimum":-2147483648,"maximum":2147483647}`, null),
	"github.com/guregu/null/v6.String": anyOf(text, null),
	"github.com/guregu/null/v6.Time":   anyOf(dateTime, null),

	"gopkg.in/guregu/null.v4.Bool":   anyOf(boolean, null),
	"gopkg.in/guregu/null.v4.Float":  anyOf(number, null),
	"gopkg.in/guregu/null.v4.Int":    anyOf(integer, null),
	"gopkg.in/guregu/null.v4.String": anyOf(text, null),
	"gopkg.in/guregu/null.v4.Time":   anyOf(dateTime, null),

	"github.com/go-openapi/strfmt.Base64":   `{"description":"Bytes in base64","type":"string","contentEncoding":"base64"}`,
	"github.com/go-openapi/strfmt.CIDR":     described("Range of IP addresses, such as 192.0.2.0/24"),
	"github.com/go-openapi/strfmt.Date":     date,
	"github.com/go-openapi/strfmt.DateTime": dateTime,
	"github.com/go-openapi/strfmt.Duration": described("Duration, such as 1h30m"),
	"github.com/go-openapi/strfmt.Email":    described("Email address"),
	"github.com/go-openapi/strfmt.Hostname": described("Host name"),
	"github.com/go-openapi/strfmt.IPv4":     described("IPv4 address"),
	"github.com/go-openapi/strfmt.IPv6":     described("IPv6 address"),
	"github.com/go-openapi/strfmt.MAC":      described("MAC address"),
	"github.com/go-openapi/strfmt.ObjectId": objectID,
	"github.com/go-openapi/strfmt.Password": text,
	"github.com/go-openapi/strfmt.ULID":     ulid,
	"github.com/go-openapi/strfmt.URI":      described("URI"),
	"github.com/go-openapi/strfmt.UUID":     described("UUID"),
	"github.com/go-openapi/strfmt.UUID3":    described("UUID of version 3"),
	"github.com/go-openapi/strfmt.UUID4":    described("UUID of version 4"),
	"github.com/go-openapi/strfmt.UUID5":    described("UUID of version 5"),
	"github.com/go-openapi/strfmt.UUID7":    described("UUID of version 7"),

	"github.com/oapi-codegen/runtime/types.Date":  date,
	"github.com/oapi-codegen/runtime/types.Email": `{"description":"Email address","type":"string","examples":["name@example.com"]}`,

	"go.mongodb.org/mongo-driver/bson/primitive.DateTime": dateTime,
	"go.mongodb.org/mongo-driver/bson/primitive.ObjectID": objectID,
	"go.mongodb.org/mongo-driver/v2/bson.DateTime":        dateTime,
	"go.mongodb.org/mongo-driver/v2/bson.ObjectID":        objectID,

	// Its OpenAPI methods allow times that it does not read: exactly six digits are required.
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime": anyOf(`{"description":"Time in RFC 3339 with microseconds","type":"string","format":"date-time","pattern":"\\.[0-9]{6}[^0-9.]","examples":["2026-11-28T01:02:03.000000Z"]}`, null),
}

// anyOf returns a schema of the values that fit one of the schemas. Not all clients accept a list of types.
func anyOf(first string, more ...string) string {
	all := `{"anyOf":[` + first
	for _, schema := range more {
		all += "," + schema
	}
	return all + "]}"
}

// described returns a schema of strings that models know from its description, and that does not check them.
func described(description string) string {
	return `{"description":"` + description + `","type":"string"}`
}
