// Package toolsearch lets the model of a client search the tools of a server, instead of reading the definitions of all
// of them. It is for servers with so many tools that their list costs more context than the work:
//
//	srv := &runtime.Server{Extensions: []runtime.Extension{toolsearch.New(toolsearch.Options{})}}
//
// tools/list then has four tools, and those that [Options] keeps:
//
//   - search_tools finds tools by words, with a ranking of names, descriptions and arguments. The first results include
//     their argument schemas.
//   - describe_tools returns complete definitions.
//   - call_read_only_tool calls a tool that is annotated as read-only ([mcptool.ReadOnly]), and is itself annotated so.
//   - call_tool calls any other tool, and is annotated as destructive.
//
// There are two tools to call because hosts decide by annotations what may run without asking the user. A tool that is
// called through the wrong one is not run; the error names the right one.
//
// The other tools are not listed, but remain callable by their names. A call through one of the two tools is in
// everything a call of the tool itself: its argument errors, scopes, limits, timeout, progress, questions, task and
// result. Observers and the audit log get the name of the real tool, and the other one as "via". Only what the
// caller may see, and what is selected ([runtime.Selection]), is found, described or called.
//
// A test with AssertFound of package [github.com/mcptool-go/mcptool/mcptool/mcptooltest] checks that queries find the
// right tools. It uses the same ranking, and its failures list the words that a description lacks.
//
// Clients that search tools themselves, such as Claude Code and Codex, need the list: do not use the package for them.
package toolsearch
