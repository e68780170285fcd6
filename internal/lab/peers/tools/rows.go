package tools

import (
	"context"
	"sync"
)

// A RowsIn is what big_rows is asked.
type RowsIn struct {
	Rows int `json:"rows" jsonschema:"minimum=0,maximum=100000"`
}

// A RowsOut is what big_rows answers: about 100 bytes of JSON for each row.
type RowsOut struct {
	Rows []Row `json:"rows"`
}

// A Row is one of a RowsOut.
type Row struct {
	ID     int     `json:"id" jsonschema:"minimum=0"`
	Name   string  `json:"name" jsonschema:"maxLength=80"`
	Email  string  `json:"email"`
	Score  float64 `json:"score"`
	Active bool    `json:"active"`
}

// MaxRows is the most that big_rows gives.
const MaxRows = 100_000

var kept struct {
	sync.Mutex
	rows []Row
}

// rows returns the first n rows. They are made when they are asked for first, so that no
// server has more of them in memory than it was asked for, and share their strings, so that the
// collector has little to do with them.
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
