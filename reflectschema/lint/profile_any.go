package lint

import "github.com/mcptool-go/mcptool/reflectschema/internal/vet"

// anyClientRules are rules about mistakes that JSON Schema allows, and advice for every client.
var anyClientRules = []rule{
	vetted(vet.Misspelt, SeverityIgnored, "https://github.com/json-schema-org/json-schema-spec/issues/1365"),
	vetted(vet.WithoutEffect, SeverityIgnored, "https://github.com/fastify/fluent-json-schema/pull/141"),
	vetted(vet.Contradicting, SeverityRefused, "https://json-schema.org/understanding-json-schema/reference/combining"),
	vetted(vet.RefusedValue, SeverityIgnored, "https://json-schema.org/understanding-json-schema/reference/annotations"),
	{Rule: Rule{
		Name: "untyped-argument", Severity: SeverityAdvice, schemas: inputSchemas,
		Why: "a model can only guess which values are valid",
		Fix: "write the type, or an anyOf with one schema for each type; for a Go type with UnmarshalJSON, mcptool derives it after " +
			"in func init, wellknown.Register() (types of well-known modules) or reflectschema.RegisterSchema[T](`{\"type\":\"string\"}`)",
		Source: "https://json-schema.org/understanding-json-schema/reference/type", Seen: "2026-11-28",
	}, find: untypedArgument},
	{Rule: Rule{
		Name: "reference", Severity: SeverityAdvice, schemas: bothSchemas,
		Why:    "some clients do not resolve $ref, and the model then does not see the referenced schema",
		Fix:    "write the schema inline, unless it is recursive or the document would grow too large",
		Source: "https://github.com/googleapis/python-genai/issues/1122", Seen: "2026-11-20",
	}, when: atEnd, find: references},
}

// vetted returns a rule that the check finds nothing.
func vetted(c *vet.Check, severity Severity, source string) rule {
	return rule{
		Rule: Rule{Name: c.Name, Severity: severity, schemas: bothSchemas, Why: c.Why, Fix: c.Fix, Source: source, Seen: "2026-11-22"},
		find: func(l *linter, s *vet.Subschema) {
			c.Find(s, func(found string, below ...string) { l.report(s, found, below...) })
		},
	}
}
