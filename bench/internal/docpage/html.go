package docpage

import (
	"bytes"
	_ "embed" // for the template and its style
	"fmt"
	"html/template"
	"regexp"
	"strings"
)

//go:embed page.html.tmpl
var pageTemplate string

//go:embed page.css
var pageStyle string

// A part is a sheet with its heading.
type part struct {
	Title, Empty string
	Sheet        *Sheet
}

// maxIndent is the maximum indentation of a row. Deeper rows are shown at this level, with their paths.
const maxIndent = 4

// helpers are the functions of both templates.
var helpers = template.FuncMap{
	"number": thousands,
	"lower":  strings.ToLower,
	"lead":   func(t Table) bool { return plain(t.Type) != "object" && plain(t.Type) != "anything" },
	"part":   func(title, empty string, s *Sheet) part { return part{title, empty, s} },
}

var page = template.Must(template.New("page").Funcs(helpers).Funcs(template.FuncMap{
	"plural": func(n int, noun string) string { return count(thousands(n), noun) },
	"depth":  func(n int) int { return min(n, maxIndent) },
	"soft":   soft,
	"colour": coloured,
	"tone": func(e Ending) string {
		if e == Result {
			return "good"
		}
		return "bad"
	},
}).Parse(pageTemplate))

// HTML renders the page as a self-contained HTML file without scripts or network access.
func (p *Page) HTML() ([]byte, error) {
	var b bytes.Buffer
	err := page.Execute(&b, struct {
		Page  *Page
		Style template.CSS
	}{p, template.CSS(pageStyle)})
	if err != nil {
		return nil, fmt.Errorf("render the page as HTML: %w", err)
	}
	return b.Bytes(), nil
}

var breakable = strings.NewReplacer(".", ".<wbr>", "]", "]<wbr>", "_", "_<wbr>")

// soft allows line breaks after the dots and brackets of a path, without characters that would be copied with it.
func soft(path string) template.HTML {
	return template.HTML(breakable.Replace(template.HTMLEscapeString(path)))
}

// maxColoured is the maximum size of JSON with syntax colours, in bytes. Colours multiply the size of a page.
const maxColoured = 64 << 10

// coloured renders JSON, possibly truncated, with markup for names, strings and other values. It does its own escaping,
// since a template takes ten times as long.
func coloured(text string) template.HTML {
	escaped := template.HTMLEscapeString(text)
	if len(text) > maxColoured {
		return template.HTML(escaped)
	}
	return template.HTML(jsonToken.ReplaceAllStringFunc(escaped, func(token string) string {
		if name, isName := strings.CutSuffix(token, ":"); isName {
			return `<span class="k">` + name + `</span>:`
		}
		class := "n"
		if token[0] == '&' {
			class = "s"
		}
		return `<span class="` + class + `">` + token + `</span>`
	}))
}

// jsonToken matches a string, with the colon behind a name, or another scalar, in escaped JSON. A truncated string ends with
// its line.
var jsonToken = regexp.MustCompile(`(?m)&#34;(?:[^\\\n]|\\.)*?(?:&#34;:?|$)|[-0-9a-z][^ ,\n\]}]*`)
