package load

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/redact"
)

// Redact redacts secrets in all texts of a report. It replaces lists and maps shared with the plan and the tallies with
// redacted copies.
func (r *Report) Redact(secrets *redact.Values) {
	hide := func(texts ...*string) {
		for _, text := range texts {
			*text = secrets.Text(*text)
		}
	}
	hide(&r.Machine)
	for i := range r.Servers {
		s := &r.Servers[i]
		hide(&s.Name, &s.Where, &s.Product, &s.Revision)
	}
	for i := range r.Lost {
		l := &r.Lost[i]
		hide(&l.Server, &l.Reason)
		if len(l.Stderr) > 0 { // joined, because a private key has several lines
			l.Stderr = strings.Split(secrets.Text(strings.Join(l.Stderr, "\n")), "\n")
		}
	}
	for i := range r.Notes {
		hide(&r.Notes[i])
	}
	for i := range r.Rows {
		r.Rows[i].redact(secrets)
	}
}

func (row *Row) redact(secrets *redact.Values) {
	row.Tool = secrets.Text(row.Tool)
	row.Arguments = slices.Clone(row.Arguments)
	for i := range row.Arguments {
		row.Arguments[i] = secrets.JSON(row.Arguments[i])
	}
	for i := range row.Cells {
		c := &row.Cells[i]
		c.Server = secrets.Text(c.Server)
		first := maps.Clone(c.First)
		for kind, text := range first {
			first[kind] = secrets.Text(text)
		}
		c.First = first
	}
}
