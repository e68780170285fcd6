package tools

import (
	"context"
	"sync"
)

// A RowsIn holds the arguments of big_rows.
type RowsIn struct {
	Rows int `json:"rows" jsonschema:"minimum=0,maximum=100000"`
}

// A RowsOut holds the result of big_rows: about 100 bytes of JSON per row.
type RowsOut struct {
	Rows []Row `json:"rows"`
}

// A Row is a row of a RowsOut.
type Row struct {
	ID     int     `json:"id" jsonschema:"minimum=0"`
	Name   string  `json:"name" jsonschema:"maxLength=80"`
	Email  string  `json:"email"`
	Score  float64 `json:"score"`
	Active bool    `json:"active"`
}

// MaxRows is the maximum number of rows of big_rows.
const MaxRows = 100_000

var kept struct {
	sync.Mutex
	rows []Row
}

// rows returns the first n rows. They are created on first use, so that a server does not hold
// more of them in memory than requested, and share their strings, to reduce the work of the
// garbage collector.
func rows(n int) []Row {
	kept.Lock()
	defer kept.Unlock()
	for i := len(kept.rows); i < n; i++ {
		if i == 0 {
			kept.rows = make([]Row, 0, n)
		}
		kept.rows = append(kept.rows, Row{ID: i, Name: names[i%len(names)], Email: "somebody@example.com", Score: float64(i) / 8, Active: i%3 == 0})
	}
	return kept.rows[:n]
}

var names = []string{"Ana Sofia Marques Pereira", "Bartholomew Fitzgerald", "Chiara della Francesca", "Dagny Østergård-Hansen"}

// BigRows is the tool with a result of any size.
func BigRows(_ context.Context, in RowsIn) (RowsOut, error) {
	return RowsOut{Rows: rows(max(0, min(in.Rows, MaxRows)))}, nil
}
