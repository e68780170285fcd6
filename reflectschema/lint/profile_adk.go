package lint

// googleADKRules apply to Google ADK, which converts schemas to a format of Gemini.
var googleADKRules = []rule{
	{Rule: Rule{
		Name: "one-of", Severity: SeverityIgnored,
		Why:    "the client removes it, so the model learns nothing about the alternatives",
		Fix:    "write anyOf, which means the same if the alternatives exclude each other",
		Source: "https://github.com/google/adk-python/blob/c61fad10e5040c987f84fef440dcb2a587825ca2/src/google/adk/tools/_gemini_schema_util.py",
		Seen:   "2026-11-28",
	}, find: having("oneOf")},
}
