// Package docpage renders documentation of the tools, prompts and resources of any MCP server: a Markdown file and a
// self-contained HTML page with the same content.
//
// Each stage from a tool to the page is in one file. sheet.go walks a schema in its original order and creates rows;
// type.go formats the type of a row, and facts.go its other constraints. outcome.go holds the results of sample calls,
// reduced to the parts that are equal in both calls. listed.go creates entries for prompts, and tables of resources and
// templates. page.go combines everything as data, which page.md.tmpl and page.html.tmpl render, with the
// functions in markdown.go and html.go; write.go writes JSON.
//
// Data from the server is not trusted: it is escaped for its context, invisible characters are made visible (text.go),
// and long text is truncated with a note. The output is deterministic and contains no dates, so that the files can be
// committed and compared.
package docpage
