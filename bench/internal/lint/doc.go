// Package lint reports problems in the tools, prompts and resources of any MCP server: schemas that clients reject or
// partly ignore, by the client profiles of reflectschema; entries that make it hard for a model to choose a tool and
// its arguments; and the token cost of the tools.
//
// Each rule is a row of a table (rules.go, listrules.go) with the consequence of breaking it, the fix, and a source
// where it is not obvious. Checks are in files named after their subject: names.go, texts.go and schemas.go for tools,
// results.go for sample calls of them, and prompts.go, resources.go and contents.go for the rest. Check runs all of them and returns a Report, which text.go
// formats as a table.
package lint
