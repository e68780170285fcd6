// Package lint reports problems of the tools, prompts and resources of any MCP server: what clients refuse or ignore in
// their schemas, by the client profiles of reflectschema; what makes it hard for a model to choose a tool and its
// arguments; and what the tools cost in tokens.
//
// Each rule is a row of a table (rules.go, listrules.go) with the consequence of breaking it, the fix, and a source where it is
// not obvious. The checks are in files named after their subject: names.go, texts.go and schemas.go for tools, prompts.go,
// resources.go and contents.go for the rest. Check runs them all and returns a Report, which text.go prints as a table.
package lint
