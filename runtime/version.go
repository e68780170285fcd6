package runtime

// version is a protocol revision. They are ordered by age; the zero value is none.
type version uint8

const (
	noVersion version = iota
	v20241105
	v20250326
	v20250618
	v20251125
	v20260728

	latest       = v20260728
	latestLegacy = v20251125 // the last one that begins with initialize
)

// versionNames are the revisions as they are written on the wire.
var versionNames = [...]string{
	noVersion: "",
	v20241105: "2024-11-05",
	v20250326: "2025-03-26",
	v20250618: "2025-06-18",
	v20251125: "2025-11-25",
	v20260728: "2026-07-28",
}

func (v version) String() string { return versionNames[v] }

// parseVersion returns the revision with this name, noVersion if we do not know it.
func parseVersion[T ~string | ~[]byte](name T) version {
	for v := v20241105; v <= latest; v++ {
		if versionNames[v] == string(name) {
			return v
		}
	}
	return noVersion
}

// feature is something that not every revision has.
type feature uint8

const (
	// perRequest is the modern era: no handshake, every request says in its
	// _meta what it speaks, every result carries resultType and the server's
	// name, and lists carry caching hints.
	perRequest feature = iota
	// batches are arrays of messages.
	batches
	// toolAnnotations is the annotations member of a tool.
	toolAnnotations
	// titleInAnnotations is the only place this revision has for a title.
	titleInAnnotations
	// titles stand on tools, serverInfo and resource links.
	titles
	// innerMeta is _meta on tools and content blocks, not only on results.
	innerMeta
	// lastModified is a member of the annotations of content.
	lastModified
	// structured is structuredContent in results and outputSchema on tools,
	// both objects.
	structured
	// structuredAny lets both be of any JSON type.
	structuredAny
	// schemaDialect lets schemas say that they are of the dialect they are taken for anyway.
	schemaDialect
	// freeSchemas lets schemas hold boolean subschemas.
	freeSchemas
	// icons stand on tools, serverInfo and resource links.
	icons
	// serverDetails are description and websiteUrl of serverInfo.
	serverDetails
	// progressMessage is the message of a progress notification.
	progressMessage
	// forms are questions to the user in the middle of a call.
	forms
	// richForms have titled choices, choices of several, and defaults for all fields; and a mode.
	richForms
	// urlForms ask the user to visit a page.
	urlForms
	// elicitationIDs name such a visit.
	elicitationIDs
	// argumentResults has arguments that do not fit answered by a result the
	// model reads, instead of by a protocol error.
	argumentResults
	// coreTasks are the tasks that a client asks for; later revisions have an extension for them.
	coreTasks
)

// span is from the first to the last revision that has a feature.
type span struct{ first, last version }

// features is the one table of what each revision has.
var features = [...]span{
	perRequest:         {v20260728, latest},
	batches:            {v20250326, v20250326},
	toolAnnotations:    {v20250326, latest},
	titleInAnnotations: {v20250326, v20250326},
	titles:             {v20250618, latest},
	innerMeta:          {v20250618, latest},
	lastModified:       {v20250618, latest},
	structured:         {v20250618, latest},
	structuredAny:      {v20260728, latest},
	schemaDialect:      {v20251125, latest},
	freeSchemas:        {v20260728, latest},
	icons:              {v20251125, latest},
	serverDetails:      {v20251125, latest},
	progressMessage:    {v20250326, latest},
	forms:              {v20250618, latest},
	richForms:          {v20251125, latest},
	urlForms:           {v20251125, latest},
	elicitationIDs:     {v20251125, v20251125},
	argumentResults:    {v20251125, latest},
	coreTasks:          {v20251125, v20251125},
}

// has reports whether the revision has the feature.
func (v version) has(f feature) bool { return features[f].includes(v) }

func (s span) includes(v version) bool { return s.first <= v && v <= s.last }

// HasHandshake reports whether protocolVersion names a revision that we serve and that
// begins with a handshake, initialize. The others that we serve name themselves in
// every message.
func HasHandshake(protocolVersion string) bool {
	v := parseVersion(protocolVersion)
	return v != noVersion && !v.has(perRequest)
}
