package lint

import (
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// ajvOptions documents the defaults of Ajv, the validator of the SDK.
const ajvOptions = "https://github.com/ajv-validator/ajv/blob/master/docs/options.md"

// typeScript2025Rules apply to version 1 of the TypeScript SDK, which validates the result of tools/list as a whole and
// compiles all output schemas in it.
var typeScript2025Rules = []rule{
	{Rule: Rule{
		Name: "root-not-object", Severity: SeverityRefused, schemas: bothSchemas,
		Why:    "the client fails tools/list, for all tools",
		Fix:    `write "type":"object" at the root, with the value in a property`,
		Source: "https://github.com/modelcontextprotocol/typescript-sdk/issues/1149", Seen: "2026-11-20",
	}, find: atRoot(notObject)},
	{Rule: Rule{
		Name: "boolean-property", Severity: SeverityRefused, schemas: bothSchemas,
		Why:    "the client fails tools/list, for all tools",
		Fix:    `write {} for true, and {"not":{}} for false`,
		Source: "https://github.com/anomalyco/opencode/issues/49464", Seen: "2026-11-20",
	}, find: rootProperty(boolean)},
	{Rule: Rule{
		Name: "dialect", Severity: SeverityRefused, schemas: outputSchemas,
		Why:    "versions that check the dialect fail tools/list, for all tools: they know only draft-07",
		Fix:    "leave $schema out",
		Source: "https://github.com/nicobailon/pi-mcp-adapter/issues/2", Seen: "2026-11-20",
	}, find: dialectOtherThan(authority.Draft7)},
	{Rule: Rule{
		Name: "lost-reference", Severity: SeverityRefused, schemas: outputSchemas,
		Why:    "the client fails tools/list, for all tools",
		Fix:    "make $ref point to a schema in the document",
		Source: "https://github.com/modelcontextprotocol/typescript-sdk/issues/1175", Seen: "2026-11-20",
	}, find: lostRef},
	{Rule: Rule{
		Name: "pattern", Severity: SeverityRefused, schemas: outputSchemas,
		Why:    "the client fails tools/list, for all tools: it compiles patterns with the flag u of ECMAScript",
		Fix:    "write a pattern that RE2 and ECMAScript read alike: no flags, no \\A, \\z or [[:alpha:]]",
		Source: ajvOptions, Seen: "2026-11-20",
	}, find: notECMAScript},
	{Rule: Rule{
		Name: "keyword-since-draft-07", Severity: SeverityIgnored, schemas: bothSchemas,
		Why:    "the client reads draft-07, which has no such keyword",
		Fix:    "leave it out, or say the same with keywords of both dialects",
		Source: "https://newreleases.io/project/npm/ajv/release/7.0.0-beta.4", Seen: "2026-11-20",
	}, find: having(jsondoc.NamesOf(func(k jsondoc.Keyword) bool { return k.Dialects == jsondoc.Draft2020 })...)},
	{Rule: Rule{
		Name: "beside-ref", Severity: SeverityAdvice, schemas: bothSchemas,
		Why:    "draft-07 ignores keywords beside $ref; the validator of the SDK does not, other readers of these revisions may",
		Fix:    "move it into the definition",
		Source: "https://json-schema.org/understanding-json-schema/structuring#dollarref", Seen: "2026-11-20",
	}, find: besideRef(jsondoc.IsAnnotation)},
}
