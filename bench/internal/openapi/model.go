package openapi

import "encoding/json"

// An API is the generated form of a document: services of operations, and the types that they share. It is close to Go,
// so that printing it needs no decisions.
type API struct {
	Title       string // of the document
	Version     string // of the document, not of OpenAPI
	Description string
	BaseURL     string // absolute, without a slash at its end; or a path, "" included, if the document has only a relative server
	EnvPrefix   string // of environment variables, such as PETSTORE
	Schemes     []Scheme
	Security    []Requirement // of operations without their own
	Services    []*Service    // in the order of the document
	Types       []*Decl       // that several services use, in the order of their names
	Notes       []Note        // what could not be expressed
}

// A Note describes a part of the document that was left out or replaced, and the replacement.
type Note struct {
	Operation string // such as "GET /pets/{id}", or "" for a type or the whole document
	Part      string // such as "parameter filter", "schema Pet, property tags"
	Text      string // a sentence without a period: the part, and its replacement
	LeftOut   bool   // the whole operation is missing
}

// A Scheme is a way to authenticate, by its name in the document.
type Scheme struct {
	Name     string
	Kind     SchemeKind
	In, Key  string // of an API key: header, query or cookie; and its name there
	TokenURL string // of OAuth 2 client credentials
	Scopes   []string
}

// A SchemeKind is a method of authentication.
type SchemeKind string

// The kinds of schemes.
const (
	SchemeBearer            SchemeKind = "bearer" // also OAuth 2 and OpenID Connect with a token that is given
	SchemeBasic             SchemeKind = "basic"
	SchemeAPIKey            SchemeKind = "apiKey"
	SchemeClientCredentials SchemeKind = "clientCredentials"
)

// A Requirement names the schemes of which all are needed. Of several requirements one is enough; one without schemes means
// that no authentication is needed.
type Requirement []string

// A Service is a Go type with a method per operation, made of a tag of the document.
type Service struct {
	GoName     string // such as Pets
	Group      string // such as pets
	File       string // of the generated Go file, without its extension
	Doc        string
	Operations []*Operation
	Types      []*Decl // that only this service uses
}

// An Operation is a tool.
type Operation struct {
	Method, Path string // as in the document, such as "GET" and "/pets/{id}"
	GoName       string // of the method, such as GetPet
	ToolName     string // such as get_pet; at most 64 characters
	Description  string
	ReadOnly     bool
	Idempotent   bool
	Destructive  *bool
	Deprecated   bool
	Args         *Decl // a struct with a field for each of Params and for Body
	Params       []Param
	Body         *Body // nil for none
	Result       Result
	Security     *[]Requirement // nil: the requirements of the API
	BaseURL      string         // "" means BaseURL of the API
	Example      *Example       // nil if the document has none that fits
}

// A Param is a parameter of a request.
type Param struct {
	Field   string // the Go name of the field of the arguments
	Name    string // in the request
	In      string // path, query, header or cookie
	Style   string // form, simple, label, matrix, spaceDelimited, pipeDelimited, deepObject, or json for content
	Explode bool
	Raw     bool // reserved characters are not escaped (allowReserved)
}

// A Body is the body of a request.
type Body struct {
	Field     string // the Go name of the field of the arguments; of an embedded struct, the name of its type
	Kind      BodyKind
	MediaType string
	Optional  bool
	Parts     []Part // of a form or multipart body: those that differ from the defaults
}

// A BodyKind is an encoding of a body.
type BodyKind string

// The kinds of bodies.
const (
	BodyJSON      BodyKind = "json"
	BodyForm      BodyKind = "form"      // application/x-www-form-urlencoded
	BodyMultipart BodyKind = "multipart" // multipart/form-data
	BodyText      BodyKind = "text"      // a string
	BodyBytes     BodyKind = "bytes"     // base64 in the argument
)

// A Part is how a member of a form or multipart body is encoded (the Encoding Object).
type Part struct {
	Name      string
	MediaType string // "" for the default
	Style     string // "" for the default
	Explode   bool
}

// A Result is the first successful response.
type Result struct {
	Kind      ResultKind
	MediaType string // to accept
	Type      string // the Go type of JSON, such as Pet, []Pet or map[string]int64
}

// A ResultKind is a form of a result.
type ResultKind string

// The kinds of results.
const (
	ResultJSON    ResultKind = "json"
	ResultText    ResultKind = "text"    // a string
	ResultContent ResultKind = "content" // an image, a recording or an embedded resource, by the type of the response
	ResultNone    ResultKind = "none"    // a sentence with the status
)

// An Example is a call with its response, of the examples and schemas of the document, as it is in testdata/examples.json.
type Example struct {
	Tool      string          `json:"tool"`
	Args      json.RawMessage `json:"arguments"` // an object
	Method    string          `json:"method"`
	Path      string          `json:"path"`            // of the request, escaped
	Query     string          `json:"query,omitempty"` // encoded
	Body      json.RawMessage `json:"body,omitempty"`  // nil for none, or a body that is not JSON
	Status    int             `json:"status"`
	MediaType string          `json:"mediaType,omitempty"`
	Response  any             `json:"response,omitempty"` // JSON, or the text of another response
}

// A Decl declares a Go type.
type Decl struct {
	GoName string
	Doc    string
	Kind   DeclKind
	Fields []Field    // of a struct
	Type   string     // of a defined type
	Values []EnumItem // of an enum
	// Of a union: the member that identifies its structs, and their Go names by its values.
	Discriminator string
	Members       []EnumItem
	Schema        string // of raw JSON, as JSON
}

// A DeclKind is a kind of a declaration.
type DeclKind string

// The kinds of declarations.
const (
	DeclStruct DeclKind = "struct"
	DeclNamed  DeclKind = "named" // type X Y
	DeclEnum   DeclKind = "enum"  // type X string, with constants
	DeclUnion  DeclKind = "union" // an interface, registered with reflectschema.RegisterUnion
	DeclRaw    DeclKind = "raw"   // struct{ json.RawMessage }, registered with reflectschema.RegisterSchema
)

// An EnumItem is a constant of an enum, or a struct of a union.
type EnumItem struct {
	GoName string
	Value  string
}

// A Field is a field of a struct.
type Field struct {
	GoName   string
	JSON     string   // the name in JSON; "" for an embedded struct
	Type     string   // such as *int64, []Pet or mcptool.Optional[string]
	Absent   bool     // may be absent: omitzero in the json tag
	Keywords []string // of the jsonschema tag, such as "minimum=1", escaped
	Doc      string
}
