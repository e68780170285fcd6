// Package lint says what is known against the tools of an MCP server, any server: what clients
// refuse or leave out of their schemas, as package reflectschema knows it; and what makes it hard
// for a model to choose a tool and to fill in its arguments, and costly to be shown it.
//
// Each rule is a row of a table (rules.go) with what comes of breaking it, what to do, and a
// source where it is not plain. The checks stand beside it by what they look at: names.go,
// texts.go, tools.go, schemas.go. Check runs them all; a Report is data, which text.go makes a
// table of for a terminal.
package lint
