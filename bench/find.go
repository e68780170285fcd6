package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/lint"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	"github.com/mcptool-go/mcptool/internal/toolrank"
	"github.com/mcptool-go/mcptool/internal/toolrank/searchcase"
)

// findCmd is bench find.
type findCmd struct {
	Query string `arg:"" optional:"" help:"What a model looks for, in words."`
	target
	Words []string `arg:"" optional:"" help:"More words of the query, if it is not quoted. Without a URL or a command behind --, the last word is the path of a program."`
	Cases string   `help:"Instead of a query, check a file of cases: lines with a query, a tab, and the names of the accepted tools, separated by commas. Exit with 1 if a case has none of them among the first." placeholder:"FILE" predictor:"file"`
	Limit int      `help:"The largest number of tools to print for a query; 0 prints all that match." default:"10" placeholder:"N"`
	Top   int      `help:"Among how many of the first tools a case needs an accepted one." default:"5" placeholder:"N"`
	JSON  bool     `help:"Print the tools, or the result of the cases, as JSON."`
}

// setTarget sets the query and the target. All words are the query, except that the last one is a server or the path of a program if
// parsed has no target.
func (f *findCmd) setTarget(command string, parsed parsedTarget) error {
	var words []string
	for _, word := range append([]string{f.Query, f.Path}, f.Words...) {
		if word != "" {
			words = append(words, word)
		}
	}
	f.Query, f.Path = "", ""
	if n := len(words); n > 0 && !parsed.given() && (n > 1 || f.Cases != "" || isTarget(words[0])) {
		words, f.Path = words[:n-1], words[n-1]
	}
	f.Query = strings.Join(words, " ")
	how := " QUERY"
	if f.Cases != "" {
		how = " --cases " + terminal.OneLine(f.Cases)
	}
	return f.target.setTarget(command+how, parsed)
}

// Run ranks the tools of the server.
func (f *findCmd) Run(ctx context.Context, con *console) error {
	cases, err := f.check()
	if err != nil {
		return err
	}
	c, err := f.dial(ctx, con, client.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // errors on close do not matter
	tools, err := c.Tools(ctx)
	if err != nil {
		return err
	}
	con.noteFaults(c)
	con.noteSearch(c)
	if cases != nil {
		return f.runCases(con, tools, cases)
	}
	found := findTools(tools, f.Query, f.Limit)
	if f.JSON {
		err = printJSON(con.out, found)
	} else {
		s := c.Server()
		err = con.print(found.text(terminal.OneLine(s.Product()), con.width), tableColors)
	}
	if err == nil && found.Matching == 0 {
		err = noError("no tool matches")
	}
	return err
}

// check returns the cases of the file; nil if there is a query. The error describes wrong flags, or cases that are not valid.
func (f *findCmd) check() ([]searchcase.Case, error) {
	switch {
	case f.Cases != "" && f.Query != "":
		return nil, usageError("%s is a query, and --cases a file with queries; use one of them", strconv.Quote(terminal.Shorten(f.Query, maxBrief)))
	case f.Limit < 0:
		return nil, usageError("--limit %d is negative", f.Limit)
	case f.Top < 1:
		return nil, usageError("--top is 1 or more")
	}
	if _, err := f.server(); err != nil {
		return nil, err
	}
	if f.Cases == "" {
		if f.Query == "" {
			return nil, usageError("there is no query; write what to find, or --cases FILE")
		}
		if err := searchcase.CheckQuery(f.Query); err != nil {
			return nil, usageError("%w", err)
		}
		return nil, nil
	}
	cases, err := searchcase.ReadFile(f.Cases)
	if err != nil {
		return nil, usageError("%w", err)
	}
	return cases, nil
}

// toolSearch is the extension of servers that do not list most of their tools.
const toolSearch = "io.github.mcptool-go/toolsearch"

// noteSearch reports that a server does not list the tools that clients find with its own search.
func (c *console) noteSearch(server *client.Client) {
	if server.DeclaresExtension(toolSearch) {
		_, _ = fmt.Fprintf(c.err, "bench: the server declares %s, so only the tools that it lists are ranked here; mcptooltest.AssertFound ranks all tools of a registry\n", toolSearch) // best effort
	}
}

// rankable returns the parts of tools that the ranking uses.
func rankable(tools []client.Tool) []toolrank.Tool {
	list := make([]toolrank.Tool, len(tools))
	for i := range tools {
		t := &tools[i]
		list[i] = toolrank.Tool{Name: t.Name, Title: t.DisplayTitle(), Description: t.Description, InputSchema: t.InputSchema}
	}
	return list
}

// runCases checks the cases, and prints the failures and a summary.
func (f *findCmd) runCases(con *console, tools []client.Tool, cases []searchcase.Case) error {
	report, err := searchcase.Check(rankable(tools), cases, f.Top)
	if err != nil {
		return usageError("%w", err)
	}
	if f.JSON {
		err = printJSON(con.out, report)
	} else {
		var b strings.Builder
		for i := range report.Failed {
			for line := range strings.Lines(report.Failed[i].Text()) {
				b.WriteString(wrapLine(strings.TrimSuffix(line, "\n"), con.width))
			}
			b.WriteString("\n")
		}
		b.WriteString(wrapLine(report.Summary(), con.width))
		err = con.print(b.String(), findColors)
	}
	if err == nil && len(report.Failed) > 0 {
		err = noError("%s without an accepted tool among the first %d", count(len(report.Failed), "case"), f.Top)
	}
	return err
}

// wrapLine wraps a line to a width, and indents its further lines by two columns more than the first.
func wrapLine(line string, width int) string {
	text := strings.TrimLeft(line, " ")
	indent := line[:len(line)-len(text)]
	if width > 0 {
		width = max(1, width-len(indent)-2)
	}
	return indent + strings.Join(terminal.Wrap(text, width), "\n  "+indent) + "\n"
}

// found is the result of a search, and the JSON output of bench find.
type found struct {
	Query    string      `json:"query"`
	Listed   int         `json:"toolsListed"`
	Matching int         `json:"toolsMatching"`
	Unknown  []string    `json:"unknownWords,omitempty"` // words of the query that no tool has
	Tools    []foundTool `json:"tools"`                  // best first
}

// foundTool is a tool that matches a query.
type foundTool struct {
	Name    string            `json:"name"`
	Summary string            `json:"summary"` // the first sentence of the description
	Tokens  int               `json:"estimatedTokens"`
	Words   []searchcase.Word `json:"words"` // the words of the query that the tool matches
}

// findTools ranks tools for a query. Limit bounds the tools that are returned; 0 does not.
func findTools(tools []client.Tool, query string, limit int) *found {
	matches := toolrank.New(rankable(tools)).Search(query, 0, nil)
	r := &found{Query: query, Listed: len(tools), Matching: len(matches), Unknown: unknownWords(matches), Tools: []foundTool{}}
	if limit > 0 {
		matches = matches[:min(limit, len(matches))]
	}
	for _, m := range matches {
		t := &tools[m.Index]
		summary, _ := toolrank.FirstSentence(t.Description)
		r.Tools = append(r.Tools, foundTool{t.Name, summary, lint.Tokens(lint.Size(t.Raw)), searchcase.Matched(m.Words)})
	}
	return r
}

// unknownWords returns the words of the query that no match has, without stop words.
func unknownWords(matches []toolrank.Match) (words []string) {
	if len(matches) == 0 {
		return nil
	}
	for i, w := range matches[0].Words {
		isKnown := false
		for j := range matches {
			isKnown = isKnown || matches[j].Words[i].By != toolrank.ByNothing
		}
		if !isKnown && !w.IsStop {
			words = append(words, w.Query)
		}
	}
	return words
}

// text returns the result as a table for a terminal with width columns, where 0 means no limit.
func (r *found) text(server string, width int) string {
	var b strings.Builder
	head := fmt.Sprintf("%s: %d of %s", server, r.Matching, count(r.Listed, "tool"))
	if head += " match"; r.Matching == 1 {
		head += "es"
	}
	if n := len(r.Tools); n < r.Matching {
		head += fmt.Sprintf("; the first %d of them", n)
	}
	b.WriteString(wrapLine(head, width))
	if len(r.Unknown) > 0 {
		b.WriteString(wrapLine("no tool has: "+strings.Join(r.Unknown, ", "), width))
	}
	if len(r.Tools) == 0 {
		return b.String()
	}
	rows := [][]string{{"NAME", "TOKENS*", "MATCHES", "DESCRIPTION"}}
	for i := range r.Tools {
		t := &r.Tools[i]
		words := make([]string, len(t.Words))
		for j, w := range t.Words {
			words[j] = w.String()
		}
		rows = append(rows, []string{terminal.Shorten(terminal.OneLine(t.Name), maxBrief), fmt.Sprintf("%7d", t.Tokens), strings.Join(words, ", "), brief(t.Summary)})
	}
	b.WriteString("\n" + terminal.Fit(withoutEmptyColumn(rows), width, nil))
	b.WriteString(wrapLine(lint.TokensNote, width))
	return b.String()
}
