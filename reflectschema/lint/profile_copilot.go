package lint

// toolSchemaNormalizer is the file of the extension that reads, repairs and rejects tool schemas, and the source of
// most rules below.
const toolSchemaNormalizer = "https://github.com/microsoft/vscode-copilot-chat/blob/1700547f76f4a154cb27130be5b522fb27906648/src/extension/tools/common/toolSchemaNormalizer.ts"

// copilotRules apply to GitHub Copilot with every model, except where Why names one.
var copilotRules = []rule{
	{Rule: Rule{
		Name: "array-without-items", Severity: SeverityRefused,
		Why:    "VS Code fails every request in which the tool is enabled",
		Fix:    "write items, {} if anything goes",
		Source: "https://github.com/microsoft/vscode/issues/246119", Seen: "2026-11-20",
	}, find: falsyItems},
	{Rule: Rule{
		Name: "no-schema", Severity: SeverityRefused,
		Why:    "VS Code fails every request in which the tool is enabled: the schema is not valid",
		Fix:    "write a schema, which is an object",
		Source: toolSchemaNormalizer, Seen: "2026-11-20",
	}, when: onBroken, find: notSchema},
	{Rule: Rule{
		Name: "type-list-of-items", Severity: SeverityRefused,
		Why:    "with a Gemini model, Copilot CLI gets a 400 for every request",
		Fix:    "write one type",
		Source: "https://github.com/github/copilot-cli/issues/4623", Seen: "2026-11-20",
	}, find: heldBy("items", typeList)},
	{Rule: Rule{
		Name: "boolean-property", Severity: SeverityRefused,
		Why:    "with a Gemini model, Copilot CLI gets a 400 for every request",
		Fix:    `write {} for true, and {"not":{}} for false`,
		Source: "https://github.com/github/copilot-cli/issues/4623", Seen: "2026-11-20",
	}, find: heldBy("properties", boolean)},
	{Rule: Rule{
		Name: "root-not-object", Severity: SeverityIgnored,
		Why:    "VS Code sends an object without properties instead of the schema",
		Fix:    `write "type":"object" at the root`,
		Source: toolSchemaNormalizer, Seen: "2026-11-20",
	}, find: atRoot(notObject)},
	{Rule: Rule{
		Name: "root-combinator", Severity: SeverityIgnored,
		Why:    "VS Code removes it",
		Fix:    "describe all members in properties, and leave dependencies between them to the descriptions and the server",
		Source: toolSchemaNormalizer, Seen: "2026-11-20",
	}, find: atRoot(having("oneOf", "anyOf", "allOf", "not", "if", "then", "else"))},
	{Rule: Rule{
		Name: "unnamed-required", Severity: SeverityIgnored,
		Why:    "VS Code removes required properties that are not in properties",
		Fix:    "name it in properties, or do not require it",
		Source: toolSchemaNormalizer, Seen: "2026-11-20",
	}, find: unnamed},
	{Rule: Rule{
		Name: "list-of-items", Severity: SeverityIgnored,
		Why:    "VS Code converts it to anyOf for models that read 2020-12",
		Fix:    "write an object with a property for each position, or one schema for all items",
		Source: toolSchemaNormalizer, Seen: "2026-11-20",
	}, find: tuple},
	{Rule: Rule{
		Name: "long-description", Severity: SeverityIgnored,
		Why:    "VS Code cuts it after 1024 characters for models of the GPT-4 family",
		Fix:    "make it shorter; put the most important first",
		Source: toolSchemaNormalizer, Seen: "2026-11-20",
	}, find: describedBeyond(1024)},
	{Rule: Rule{
		Name: "constraint", Severity: SeverityAdvice,
		Why:    "VS Code removes it for models of the GPT-4 family, which then see it only in the error of a call",
		Fix:    "add it to the description if the model should know it",
		Source: toolSchemaNormalizer, Seen: "2026-11-20",
	}, find: having(
		"minLength", "maxLength", "pattern", "default", "format", "minimum", "maximum", "multipleOf",
		"patternProperties", "unevaluatedProperties", "propertyNames", "minProperties", "maxProperties",
		"unevaluatedItems", "contains", "minContains", "maxContains", "minItems", "maxItems", "uniqueItems",
	)},
}
