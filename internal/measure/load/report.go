package load

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/mcptool-go/mcptool/internal/measure/figure"
)

// A Report is the result of a run. In JSON, times are in nanoseconds and sizes in bytes.
type Report struct {
	Time    time.Time `json:"time"`
	Machine string    `json:"machine"`
	// Rate is the rate of an open loop, in calls per second; 0 for a closed loop.
	Rate     float64       `json:"rate,omitempty"`
	Rounds   int           `json:"rounds"`
	Duration time.Duration `json:"duration,omitempty"`
	MaxCalls int64         `json:"maxCalls,omitempty"`
	Warmup   time.Duration `json:"warmup,omitempty"`
	Servers  []Subject     `json:"servers"`
	Rows     []Row         `json:"rows"`
	// Lost holds the servers that were lost or could not be reached.
	Lost []Loss `json:"lost,omitempty"`
	// Notes are further remarks for the reader.
	Notes []string `json:"notes,omitempty"`
	// Interrupted means that the run ended early.
	Interrupted bool `json:"interrupted,omitempty"`
}

// A Subject is a server in the report.
type Subject struct {
	Name     string `json:"name"`
	Where    string `json:"where"`
	Product  string `json:"product"`  // self-reported name and version
	Revision string `json:"revision"` // protocol revision
	// Peak is the maximum resident memory of the server and its descendants, in bytes; 0 if unknown.
	Peak int64 `json:"peak,omitempty"`
	// Counted is nil if the server has no counters.
	Counted *Counted `json:"counted,omitempty"`
}

// A Loss is a server lost during the run.
type Loss struct {
	Server string `json:"server"`
	Reason string `json:"reason"`
	// Stderr is the end of the server's stderr or its crash report, in a few lines; empty if unknown.
	Stderr []string `json:"stderr,omitempty"`
}

// A Row has the results of one tool at one step, for all servers.
type Row struct {
	Tool      string            `json:"tool"`
	Arguments []json.RawMessage `json:"arguments"`
	// InFlight is the number of calls in flight; 0 in an open loop without an explicit limit.
	InFlight int    `json:"inFlight,omitempty"`
	Cells    []Cell `json:"cells"`
}

// A Cell is a server in a Row. Rounds is 0 if the server was not measured.
type Cell struct {
	Server   string          `json:"server"`
	Rounds   int             `json:"rounds"`
	OK       int64           `json:"ok"`
	Failed   int64           `json:"failed"`
	Failures map[Kind]int64  `json:"failures,omitempty"`
	First    map[Kind]string `json:"firstFailures,omitempty"`
	// Figures has the medians over the rounds by the names of the metrics: perSecond, p50, p90, p99, p99.9, max,
	// cpuPerCall and resident. A metric is absent if it is unknown, for example a latency if no call succeeded.
	Figures map[string]figure.Figure `json:"figures,omitempty"`
	// Late is the 99th percentile of the delay of calls in an open loop after the time they were due.
	Late time.Duration `json:"late,omitempty"`
	// Ratios compares with the first server in the same rounds; nil for the first server.
	Ratios map[string]float64 `json:"ratios,omitempty"`
	// Curve is the latency distribution over all rounds.
	Curve []Point `json:"curve,omitempty"`
}

// A Point of a distribution: Percentile percent of the calls had at most this latency.
type Point struct {
	Percentile float64 `json:"percentile"`
	Latency    int64   `json:"latency"`
}

func newReport(p Plan) *Report {
	r := &Report{
		Time: time.Now().UTC().Truncate(time.Second), Machine: machine(), Rate: p.Rate, Rounds: p.Rounds,
		Duration: p.Duration, MaxCalls: p.Calls, Warmup: p.Warmup,
	}
	for _, s := range p.Servers {
		says := s.Client.Server()
		r.Servers = append(r.Servers, Subject{Name: s.Name, Where: s.Where, Product: says.Product(), Revision: says.Revision})
	}
	return r
}

// add adds a row, unless it has no measurements.
func (r *Report) add(w Work, step int, samples [][]sample) {
	if !slices.ContainsFunc(samples, func(all []sample) bool { return len(all) > 0 }) {
		return
	}
	row := Row{Tool: w.Tool, Arguments: w.Arguments, InFlight: step}
	for i, all := range samples {
		var first []sample
		if i > 0 {
			first = samples[0]
		}
		row.Cells = append(row.Cells, newCell(r.Servers[i].Name, all, first))
	}
	r.Rows = append(r.Rows, row)
}

// Barren reports whether a measured server had no successful call with some tool, or nothing was measured at all.
func (r *Report) Barren() bool {
	return len(r.Rows) == 0 || slices.ContainsFunc(r.Rows, func(row Row) bool {
		return slices.ContainsFunc(row.Cells, func(c Cell) bool { return c.Rounds > 0 && c.OK == 0 })
	})
}

// A metric is a column of the tables. A sample has 0 if it is missing.
type metric struct {
	name, column string
	of           func(sample) float64
	format       func(float64) string
	hasRatio     bool
}

// metrics are all metrics, in display order. The latencies include only successful calls.
var metrics = []metric{
	{"perSecond", "calls/s", func(s sample) float64 { return s.PerSecond() }, figure.Count, true},
	{"p50", "p50", percentile(50), figure.Time, true},
	{"p90", "p90", percentile(90), figure.Time, true},
	{"p99", "p99", percentile(99), figure.Time, true},
	{"p99.9", "p99.9", percentile(99.9), figure.Time, false},
	{"max", "max", percentile(100), figure.Time, false},
	{"cpuPerCall", "CPU/call", cpuPerCall, figure.Time, true},
	{"resident", "memory", func(s sample) float64 { return float64(s.resident) }, figure.Bytes, false},
}

func percentile(p float64) func(sample) float64 {
	return func(s sample) float64 { return float64(s.Latency.ValueAtPercentile(p)) }
}

// cpuPerCall returns 0 if no call succeeded: the cost of failures does not measure the work.
func cpuPerCall(s sample) float64 {
	if !s.known || s.OK() == 0 {
		return 0
	}
	return float64(s.cpu) / float64(s.OK()+s.Failed())
}

// valuesOf returns a metric for each round.
func valuesOf(all []sample, m metric) []float64 {
	values := make([]float64, 0, len(all))
	for _, s := range all {
		values = append(values, m.of(s))
	}
	return values
}

// newCell returns the cell of a server. first are the samples of the first server; nil if it is this one.
func newCell(server string, all, first []sample) Cell {
	c := Cell{Server: server, Rounds: len(all), Figures: map[string]figure.Figure{}}
	if len(all) == 0 {
		return c
	}
	sum := NewTally()
	for _, s := range all {
		sum.Merge(s.Tally)
	}
	c.OK, c.Failed, c.Failures, c.First = sum.OK(), sum.Failed(), sum.Failures, sum.First
	if first != nil {
		c.Ratios = map[string]float64{}
	}
	for _, m := range metrics {
		values := valuesOf(all, m)
		if f, ok := figure.Of(values); ok {
			c.Figures[m.name] = f
		}
		if f, ok := figure.Of(figure.Ratios(values, valuesOf(first, m))); ok && m.hasRatio {
			c.Ratios[m.name] = f.Median
		}
	}
	if sum.Late.TotalCount() > 0 {
		c.Late = time.Duration(sum.Late.ValueAtPercentile(99))
	}
	if c.OK > 0 {
		c.Curve = curveOf(sum.Latency)
	}
	return c
}

// curveOf samples a distribution at percentiles with equal distances on a plot, where 90, 99 and 99.9 are equidistant,
// as far as the number of calls permits.
func curveOf(h *hdrhistogram.Histogram) []Point {
	const perDecade = 20
	most := math.Log10(float64(h.TotalCount()))
	var points []Point
	for i := 0; ; i++ {
		nines := min(float64(i)/perDecade, most)
		p := 100 * (1 - math.Pow(10, -nines))
		points = append(points, Point{p, h.ValueAtPercentile(p)})
		if nines >= most {
			return points
		}
	}
}
