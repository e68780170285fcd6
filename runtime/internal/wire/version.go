package wire

import "github.com/mcptool-go/mcptool/internal/rawjson"

// Version is a protocol revision. Later revisions are greater. The zero value is NoVersion.
type Version uint8

// The supported revisions. NoVersion means that there is none, or an unsupported one.
const (
	NoVersion Version = iota
	V20241105
	V20250326
	V20250618
	V20251125
	V20260728

	Latest       = V20260728
	LatestLegacy = V20251125 // the last revision with initialize
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

// Feature is a feature that only some revisions have.
type Feature uint8

// The features.
const (
	// PerRequest means that requests are independent, without a handshake: every request has its revision in _meta,
	// every result has resultType and serverInfo, and lists have caching hints.
	PerRequest         Feature = iota
	Batches                    // arrays of messages
	ToolAnnotations            // the annotations member of a tool
	TitleInAnnotations         // the annotations of a tool are the only place for its title
	Titles                     // the member title of tools, serverInfo and resource links
	InnerMeta                  // _meta on tools and content blocks, not only on results
	LastModified               // the member lastModified of the annotations of content
	Structured                 // structuredContent in results and outputSchema on tools, both for JSON objects
	StructuredAny              // structuredContent may have any JSON type, and outputSchema may describe it
	SchemaDialect              // a schema may have $schema even for the default dialect
	FreeSchemas                // schemas may contain boolean subschemas
	Icons                      // the member icons of tools, serverInfo and resource links
	ServerDetails              // description and websiteUrl of serverInfo
	ProgressMessage            // the member message of progress notifications
	Forms                      // elicitation requests with a form
	RichForms                  // forms with titled choices, multiple choices, defaults for all fields, and a mode
	URLForms                   // elicitation requests that ask the user to visit a URL
	ElicitationIDs             // the ids of URLForms
	ArgumentResults            // the response to invalid arguments is a result with isError, not a protocol error
	Completions                // the capability of servers that complete arguments
	CoreTasks                  // tasks that the client requests; later revisions have an extension for tasks
)

// Span is a range of revisions, including the first and the last.
type Span struct{ First, Last Version }

// The spans of most methods.
var (
	AllVersions    = Span{V20241105, Latest}
	LegacyVersions = Span{V20241105, LatestLegacy} // with initialize
	ModernVersions = Span{V20260728, Latest}       // with independent requests
)

// features maps each feature to the revisions that have it.
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

// Includes reports whether the revision is in the span.
func (s Span) Includes(v Version) bool { return s.First <= v && v <= s.Last }

// And returns the intersection of both spans. If it is empty, its First is later than its Last.
func (s Span) And(t Span) Span { return Span{max(s.First, t.First), min(s.Last, t.Last)} }

// VersionSet is a set of revisions.
type VersionSet [Latest + 1]bool

// Within returns the revisions of the set that are in the span, newest first.
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
		dst = rawjson.AppendString(rawjson.AppendComma(dst), v.String())
	}
	return append(dst, ']')
}
