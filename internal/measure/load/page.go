package load

import (
	_ "embed" // the page
	"encoding/json"
	"html/template"
	"io"
	"strings"

	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// WriteHTML writes the report as a self-contained page, without scripts or network access.
func (r *Report) WriteHTML(w io.Writer) error {
	type section struct {
		table
		All   []string // the arguments, each laid out
		Plots []*plot
	}
	page := struct {
		*Report
		Summary  string
		When     string
		Sections []section
		Failures []string
		Remarks  []string
	}{Report: r, Summary: r.summary(), When: r.Time.Format("2 January 2006, 15:04 MST"), Failures: r.failed(), Remarks: r.remarks()}
	for _, t := range r.tables() {
		s := section{table: t, Plots: r.plots(t.Tool)}
		for _, arguments := range t.all {
			text, err := json.MarshalIndent(arguments, "", "  ")
			if err != nil {
				return err
			}
			s.All = append(s.All, string(text))
		}
		page.Sections = append(page.Sections, s)
	}
	var b strings.Builder
	if err := pageTemplate.Execute(&b, page); err != nil {
		return err
	}
	_, err := io.WriteString(w, terminal.Printable(b.String()))
	return err
}
