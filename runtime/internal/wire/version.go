package wire

import "github.com/mcptool-go/mcptool/internal/jsonwrite"

// Version is a protocol revision. Later revisions are greater; the zero value is no revision.
type Version uint8

// All supported revisions, and none.
const (
	NoVersion Version = iota
	V20241105
	V20250326
	V20250618
	V20251125
	V20260728

	Latest       = V20260728
	LatestLegacy = V20251125 // the last one that begins with initialize
)

// versionNames are the revisions as they are written on the wire.
var versionNames = [...]string{
	NoVersion: "",
	V20241105: "2024-11-05",
	V20250326: "2025-03-26",
	V20250618: "2025-06-18",
	V20251125: "2025-11-25",
	V20260728: "2026-07-28",
}

func (v Version) String() string { return versionNames[v] }

// ParseVersion returns the revision with this name, [NoVersion] if it is not supported.
func ParseVersion[T ~string | ~[]byte](name T) Version {
	for v := V20241105; v <= Latest; v++ {
		if versionNames[v] == string(name) {
			return v
		}
	}
	return NoVersion
}

// Feature is something that only some revisions have.
type Feature uint8

const (
	// PerRequest is modern revisions: there is no handshake, every request names its revision in _meta, every result
	// has resultType and the server's name, and lists have caching hints.
	PerRequest Feature = iota
	// Batches are arrays of messages.
	Batches
	// ToolAnnotations is the annotations member of a tool.
	ToolAnnotations
	// TitleInAnnotations means that the annotations of a tool are the only place for its title.
	TitleInAnnotations
	// Titles are the member title of tools, serverInfo and resource links.
	Titles
	// InnerMeta is _meta on tools and content blocks, not only on results.
	InnerMeta
	// LastModified is a member of the annotations of content.
	LastModified
	// Structured is structuredContent in results and outputSchema on tools,
	// both objects.
	Structured
	// StructuredAny means that both may be of any JSON type.
	StructuredAny
	// SchemaDialect means that a schema may name its dialect even if that is the default.
	SchemaDialect
	// FreeSchemas means that schemas may contain boolean subschemas.
	FreeSchemas
	// Icons are the member icons of tools, serverInfo and resource links.
	Icons
	// ServerDetails are description and websiteUrl of serverInfo.
	ServerDetails
	// ProgressMessage is the message of a progress notification.
	ProgressMessage
	// Forms are elicitation requests with a form.
	Forms
	// RichForms have titled choices, multiple choices, defaults for all fields, and a mode.
	RichForms
	// URLForms are elicitation requests for a visit of a page.
	URLForms
	// ElicitationIDs are ids of such requests.
	ElicitationIDs
	// ArgumentResults means that the revision requires a result as the answer to invalid arguments, and not a protocol
	// error.
	ArgumentResults
	// Completions is the capability of servers that complete arguments.
	Completions
	// CoreTasks are tasks that the client requests; later revisions have an extension for tasks.
	CoreTasks
)

// Span is a range of revisions, including the first and the last.
type Span struct{ First, Last Version }

// The spans of most methods.
var (
	AllVersions    = Span{V20241105, Latest}
	LegacyVersions = Span{V20241105, LatestLegacy} // that begin with initialize
	ModernVersions = Span{V20260728, Latest}       // whose requests are independent
)

// features is the table of the features of each revision.
var features = [...]Span{
	PerRequest:         {V20260728, Latest},
	Batches:            {V20250326, V20250326},
	ToolAnnotations:    {V20250326, Latest},
	TitleInAnnotations: {V20250326, V20250326},
	Titles:             {V20250618, Latest},
	InnerMeta:          {V20250618, Latest},
	LastModified:       {V20250618, Latest},
	Structured:         {V20250618, Latest},
	StructuredAny:      {V20260728, Latest},
	SchemaDialect:      {V20251125, Latest},
	FreeSchemas:        {V20260728, Latest},
	Icons:              {V20251125, Latest},
	ServerDetails:      {V20251125, Latest},
	ProgressMessage:    {V20250326, Latest},
	Forms:              {V20250618, Latest},
	RichForms:          {V20251125, Latest},
	URLForms:           {V20251125, Latest},
	ElicitationIDs:     {V20251125, V20251125},
	ArgumentResults:    {V20251125, Latest},
	Completions:        {V20250326, Latest},
	CoreTasks:          {V20251125, V20251125},
}

// Has reports whether the revision has the feature.
func (v Version) Has(f Feature) bool { return features[f].Includes(v) }

// Includes reports whether the revision is one of the span.
func (s Span) Includes(v Version) bool { return s.First <= v && v <= s.Last }

// And returns the revisions that are in both spans. If there are none, its First comes after its Last.
func (s Span) And(t Span) Span { return Span{max(s.First, t.First), min(s.Last, t.Last)} }

// VersionSet is a set of revisions.
type VersionSet [Latest + 1]bool

// Within returns the revisions of the set that are in a span, the newest first.
func (s *VersionSet) Within(span Span) (versions []Version) {
	for v := span.Last; v >= span.First; v-- {
		if s[v] {
			versions = append(versions, v)
		}
	}
	return versions
}

// AppendVersions appends the names of revisions as a JSON array.
func AppendVersions(dst []byte, versions []Version) []byte {
	dst = append(dst, '[')
	for _, v := range versions {
		dst = jsonwrite.String(jsonwrite.Comma(dst), v.String())
	}
	return append(dst, ']')
}
