// Package docpage writes documentation of the tools, prompts and resources of any MCP server: a Markdown file and a
// self-contained HTML page with the same content.
//
// Each step from a tool to the page is one file. sheet.go walks a schema, in the order in which the author wrote it, and
// makes rows of it; type.go says what kind of value a row takes and facts.go what else is asked of it, in words. outcome.go
// holds the results of sample calls, and what stayed the same when a call was made twice. listed.go makes entries of prompts,
// and tables of resources and templates. page.go puts everything together
// as data, which markdown.go and html.go write out; write.go writes JSON.
//
// Whatever comes from the server is not trusted: it is escaped for where it lands, invisible
// characters in it are made visible (text.go), and what is too long is cut, with a word
// that says so. The same tools make the same bytes, so that the files can be committed and
// compared; there are no dates in them.
package docpage
