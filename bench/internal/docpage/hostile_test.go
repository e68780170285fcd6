package docpage_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	nethtml "golang.org/x/net/html"

	"github.com/mcptool-go/mcptool/bench/internal/docpage"
)

// attacks are texts that are markup, links, or control characters in some context.
var attacks = []string{
	`<script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `"><svg onload=alert(1)>`, `</style><script>alert(1)</script>`, `</code></pre><script>`,
	`[click](javascript:alert(1))`, `![x](https://evil.example/x.png)`, `<javascript:alert(1)>`, `https://evil.example/`, `www.evil.example`, `mail me@evil.example`,
	"[ref]: javascript:alert(1)\n[ref]", "```\n<b>\n````\n", "`` ` ``", "`|`", `\|`, `\`, `a\`, "| a | b |\n|---|---|\n| 1 | 2 |", "# heading", "heading\n===", "- list\n* list\n1. list",
	"<!-- comment", "<details>", "&lt;b&gt;", "&#60;b&#62;", "~~gone~~", "**bold** _thin_ __x__", "    indented", "\tindented", "> quoted", "[^1]\n[^1]: note", "- [ ] box",
	"{{.}} {{template \"json\" .}}", "$x$", "a|b|c", "\u202egnp.exe\u200b", "\x00\x1b[31m", "\xff\xfe", "", " ", "\n\n", "`", "<", "*", "[", "x\\\n`", "a <b\nc>d",
}

// hostile returns a page with the text in every place that a server controls.
func hostile(t *testing.T, text string) *docpage.Page {
	t.Helper()
	schema := map[string]any{
		"type": "object", "title": text, "description": text, text: text, "x-" + text: text,
		"properties": map[string]any{
			text:   map[string]any{"type": text, "title": text, "description": text, "format": text, "pattern": text, "default": text, "enum": []any{text, 1}, "examples": []any{text}, "x-mcp-header": text},
			"ref":  map[string]any{"$ref": "#/$defs/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(text)},
			"far":  map[string]any{"$ref": text},
			"both": map[string]any{"oneOf": []any{map[string]any{"title": text, "properties": map[string]any{"k": map[string]any{"const": text}}}, map[string]any{"properties": map[string]any{"k": map[string]any{"const": 2}}}}},
		},
		"required": []any{text}, "dependentRequired": map[string]any{text: []any{text}},
		"$defs": map[string]any{text: map[string]any{"type": "object", "properties": map[string]any{text: map[string]any{}}}},
	}
	entry, err := json.Marshal(map[string]any{"name": text, "title": text, "description": text + "\n" + text + "\n\n" + text, "inputSchema": schema, "outputSchema": schema, "_meta": map[string]any{text: text}})
	if err != nil {
		t.Fatal(err)
	}
	result, err := json.Marshal(map[string]any{"structuredContent": map[string]any{text: text}, "content": []any{map[string]any{"type": "text", "text": text}, map[string]any{"type": text, "text": text}}})
	if err != nil {
		t.Fatal(err)
	}
	prompt, err := json.Marshal(map[string]any{"name": text, "title": text + "!", "description": text + "\n\n" + text, text: text, "arguments": []any{
		map[string]any{"name": text, "title": text, "description": text, "required": true}, text,
	}})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := json.Marshal(map[string]any{"description": text, "messages": []any{
		map[string]any{"role": text, "content": map[string]any{"type": "text", "text": text}}, map[string]any{"content": map[string]any{"type": text, text: text}}, text,
	}})
	if err != nil {
		t.Fatal(err)
	}
	resource, err := json.Marshal(map[string]any{
		"uri": text, "uriTemplate": text, "name": text + "!", "description": text, "mimeType": text, "size": 7,
		"annotations": map[string]any{"audience": []any{text}, "priority": 1, "lastModified": text},
	})
	if err != nil {
		t.Fatal(err)
	}
	return docpage.New(docpage.Server{
		Name: text, Title: text + "!", Instructions: text,
		Prompts: []docpage.Prompt{
			{Entry: prompt, Call: docpage.Call{Arguments: json.RawMessage(`{}`), Outcome: docpage.Messages(messages)}},
			{Entry: prompt, Call: docpage.Call{Skipped: text}},
			{Entry: json.RawMessage(text)},
		},
		Resources: []json.RawMessage{resource, json.RawMessage(text)}, Templates: []json.RawMessage{resource, json.RawMessage(`7`)},
	}, []docpage.Tool{
		{Entry: entry, Call: docpage.Call{Arguments: json.RawMessage(`{}`), Outcome: docpage.Answered(result)}},
		{Entry: entry, Call: docpage.Call{Outcome: docpage.Declined(1, text)}},
		{Entry: entry, Call: docpage.Call{Skipped: text}},
	})
}

// harmless are the elements that a page contains itself, and their attributes.
var harmless = map[string][]string{
	"html": {"lang"}, "head": nil, "meta": {"charset", "name", "content", "http-equiv"}, "link": {"rel", "href"}, "title": nil, "style": nil, "body": nil, "main": nil,
	"a": {"href", "class", "dir", "id"}, "div": {"class", "dir"}, "nav": {"class", "aria-label"}, "p": {"class", "id", "dir"}, "ul": {"class"}, "li": nil, "span": {"class", "dir", "title", "aria-hidden"},
	"header": {"id", "class"}, "h1": {"dir"}, "h2": {"class"}, "h3": {"id"}, "h4": {"id"}, "code": {"dir", "class"}, "section": {"class", "id", "aria-label"}, "article": {"id"}, "footer": nil,
	"table": {"class"}, "thead": nil, "tbody": nil, "tr": {"class"}, "th": {"class", "align", "style"}, "td": {"class", "colspan", "align", "style"}, "i": {"style"}, "b": {"dir"},
	"figure": {"class"}, "figcaption": nil, "pre": {"tabindex", "class"}, "details": nil, "summary": nil, "br": nil, "wbr": nil, "hr": nil, "em": nil, "strong": nil, "blockquote": nil,
}

// examine reports elements and attributes of an HTML document that are not harmless, and links
// that leave the document.
func examine(t *testing.T, what string, document []byte) {
	t.Helper()
	root, err := nethtml.Parse(bytes.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	ids, targets := map[string]bool{}, map[string]bool{}
	for node := range root.Descendants() {
		if node.Type == nethtml.CommentNode {
			t.Errorf("%s: a comment: %s", what, node.Data)
		}
		if node.Type != nethtml.ElementNode {
			continue
		}
		allowed, known := harmless[node.Data]
		if !known {
			t.Errorf("%s: an element %s", what, node.Data)
		}
		for _, a := range node.Attr {
			switch {
			case !slices.Contains(allowed, a.Key):
				t.Errorf("%s: %s has an attribute %s=%q", what, node.Data, a.Key, a.Val)
			case a.Key == "id" && ids[a.Val]:
				t.Errorf("%s: two places have the anchor %q", what, a.Val)
			case a.Key == "id":
				ids[a.Val] = true
			case a.Key == "href" && a.Val != "data:,":
				target, local := strings.CutPrefix(a.Val, "#")
				if targets[target] = true; !local {
					t.Errorf("%s: a link to %q", what, a.Val)
				}
			}
		}
	}
	for target := range targets {
		if !ids[target] {
			t.Errorf("%s: a link to #%s, where nothing is", what, target)
		}
	}
}

// TestHostile puts attacks everywhere and checks how browsers and Markdown renderers interpret the
// pages.
func TestHostile(t *testing.T) {
	t.Parallel()
	reader := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	for i, attack := range attacks {
		t.Run(fmt.Sprintf("%d", i), func(t *testing.T) {
			t.Parallel()
			page := hostile(t, attack)
			document, err := page.HTML()
			if err != nil {
				t.Fatal(err)
			}
			examine(t, "HTML", document)
			var read bytes.Buffer
			if err := reader.Convert(page.Markdown(), &read); err != nil {
				t.Fatal(err)
			}
			examine(t, "Markdown", read.Bytes())
			if t.Failed() {
				t.Logf("of %q:\n%s", attack, page.Markdown())
			}
		})
	}
}

// TestMarkdownSays checks that rendered Markdown shows each text unchanged.
func TestMarkdownSays(t *testing.T) {
	t.Parallel()
	reader := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	for i, attack := range attacks {
		if strings.ContainsAny(attack, "`\x00\u202e") || !utf8.ValidString(attack) || strings.TrimSpace(attack) == "" {
			continue // shown as code, or made visible
		}
		t.Run(fmt.Sprintf("%d", i), func(t *testing.T) {
			t.Parallel()
			entry, err := json.Marshal(map[string]any{"name": "t", "description": attack, "inputSchema": map[string]any{"properties": map[string]any{"x": map[string]any{"description": attack}}}})
			if err != nil {
				t.Fatal(err)
			}
			page := docpage.New(docpage.Server{Name: "s"}, []docpage.Tool{{Entry: entry}})
			var read bytes.Buffer
			if err := reader.Convert(page.Markdown(), &read); err != nil {
				t.Fatal(err)
			}
			root, err := nethtml.Parse(&read)
			if err != nil {
				t.Fatal(err)
			}
			var seen strings.Builder
			for node := range root.Descendants() {
				if node.Type == nethtml.TextNode && node.Parent.Data != "code" {
					seen.WriteString(node.Data + " ")
				}
			}
			want, got := strings.Join(strings.Fields(attack), " "), strings.Join(strings.Fields(seen.String()), " ")
			if n := strings.Count(got, want); n < 2 { // the tool and its argument; the overview has the beginning only
				t.Errorf("%q is seen %d times in:\n%s", want, n, got)
			}
		})
	}
}

// TestBeyondMeasure uses schemas built to exhaust time or memory.
func TestBeyondMeasure(t *testing.T) {
	t.Parallel()
	deep := func(open, end string, n int) string { return strings.Repeat(open, n) + "{}" + strings.Repeat(end, n) }
	var bomb strings.Builder // each definition refers to the next one twice
	for i := range 60 {
		fmt.Fprintf(&bomb, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	for _, tt := range []struct{ name, schema string }{
		{"deep", deep(`{"items":`, `}`, 100_000)},
		{"as deep as is read", deep(`{"items":`, `}`, 200)},
		{"deep in alternatives", deep(`{"anyOf":[{"type":"string"},`, `]}`, 120)},
		{"deep in conjunctions", deep(`{"allOf":[`, `]}`, 120)},
		{"deep in properties", deep(`{"properties":{"a":`, `}}`, 120)},
		{"wide", `{"properties":{"a":{}` + strings.Repeat(`,"a":{}`, 10_000) + `}}`},
		{"many", `{"allOf":[{}` + strings.Repeat(`,{}`, 20_000) + `]}`},
		{"many alternatives", `{"anyOf":[{"properties":{"a":{}}}` + strings.Repeat(`,{"properties":{"a":{}}}`, 4_000) + `]}`},
		{"a bomb", `{"$ref":"#/$defs/d0","$defs":{` + bomb.String() + `"d60":{}}}`},
		{"a circle", `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`},
		{"itself", `{"$ref":"#"}`},
		{"itself, all of it", `{"allOf":[{"$ref":"#"}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			page := docpage.New(docpage.Server{}, []docpage.Tool{{Entry: json.RawMessage(`{"name":"t","inputSchema":` + tt.schema + `}`)}})
			document, err := page.HTML()
			if err != nil {
				t.Fatal(err)
			}
			if rows := bytes.Count(document, []byte("<tr")); rows > 1100 {
				t.Errorf("%d rows", rows)
			}
			if !bytes.Contains(page.Markdown(), []byte("## ")) {
				t.Error("no tool in Markdown")
			}
		})
	}
}
