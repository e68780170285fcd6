package load

import (
	"maps"

	"github.com/mcptool-go/mcptool/bench/redact"
)

// Redact takes secrets out of all texts that servers have sent, or that name servers and what they were called with.
func (r *Report) Redact(secrets *redact.Values) {
	for i := range r.Servers {
		s := &r.Servers[i]
		s.Where, s.Product = secrets.Text(s.Where), secrets.Text(s.Product)
	}
	for i := range r.Lost {
		r.Lost[i].Reason = secrets.Text(r.Lost[i].Reason)
	}
	for i := range r.Notes {
		r.Notes[i] = secrets.Text(r.Notes[i])
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		row.Arguments = append(row.Arguments[:0:0], row.Arguments...) // those of the plan stay
		for j := range row.Arguments {
			row.Arguments[j] = secrets.JSON(row.Arguments[j])
		}
		for j := range row.Cells {
			first := maps.Clone(row.Cells[j].First)
			for kind, text := range first {
				first[kind] = secrets.Text(text)
			}
			row.Cells[j].First = first
		}
	}
}
