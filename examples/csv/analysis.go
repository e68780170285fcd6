package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/mcptool"
)

const (
	maxColumns = 1000    // a model cannot make use of a wider table
	maxRecord  = 1 << 20 // bytes; an unterminated quote would include the rest of the file
	checkEvery = 4096    // rows between checks of the context
)

// Analysis is the result of the tool.
type Analysis struct {
	Rows int `json:"rows"` // rows below the header
	// Rows with more or fewer fields than the header; missing fields count as empty, surplus ones
	// are left out
	Ragged  int      `json:"ragged_rows"`
	Columns []Column `json:"columns"`
}

// ColumnType is the type of the values in a column.
type ColumnType string

// The types of columns.
const (
	ColumnTypeNumber ColumnType = "number" // all values are numbers
	ColumnTypeText   ColumnType = "text"
	ColumnTypeEmpty  ColumnType = "empty" // all values are empty
)

// Column describes a column. Only numeric columns have figures.
type Column struct {
	Name    string     `json:"name"` // from the header, or column N where that is empty
	Type    ColumnType `json:"type" jsonschema:"enum=const"`
	Count   int        `json:"count"` // values that are not empty
	Sum     *float64   `json:"sum,omitempty"`
	Average *float64   `json:"average,omitempty"`
	Min     *float64   `json:"min,omitempty"`
	Max     *float64   `json:"max,omitempty"`
}

// analyze reads src to the end, in constant memory. size is used for progress.
func analyze(ctx context.Context, src io.Reader, size int64) (*Analysis, error) {
	rows, err := newRows(src)
	if err != nil {
		return nil, err
	}
	header, err := rows.next()
	switch {
	case errors.Is(err, io.EOF):
		return nil, errors.New("the file is empty; its first line should name the columns")
	case err != nil:
		return nil, err
	case len(header) > maxColumns:
		return nil, fmt.Errorf("%d columns; %d is the most", len(header), maxColumns)
	}
	tallies := make([]tally, len(header))
	for i, name := range header {
		tallies[i].name = strings.Clone(name) // the row is reused
	}
	result := &Analysis{Columns: make([]Column, 0, len(header))}
	for {
		row, err := rows.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if result.Rows++; result.Rows%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			mcptool.Progress(ctx, float64(rows.reader.InputOffset()), float64(size), "")
		}
		if len(row) != len(tallies) {
			result.Ragged++
		}
		for i := range min(len(row), len(tallies)) {
			tallies[i].add(row[i])
		}
	}
	for i := range tallies {
		column, err := tallies[i].column(i)
		if err != nil {
			return nil, err
		}
		result.Columns = append(result.Columns, column)
	}
	return result, nil
}

// rows reads the records of a UTF-8 CSV file, with or without a byte order mark.
type rows struct {
	reader *csv.Reader
	limit  *recordLimit
}

func newRows(src io.Reader) (*rows, error) {
	limit := &recordLimit{src: src}
	buffered := bufio.NewReader(limit)
	head, err := buffered.Peek(3)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return nil, errors.New("the file is UTF-16; save it as UTF-8")
	case bytes.Equal(head, []byte("\xef\xbb\xbf")):
		if _, err := buffered.Discard(len(head)); err != nil {
			return nil, err
		}
	}
	r := csv.NewReader(buffered)
	r.FieldsPerRecord = -1 // ragged rows are counted, not rejected
	r.ReuseRecord = true
	return &rows{r, limit}, nil
}

// next returns the next record, which is valid until the following call.
func (r *rows) next() ([]string, error) {
	record, err := r.reader.Read()
	if err != nil {
		return nil, err // a csv.ParseError has line and column
	}
	r.limit.size = 0
	for i, field := range record {
		if !utf8.ValidString(field) {
			line, column := r.reader.FieldPos(i)
			return nil, fmt.Errorf("line %d, column %d: the text is not UTF-8; save the file as UTF-8", line, column)
		}
	}
	return record, nil
}

// recordLimit returns an error from Read if a record is longer than maxRecord.
type recordLimit struct {
	src  io.Reader
	size int // bytes read since the end of the last record
}

func (l *recordLimit) Read(p []byte) (int, error) {
	if l.size > maxRecord {
		return 0, fmt.Errorf("a row is longer than %d bytes; is a quote not closed?", maxRecord)
	}
	n, err := l.src.Read(p)
	l.size += n
	return n, err
}

// tally has the statistics of a column so far.
type tally struct {
	name            string
	count           int
	text            bool // some value is not a number
	sum, rest       float64
	lowest, highest float64
}

func (t *tally) add(field string) {
	field = strings.TrimSpace(field)
	if field == "" {
		return
	}
	t.count++
	if t.text {
		return
	}
	x, ok := number(field)
	if !ok {
		t.text = true
		return
	}
	if t.count == 1 {
		t.lowest, t.highest = x, x
	}
	t.lowest, t.highest = min(t.lowest, x), max(t.highest, x)
	// Neumaier's summation: a million cents add up to ten thousand exactly.
	sum := t.sum + x
	if math.Abs(t.sum) >= math.Abs(x) {
		t.rest += t.sum - sum + x
	} else {
		t.rest += x - sum + t.sum
	}
	t.sum = sum
}

// number parses a finite decimal number. Other formats that Go accepts, such as
// "Inf", "nan" and "0x1p4", count as text in a table.
func number(field string) (float64, bool) {
	if strings.Trim(field, "+-.0123456789eE") != "" {
		return 0, false
	}
	x, err := strconv.ParseFloat(field, 64)
	return x, err == nil
}

// column returns the description of column i.
func (t *tally) column(i int) (Column, error) {
	c := Column{Name: strings.TrimSpace(t.name), Type: ColumnTypeNumber, Count: t.count}
	if c.Name == "" {
		c.Name = fmt.Sprintf("column %d", i+1)
	}
	switch sum := t.sum + t.rest; {
	case t.count == 0:
		c.Type = ColumnTypeEmpty
	case t.text:
		c.Type = ColumnTypeText
	case math.IsInf(sum, 0) || math.IsNaN(sum):
		return Column{}, fmt.Errorf("the sum of %q is too large for a number", c.Name)
	default:
		c.Sum, c.Average, c.Min, c.Max = &sum, new(sum/float64(t.count)), new(t.lowest), new(t.highest)
	}
	return c, nil
}
