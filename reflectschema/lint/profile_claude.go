package lint

import "github.com/mcptool-go/mcptool/reflectschema/internal/authority"

var claudeRules = []rule{
	{Rule: Rule{
		Name: "root-not-object", Severity: SeverityRefused,
		Why:    "Claude Code silently drops all tools of the server",
		Fix:    `write "type":"object" at the root`,
		Source: "https://github.com/anthropics/claude-code/issues/92900", Seen: "2026-11-20",
	}, find: atRoot(notObject)},
	{Rule: Rule{
		Name: "root-combinator", Severity: SeverityRefused,
		Why:    "the API answers 400 to the whole request, or Claude Code drops the tool",
		Fix:    "describe all members in properties, and leave dependencies between them to the descriptions and the server",
		Source: "https://github.com/langchain-ai/langchain/issues/39271", Seen: "2026-11-20",
	}, find: atRoot(having("oneOf", "anyOf", "allOf"))},
	{Rule: Rule{
		Name: "boolean-property", Severity: SeverityRefused,
		Why:    "Claude Code silently drops all tools of the server",
		Fix:    `write {} for true, and {"not":{}} for false`,
		Source: "https://github.com/anthropics/claude-code/issues/92900", Seen: "2026-11-20",
	}, find: heldBy("properties", boolean)},
	{Rule: Rule{
		Name: "property-name", Severity: SeverityRefused,
		Why:    "the API answers 400 to the whole request: names of arguments match ^[a-zA-Z0-9_.-]{1,64}$",
		Fix:    "rename it",
		Source: "https://github.com/anthropics/claude-code/issues/79418", Seen: "2026-11-20",
	}, find: atRoot(namesExcept(isAnthropicName))},
	{Rule: Rule{
		Name: "list-of-items", Severity: SeverityRefused,
		Why:    "the API answers 400 to invalid JSON Schema 2020-12, which calls this prefixItems",
		Fix:    "write an object with a property for each position, or one schema for all items",
		Source: "https://github.com/antvis/mcp-server-chart/issues/205", Seen: "2026-11-20",
	}, find: tuple},
	{Rule: Rule{
		Name: "output-dialect", Severity: SeverityRefused, schemas: outputSchemas,
		Why:    "Claude Code validates outputs as 2020-12 only, and fails each call of the tool before it is sent",
		Fix:    "write the schema in 2020-12 and leave $schema out",
		Source: "https://github.com/IBM/ibmi-mcp-server/issues/165", Seen: "2026-11-20",
	}, find: dialectOtherThan(authority.Draft2020)},
	{Rule: Rule{
		Name: "undescribed-property", Severity: SeverityAdvice,
		Why:    "the model knows an argument only from the schema",
		Fix:    "add a description",
		Source: "https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools", Seen: "2026-11-20",
	}, find: undescribed},
}
