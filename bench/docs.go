package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/mcptool-go/mcptool/bench/internal/docpage"
	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// docsCmd is bench docs.
type docsCmd struct {
	target
	Out      string   `help:"Write tools.md and tools.html into this directory." placeholder:"DIR" default:"." predictor:"dir"`
	Markdown string   `help:"Write Markdown to this file, and HTML only with --html; - is stdout." placeholder:"FILE" predictor:"file"`
	HTML     string   `help:"Write HTML to this file, and Markdown only with --markdown; - is stdout." placeholder:"FILE" predictor:"file"`
	Call     []string `help:"Which tools to call for an example: read-only (the default: those annotated readOnlyHint true), all, none, or names of further tools to call; may be repeated. Prompts are fetched, but for none." placeholder:"WHICH"`
	Skip     []string `help:"Do not call this tool, or fetch this prompt; may be repeated." placeholder:"NAME"`
	Check    bool     `help:"Write nothing; exit with 1 if the files are out of date."`
	JSON     bool     `help:"Print the outcome as JSON."`
}

// A pageFile is an output file of bench docs.
type pageFile struct {
	path string
	data []byte
}

// Run writes the pages, or compares them with the existing files.
func (d *docsCmd) Run(ctx context.Context, con *console) error {
	if d.JSON && (d.Markdown == "-" || d.HTML == "-") {
		return usageError("--json and a page cannot both go to stdout")
	}
	if d.Check && (d.Markdown == "-" || d.HTML == "-") {
		return usageError("--check compares files, but - is not a file")
	}
	server, tools, err := d.gather(ctx, con)
	if err != nil {
		return err
	}
	page := docpage.New(server, tools)
	files, err := d.files(page)
	if err != nil {
		return err
	}
	if d.Check {
		return d.compare(con, page, files)
	}
	for _, f := range files {
		if err := f.write(con.out); err != nil {
			return err
		}
	}
	return d.report(con, page, files, nil)
}

// files renders the page into each requested format.
func (d *docsCmd) files(page *docpage.Page) ([]pageFile, error) {
	markdown, html := d.Markdown, d.HTML
	if markdown == "" && html == "" {
		markdown, html = filepath.Join(d.Out, "tools.md"), filepath.Join(d.Out, "tools.html")
	}
	var files []pageFile
	if markdown != "" {
		files = append(files, pageFile{markdown, page.Markdown()})
	}
	if html != "" {
		data, err := page.HTML()
		if err != nil {
			return nil, err
		}
		files = append(files, pageFile{html, data})
	}
	return files, nil
}

func (f pageFile) write(stdout io.Writer) error {
	if f.path == "-" {
		_, err := stdout.Write(f.data)
		return err
	}
	return writeFile(f.path, f.data)
}

// compare reports which files differ from the generated ones.
func (d *docsCmd) compare(con *console, page *docpage.Page, files []pageFile) error {
	stale := map[string]bool{}
	for _, f := range files {
		old, err := readFile(f.path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil && bytes.Equal(old, f.data) {
			continue
		}
		text := f.path + " does not exist.\n"
		if err == nil {
			text = f.path + " is stale:\n" + shortDiff(string(old), string(f.data))
		}
		if !d.JSON && (len(stale) == 0 || err != nil) { // one diff is enough: both files have the same contents
			if err := con.print(text, diffColors); err != nil {
				return err
			}
		}
		stale[f.path] = true
	}
	if err := d.report(con, page, files, stale); err != nil {
		return err
	}
	if len(stale) > 0 {
		return noError("%d of %s stale; the same command without --check writes them", len(stale), count(len(files), "page"))
	}
	return nil
}

// maxDiff is the maximum number of diff lines shown.
const maxDiff = 40

// shortDiff returns the diff of two pages, truncated to maxDiff lines.
func shortDiff(old, now string) string {
	text := unified("current", "generated", old, now, 1)
	lines := strings.SplitAfter(text, "\n")
	if len(lines) <= maxDiff {
		return text
	}
	return strings.Join(lines[:maxDiff], "") + fmt.Sprintf("… and %s more\n", count(len(lines)-maxDiff, "line"))
}

// unified returns a unified diff of two texts with their names, and some lines of context.
func unified(from, to, old, now string, context int) string {
	text, err := udiff.ToUnified(from, to, old, udiff.Lines(old, now), context)
	if err != nil {
		return err.Error() + "\n" // cannot happen: the edits come from the same text
	}
	return text
}

// report prints the result. stale contains the files that are out of date; it is nil if the files were written.
func (d *docsCmd) report(con *console, page *docpage.Page, files []pageFile, stale map[string]bool) error {
	if d.JSON {
		return printJSON(con.out, docsReport(page, files, stale))
	}
	var names []string
	for _, f := range files {
		if f.path == "-" {
			return nil
		}
		names = append(names, f.path)
	}
	called := 0
	for i := range page.Tools {
		if page.Tools[i].Example.Skipped == "" {
			called++
		}
	}
	others := ""
	if list := page.Others(); len(list) > 0 {
		others = "; " + strings.Join(list, ", ")
	}
	what := "wrote "
	switch {
	case len(stale) > 0:
		return nil
	case stale != nil:
		what = "up to date: "
	}
	_, err := fmt.Fprintf(con.out, "%s%s (%s; %d called%s)\n", what, strings.Join(names, ", "), page.Counts(), called, others)
	return err
}

// docsReport returns the JSON output of bench docs.
func docsReport(page *docpage.Page, files []pageFile, stale map[string]bool) any {
	type file struct {
		Path  string `json:"path"`
		Stale bool   `json:"stale"`
	}
	type called struct {
		Name    string `json:"name"`
		Bytes   int    `json:"bytes,omitempty"` // of a tool
		Tokens  int    `json:"estimatedTokens,omitempty"`
		Skipped string `json:"skipped,omitempty"`
		Ending  string `json:"ending,omitempty"`
		Varies  bool   `json:"varies,omitempty"`
	}
	out := struct {
		Files     []file   `json:"files"`
		Tools     []called `json:"tools"`
		Prompts   []called `json:"prompts,omitempty"`
		Resources int      `json:"resources,omitempty"`
		Templates int      `json:"resourceTemplates,omitempty"`
		Bytes     int      `json:"bytes"`
		Tokens    int      `json:"estimatedTokens"`
	}{Tools: []called{}, Bytes: page.Bytes, Tokens: page.Tokens, Resources: page.Resources.Total, Templates: page.Templates.Total}
	for _, f := range files {
		out.Files = append(out.Files, file{f.path, stale[f.path]})
	}
	for i := range page.Tools {
		t := &page.Tools[i]
		out.Tools = append(out.Tools, called{t.Name, t.Bytes, t.Tokens, t.Example.Skipped, string(t.Example.Ending), t.Example.Varies})
	}
	for i := range page.Prompts {
		p := &page.Prompts[i]
		out.Prompts = append(out.Prompts, called{p.Name, 0, 0, p.Example.Skipped, string(p.Example.Ending), p.Example.Varies})
	}
	return out
}

// gather requests the server's lists, calls its tools and fetches its prompts.
func (d *docsCmd) gather(ctx context.Context, con *console) (docpage.Server, []docpage.Tool, error) {
	var none docpage.Server
	first, all, err := d.listFrom(ctx, con, client.Options{Bounded: true})
	if err != nil {
		return none, nil, err
	}
	r := &sampleCalls{cmd: d, con: con, session: first}
	defer r.end()
	con.noteFaults(first)
	choice, err := newCallChoice(d.Call, d.Skip, all.tools, all.prompts)
	if err != nil {
		return none, nil, err
	}
	left := r.plan(all.tools, choice)
	if err := r.planPrompts(ctx, all.prompts, choice); err != nil {
		return none, nil, err
	}
	if len(left) > 0 && !d.JSON { // the JSON output has the reason for each tool
		_, _ = fmt.Fprintf(con.err, "not called, because not annotated as read-only: %s; --call NAME calls one, --call all calls all\n", namesText(left))
	}
	if err := r.run(ctx); err != nil {
		return none, nil, err
	}
	s, known := first.Server(), con.secrets.Known
	entry := func(r client.Resource) json.RawMessage { return con.secrets.KnownJSON(r.Readable()) }
	return docpage.Server{
		Name: known(s.Name), Title: known(s.Title), Instructions: known(s.Instructions),
		Prompts: r.prompts, Resources: entriesOf(all.resources, entry), Templates: entriesOf(all.templates, entry),
	}, r.tools, nil
}
