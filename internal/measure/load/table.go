package load

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/figure"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// unknown replaces missing figures.
const unknown = "?"

// A table has the figures of one tool, for both text and the page.
type table struct {
	Tool      string
	Arguments string
	all       []json.RawMessage // the arguments, in full
	Head      []string
	Rows      [][]string
}

// tables returns a table for each tool, in order.
func (r *Report) tables() []table {
	var all []table
	for i := range r.Rows {
		row := &r.Rows[i]
		if len(all) == 0 || all[len(all)-1].Tool != row.Tool {
			all = append(all, table{Tool: row.Tool, Arguments: argumentsText(row.Arguments), all: row.Arguments, Head: r.head()})
		}
		t := &all[len(all)-1]
		for j := range row.Cells {
			t.Rows = append(t.Rows, r.line(row, j))
		}
	}
	return all
}

// argumentsText returns the arguments of a tool on one line.
func argumentsText(all []json.RawMessage) string {
	text := cut(string(all[0]))
	if len(all) > 1 {
		text += fmt.Sprintf(" and %d more", len(all)-1)
	}
	return text
}

// head returns the column names.
func (r *Report) head() []string {
	head := []string{"in flight"}
	if r.Rate > 0 {
		head = []string{"rate"}
	}
	if len(r.Servers) > 1 {
		head = append(head, "server")
	}
	for _, m := range metrics {
		head = append(head, m.column)
	}
	return append(head, "failed")
}

// line returns the line of a server in a row.
func (r *Report) line(row *Row, server int) []string {
	c := &row.Cells[server]
	first := ""
	switch {
	case server > 0:
	case r.Rate > 0:
		first = figure.Count(r.Rate) + "/s"
	default:
		first = fmt.Sprint(row.InFlight)
	}
	line := []string{first}
	if len(r.Servers) > 1 {
		line = append(line, c.Server)
	}
	for i, m := range metrics {
		text := unknown
		switch f, ok := c.Figures[m.name]; {
		case ok:
			text = m.format(f.Median)
		case c.Rounds == 0 && i == 0:
			text = "not measured"
		case c.Rounds > 0 && i == 0:
			text = "0"
		case c.Rounds == 0 || c.OK == 0 && m.name != "resident":
			text = ""
		}
		if ratio, ok := c.Ratios[m.name]; ok {
			text += " (" + figure.Ratio(ratio) + ")"
		}
		line = append(line, text)
	}
	if c.Rounds == 0 {
		return append(line, "")
	}
	return append(line, failures(c))
}

// failures returns the number of failures of each kind in a cell.
func failures(c *Cell) string {
	var words []string
	for _, kind := range Kinds() {
		if n := c.Failures[kind]; n > 0 {
			words = append(words, fmt.Sprintf("%s %s", figure.Count(float64(n)), kind))
		}
	}
	if words == nil {
		return "0"
	}
	return strings.Join(words, ", ")
}

// summary describes the run in one line.
func (r *Report) summary() string {
	var words []string
	if r.Rate > 0 {
		words = append(words, fmt.Sprintf("open loop at %s calls/s, latency from when each was due", figure.Count(r.Rate)))
	} else {
		words = append(words, "closed loop")
	}
	if r.Duration > 0 {
		words = append(words, fmt.Sprintf("%v a line", r.Duration))
	}
	if r.MaxCalls > 0 {
		words = append(words, fmt.Sprintf("at most %s calls a line", figure.Count(float64(r.MaxCalls))))
	}
	if r.Rounds > 1 {
		words = append(words, fmt.Sprintf("medians of %d rounds", r.Rounds))
	}
	if r.Warmup > 0 {
		words = append(words, fmt.Sprintf("%v to warm up", r.Warmup))
	}
	return strings.Join(append(words, r.Machine), "; ")
}

// failed describes the failed calls in one line per tool and server, with numbers and reasons. If no call succeeded,
// the line notes that the figures are meaningless.
func (r *Report) failed() []string {
	type key struct{ tool, server string }
	sums := map[key]*Cell{}
	var order []key
	for i := range r.Rows {
		for j := range r.Rows[i].Cells {
			c := &r.Rows[i].Cells[j]
			k := key{r.Rows[i].Tool, c.Server}
			sum := sums[k]
			if sum == nil {
				sum = &Cell{Failures: map[Kind]int64{}, First: map[Kind]string{}}
				sums[k] = sum
				order = append(order, k)
			}
			sum.OK, sum.Failed = sum.OK+c.OK, sum.Failed+c.Failed
			for kind, n := range c.Failures {
				sum.Failures[kind] += n
				sum.First[kind] = cmp.Or(sum.First[kind], c.First[kind])
			}
		}
	}
	var lines []string
	for _, k := range order {
		sum := sums[k]
		if sum.Failed == 0 {
			continue
		}
		words := []string{fmt.Sprintf("%s of %s calls failed", figure.Count(float64(sum.Failed)), figure.Count(float64(sum.OK+sum.Failed)))}
		if sum.OK == 0 {
			words[0] = fmt.Sprintf("ALL %s calls failed", figure.Count(float64(sum.Failed)))
		}
		for _, kind := range Kinds() {
			if sum.Failures[kind] > 0 {
				words = append(words, fmt.Sprintf("%s: %s", kind, terminal.OneLine(sum.First[kind])))
			}
		}
		lines = append(lines, fmt.Sprintf("%s, %s: %s", terminal.OneLine(k.tool), terminal.OneLine(k.server), strings.Join(words, "; ")))
	}
	return lines
}

// remarks returns the notes for below the tables.
func (r *Report) remarks() []string {
	var all []string
	if r.Interrupted {
		all = append(all, "The run was interrupted: this is what was measured until then.")
	}
	for _, l := range r.Lost {
		all = append(all, fmt.Sprintf("%s was lost, and not measured from there on: %s", l.Server, terminal.OneLine(l.Reason)))
		for _, line := range l.Stderr {
			all = append(all, "  | "+terminal.OneLine(line))
		}
	}
	for _, s := range r.Servers {
		if s.Counted != nil {
			all = append(all, s.Counted.remark(s.Name))
		}
	}
	if r.anyUnknown() {
		all = append(all, "? is not known: only of servers that were started here, and on Linux, can CPU and memory be read.")
	}
	if late := r.latest(); late > time.Millisecond {
		all = append(all, fmt.Sprintf("1 %% of the calls were made %s late or more, because this machine, or the limit of calls in flight, did not allow for more; it is part of the latencies.", figure.Time(float64(late))))
	}
	return append(all, r.Notes...)
}

func (r *Report) anyUnknown() bool {
	return slices.ContainsFunc(r.Rows, func(row Row) bool {
		return slices.ContainsFunc(row.Cells, func(c Cell) bool {
			_, cpu := c.Figures["cpuPerCall"]
			_, memory := c.Figures["resident"]
			return c.Rounds > 0 && (!cpu && c.OK > 0 || !memory)
		})
	})
}

// latest returns the maximum of Cell.Late.
func (r *Report) latest() time.Duration {
	var most time.Duration
	for i := range r.Rows {
		for j := range r.Rows[i].Cells {
			most = max(most, r.Rows[i].Cells[j].Late)
		}
	}
	return most
}

// WriteText writes the report for a terminal.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	if failed := r.failed(); len(failed) > 0 {
		fmt.Fprintf(&b, "%s\n\n", strings.Join(failed, "\n"))
	}
	for _, s := range r.Servers {
		fmt.Fprintf(&b, "%s: %s, %s", terminal.OneLine(s.Name), terminal.OneLine(s.Product), terminal.OneLine(s.Revision))
		if s.Peak > 0 {
			fmt.Fprintf(&b, ", at most %s", s.PeakText())
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%s\n", r.summary())
	for _, t := range r.tables() {
		fmt.Fprintf(&b, "\n%s %s\n\n%s", terminal.OneLine(t.Tool), t.Arguments, t.text())
	}
	if remarks := r.remarks(); len(remarks) > 0 {
		fmt.Fprintf(&b, "\n%s\n", strings.Join(remarks, "\n"))
	}
	_, err := io.WriteString(w, terminal.Printable(b.String()))
	return err
}

// PeakText formats Peak.
func (s Subject) PeakText() string {
	if s.Peak == 0 {
		return unknown
	}
	return figure.Bytes(float64(s.Peak))
}

// text returns the table, indented.
func (t *table) text() string {
	lines := terminal.Fit(slices.Concat([][]string{t.Head}, t.Rows), 0, func(i int) bool { return !t.Left(i) })
	var b strings.Builder
	for line := range strings.Lines(lines) {
		b.WriteString("  " + line)
	}
	return b.String()
}

// Left reports whether a column has words.
func (t *table) Left(column int) bool {
	return t.Head[column] == "server" || t.Head[column] == "failed"
}
