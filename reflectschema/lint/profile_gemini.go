package lint

// geminiKeywords are the fields of the message Schema in Google's API, which rejects all other names.
var geminiKeywords = []string{
	"type", "format", "title", "description", "nullable", "enum", "default", "example", "pattern",
	"items", "minItems", "maxItems", "properties", "required", "propertyOrdering", "minProperties", "maxProperties",
	"minimum", "maximum", "minLength", "maxLength", "anyOf",
}

// geminiStrips are not known to the API either, but nearly every server writes them, so clients remove them.
var geminiStrips = []string{"additionalProperties", "$schema"}

// geminiReferences are not reported as unknown keywords, because the rule "reference" covers them.
var geminiReferences = []string{"$ref", "$defs", "definitions"}

var geminiRules = []rule{
	{Rule: Rule{
		Name: "root-not-object", Severity: SeverityRefused,
		Why:    "the API answers 400 to the whole request",
		Fix:    `write "type":"object" at the root`,
		Source: "https://github.com/diegosouzapw/OmniRoute/pull/3360", Seen: "2026-11-20",
	}, find: atRoot(notObject)},
	{Rule: Rule{
		Name: "untyped", Severity: SeverityRefused,
		Why:    "the API answers 400 to the whole request: each schema must have a type",
		Fix:    "write a type; for a value of several types, anyOf",
		Source: "https://github.com/google-gemini/gemini-cli/issues/2282", Seen: "2026-11-20",
	}, find: untyped("$ref", "anyOf", "oneOf", "allOf")},
	{Rule: Rule{
		Name: "type-list", Severity: SeverityRefused,
		Why:    "the API answers 400 to the whole request: a schema has one type",
		Fix:    `write one type; for null as well, leave the property optional`,
		Source: "https://github.com/n8n-io/n8n/issues/15553", Seen: "2026-11-20",
	}, find: typeList},
	{Rule: Rule{
		Name: "boolean-schema", Severity: SeverityRefused,
		Why:    "the API answers 400 to the whole request",
		Fix:    "write a schema that is an object with a type",
		Source: "https://github.com/github/copilot-cli/issues/4623", Seen: "2026-11-20",
	}, find: boolean},
	{Rule: Rule{
		Name: "array-without-items", Severity: SeverityRefused,
		Why:    "the API answers 400 to the whole request",
		Fix:    "write items, with a type",
		Source: "https://github.com/router-for-me/CLIProxyAPI/issues/5292", Seen: "2026-11-20",
	}, find: withoutItems},
	{Rule: Rule{
		Name: "misplaced", Severity: SeverityRefused,
		Why:    "the API answers 400 to properties and required without type object, and to items without type array",
		Fix:    "write the type, or leave the keyword out",
		Source: "https://github.com/anomalyco/opencode/issues/11889", Seen: "2026-11-20",
	}, find: misplaced(map[string]string{"properties": "object", "required": "object", "items": "array"})},
	{Rule: Rule{
		Name: "unknown-keyword", Severity: SeverityRefused,
		Why:    "clients that do not remove it get a 400 for the whole request: the API does not know the keyword",
		Fix:    "leave it out and put it in the description; use minimum for exclusiveMinimum, an enum of one for const, anyOf for oneOf",
		Source: "https://github.com/pizza-bot-app/pizza-bot/issues/62", Seen: "2026-11-20",
	}, find: havingOther(geminiKeywords, geminiStrips, geminiReferences)},
	{Rule: Rule{
		Name: "reference", Severity: SeverityRefused,
		Why:    "clients that do not inline it get a 400 for the whole request, and a recursive schema cannot be inlined",
		Fix:    "write the schema inline, to the depth that is needed",
		Source: "https://github.com/googleapis/python-genai/issues/1122", Seen: "2026-11-20",
	}, find: having(geminiReferences...)},
	{Rule: Rule{
		Name: "format", Severity: SeverityRefused,
		Why:    "the API answers 400 to formats it does not know",
		Fix:    "write a pattern, or put it in the description",
		Source: "https://github.com/google-gemini/gemini-cli/issues/2237", Seen: "2026-11-20",
	}, find: formatsExcept(map[string][]string{
		"string":  {"enum", "date-time"},
		"integer": {"int32", "int64"},
		"number":  {"float", "double"},
	})},
	{Rule: Rule{
		Name: "enum", Severity: SeverityRefused,
		Why:    "the API answers 400 to an enum of anything but strings",
		Fix:    "write minimum and maximum, or strings",
		Source: "https://github.com/microsoft/azure-devops-mcp/issues/145", Seen: "2026-11-20",
	}, find: enumOfOthers},
	{Rule: Rule{
		Name: "empty-enum-value", Severity: SeverityRefused,
		Why:    "the API answers 400 to an empty string in an enum",
		Fix:    "leave the property optional instead",
		Source: "https://github.com/sbroenne/mcp-server-excel/issues/607", Seen: "2026-11-20",
	}, find: emptyEnumValue},
	{Rule: Rule{
		Name: "unnamed-required", Severity: SeverityRefused,
		Why:    "the API answers 400 when a required property is not in properties",
		Fix:    "name it in properties, or do not require it",
		Source: "https://github.com/iBUHub/AIStudioToAPI/issues/154", Seen: "2026-11-20",
	}, find: unnamed},
	{Rule: Rule{
		Name: "property-name", Severity: SeverityRefused,
		Why:    "names of arguments must match ^[a-zA-Z_][a-zA-Z0-9_]{0,63}$",
		Fix:    "rename it",
		Source: "https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration", Seen: "2026-11-20",
	}, find: atRoot(namesExcept(isGeminiName))},
	{Rule: Rule{
		Name: "additional-properties", Severity: SeverityIgnored,
		Why:    "clients take it out, since the API knows no such name: of a map the model sees nothing",
		Fix:    "where the members matter, name them in properties, or describe them",
		Source: "https://github.com/cuplivo/cuplivo/pull/506", Seen: "2026-11-20",
	}, find: having(geminiStrips...)},
	{Rule: Rule{
		Name: "empty-properties", Severity: SeverityAdvice,
		Why:    "the API answered 400 to objects without properties in 2025; reports of 2026 differ, and clients leave them out",
		Fix:    "name a property, if there is one; other APIs want the empty properties",
		Source: "https://github.com/bug-ops/zeph/issues/1641", Seen: "2026-11-20",
	}, find: emptyProperties},
}
