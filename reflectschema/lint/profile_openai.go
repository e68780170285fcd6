package lint

// openAIRules apply to function calling with and without strict mode.
var openAIRules = []rule{
	{Rule: Rule{
		Name: "root-not-object", Severity: SeverityRefused,
		Why:    "the API answers 400 to the whole request",
		Fix:    `write "type":"object" at the root`,
		Source: "https://github.com/langchain-ai/langchainjs/issues/9804", Seen: "2026-11-20",
	}, find: atRoot(notObject)},
	{Rule: Rule{
		Name: "root-combinator", Severity: SeverityRefused,
		Why:    "the API answers 400 to the whole request",
		Fix:    "describe all members in properties, and leave dependencies between them to the descriptions and the server",
		Source: "https://github.com/goruck/home-generative-agent/pull/545", Seen: "2026-11-20",
	}, find: atRoot(having("oneOf", "anyOf", "allOf", "enum", "const", "not"))},
	{Rule: Rule{
		Name: "root-without-properties", Severity: SeverityRefused,
		Why:    "the API answers 400 to the whole request",
		Fix:    `write "properties":{} where there are no arguments`,
		Source: "https://github.com/openai/openai-agents-python/issues/449", Seen: "2026-11-20",
	}, find: atRoot(withoutProperties)},
	{Rule: Rule{
		Name: "array-without-items", Severity: SeverityRefused,
		Why:    "the API answers 400 to the whole request",
		Fix:    "write items, {} if anything goes",
		Source: "https://github.com/digitalocean-labs/mcp-digitalocean/issues/265", Seen: "2026-11-20",
	}, find: withoutItems},
	{Rule: Rule{
		Name: "lookaround", Severity: SeverityRefused,
		Why:    "the API answers 400 to the whole request",
		Fix:    "write a pattern without lookaround, or a format, or check it in the server alone",
		Source: "https://github.com/cline/cline/pull/14019", Seen: "2026-11-20",
	}, find: lookaround},
	{Rule: Rule{
		Name: "no-schema", Severity: SeverityRefused,
		Why:    "the API answers 400 to the whole request",
		Fix:    "write a schema, which is an object",
		Source: "https://github.com/smallmain/vscode-unify-chat-provider/issues/162", Seen: "2026-11-20",
	}, when: onBroken, find: notSchema},
}

// structuredOutputs is OpenAI's documentation of strict mode.
const structuredOutputs = "https://developers.openai.com/api/docs/guides/structured-outputs"

// openAIStrictRules are the additional rules of strict mode, which supports recursion.
var openAIStrictRules = []rule{
	{Rule: Rule{
		Name: "optional-property", Severity: SeverityRefused,
		Why:    "strict mode answers 400 unless all properties are required",
		Fix:    `require it, and let it be null: "type":["string","null"]`,
		Source: structuredOutputs, Seen: "2026-11-20",
	}, find: optional},
	{Rule: Rule{
		Name: "open-object", Severity: SeverityRefused,
		Why:    "strict mode answers 400 unless all objects are closed; it has no maps",
		Fix:    `write "additionalProperties":false; for a map, a list of objects with a name and a value`,
		Source: structuredOutputs, Seen: "2026-11-20",
	}, find: open},
	{Rule: Rule{
		Name: "untyped", Severity: SeverityRefused,
		Why:    "strict mode answers 400: each schema must have a type",
		Fix:    "write a type; for a value of several types, anyOf",
		Source: "https://github.com/can1357/oh-my-pi/issues/211", Seen: "2026-11-20",
	}, find: untyped("$ref", "anyOf", "oneOf", "allOf", "not")},
	{Rule: Rule{
		Name: "composition", Severity: SeverityRefused,
		Why:    "strict mode answers 400",
		Fix:    "put it in the description, or with anyOf",
		Source: structuredOutputs, Seen: "2026-11-20",
	}, find: having("allOf", "not", "dependentRequired", "dependentSchemas", "if", "then", "else")},
	{Rule: Rule{
		Name: "one-of", Severity: SeverityRefused,
		Why:    "strict mode answers 400",
		Fix:    "write anyOf",
		Source: "https://github.com/openai/openai-node/issues/1625", Seen: "2026-11-20",
	}, find: having("oneOf")},
	{Rule: Rule{
		Name: "property-names", Severity: SeverityRefused,
		Why:    "strict mode answers 400",
		Fix:    "leave it out: strict mode accepts only named members",
		Source: "https://github.com/can1357/oh-my-pi/issues/209", Seen: "2026-11-20",
	}, find: having("propertyNames")},
	{Rule: Rule{
		Name: "unique-items", Severity: SeverityRefused,
		Why:    "strict mode answers 400",
		Fix:    "put it in the description",
		Source: "https://github.com/mastra-ai/mastra/issues/23321", Seen: "2026-11-20",
	}, find: having("uniqueItems")},
	{Rule: Rule{
		Name: "format", Severity: SeverityRefused,
		Why:    "strict mode answers 400 to formats it does not know",
		Fix:    "write a format that it knows, a pattern, or a description",
		Source: "https://github.com/1jehuang/jcode/issues/543", Seen: "2026-11-20",
	}, find: formatsExcept(map[string][]string{
		"string": {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"},
	})},
	{Rule: Rule{
		Name: "beside-ref", Severity: SeverityRefused,
		Why:    "strict mode answers 400 to keywords beside $ref",
		Fix:    "move it into the definition",
		Source: "https://github.com/vectorize-io/hindsight/pull/3944", Seen: "2026-11-20",
	}, find: besideRef(nothing)},
	{Rule: Rule{
		Name: "levels", Severity: SeverityRefused,
		Why:    "strict mode answers 400 to more than 10 levels of nesting; here they are counted as objects in objects, references not followed",
		Fix:    "make it flatter",
		Source: structuredOutputs, Seen: "2026-11-20",
	}, when: atEnd, find: deeperThan(10)},
	{Rule: Rule{
		Name: "properties", Severity: SeverityRefused,
		Why:    "strict mode answers 400 to more than 5000 properties in one schema",
		Fix:    "split it into several tools",
		Source: structuredOutputs, Seen: "2026-11-20",
	}, when: atEnd, find: more(5000, "properties", func(z *sizes) int { return z.properties })},
	{Rule: Rule{
		Name: "enum-values", Severity: SeverityRefused,
		Why:    "strict mode answers 400 to more than 1000 enum values in one schema",
		Fix:    "accept any string, and list the nearest valid ones in the error",
		Source: structuredOutputs, Seen: "2026-11-20",
	}, when: atEnd, find: more(1000, "enum values", func(z *sizes) int { return z.enums })},
	{Rule: Rule{
		Name: "enum-text", Severity: SeverityRefused,
		Why:    "strict mode answers 400 to an enum of more than 250 strings that together have more than 15000 characters",
		Fix:    "accept any string, and list the nearest valid ones in the error",
		Source: structuredOutputs, Seen: "2026-11-20",
	}, find: longEnum(250, 15_000)},
	{Rule: Rule{
		Name: "text", Severity: SeverityRefused,
		Why:    "strict mode answers 400 when names of properties and definitions, enum values and const values together have more than 120000 characters",
		Fix:    "split it into several tools",
		Source: structuredOutputs, Seen: "2026-11-20",
	}, when: atEnd, find: more(120_000, "characters of names and values", func(z *sizes) int { return z.text })},
}
