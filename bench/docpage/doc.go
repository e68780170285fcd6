// Package docpage makes pages for people out of the tools of an MCP server, any server: one
// Markdown file and one self-contained HTML page that say the same.
//
// The way of a tool through the package is one file each. value.go reads its JSON and keeps the
// order in which the author wrote it. sheet.go walks a schema and makes rows of it, type.go says
// what kind of value a place takes and facts.go what else is asked of it, in words. outcome.go
// holds what a call came to, and what stayed the same when it was made twice. page.go puts
// everything together as data, which markdown.go and html.go write out.
//
// Whatever comes from the server is text of a stranger: it is escaped for where it lands, invisible
// characters in it are made visible (text.go), and what is beyond all measure is cut, with a word
// that says so. The same tools make the same bytes, so that the files can be committed and
// compared; there are no dates in them.
package docpage
