package reflectschema

// anyClientRules are what JSON Schema itself lets pass and no author can have meant.
var anyClientRules = []rule{
	{Rule: Rule{
		Name: "misspelt-keyword", Severity: Ignored, schemas: bothSchemas,
		Why:    "JSON Schema ignores keywords and formats that it does not know, so nobody applies it",
		Fix:    "write it as it is spelt; keywords of your own start with x-",
		Source: "https://github.com/json-schema-org/json-schema-spec/issues/1365", Seen: "2026-11-22",
	}, find: misspelt},
	{Rule: Rule{
		Name: "keyword-without-effect", Severity: Ignored, schemas: bothSchemas,
		Why:    "neither the dialect of the document nor the type beside it gives it a meaning, so nobody applies it",
		Fix:    "write the keyword of the dialect and the type, name the other dialect in $schema, or drop it",
		Source: "https://github.com/fastify/fluent-json-schema/pull/141", Seen: "2026-11-22",
	}, find: withoutEffect},
	{Rule: Rule{
		Name: "contradiction", Severity: Refused, schemas: bothSchemas,
		Why:    "whoever checks it refuses every such value",
		Fix:    "correct one of them",
		Source: "https://json-schema.org/understanding-json-schema/reference/combining", Seen: "2026-11-22",
	}, find: contradicting},
	{Rule: Rule{
		Name: "refused-value", Severity: Ignored, schemas: bothSchemas,
		Why:    "its own schema refuses the value, so whoever uses it is refused",
		Fix:    "correct the value, or the schema",
		Source: "https://json-schema.org/understanding-json-schema/reference/annotations", Seen: "2026-11-22",
	}, find: refusedValues},
	{Rule: Rule{
		Name: "reference", Severity: Advice, schemas: bothSchemas,
		Why:    "some clients follow no $ref, and the model then knows nothing of what it stands for",
		Fix:    "write the schema out where it is needed, unless it is recursive or the document would grow too large",
		Source: "https://github.com/googleapis/python-genai/issues/1122", Seen: "2026-11-20",
	}, when: atEnd, find: references},
}
