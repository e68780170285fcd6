package load

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/mcptool-go/mcptool/bench/figure"
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
	// PerSecond is the rate of successful calls.
	PerSecond figure.Figure `json:"perSecond"`
	// Latency covers successful calls; nil if there are none.
	Latency *Latency `json:"latency,omitempty"`
	// CPU is the server's CPU time per completed call; nil if unknown, or if no call succeeded.
	CPU *figure.Figure `json:"cpuPerCall,omitempty"`
	// Resident is the server's memory after the load; nil if unknown.
	Resident *figure.Figure `json:"resident,omitempty"`
	// Late is the 99th percentile of the delay of calls in an open loop after the time they were due.
	Late time.Duration `json:"late,omitempty"`
	// Ratio compares with the first server in the same rounds; nil for the first server.
	Ratio *Ratio `json:"ratio,omitempty"`
	// Curve is the latency distribution over all rounds.
	Curve []Point `json:"curve,omitempty"`
}

// A Latency has percentiles of the latency in nanoseconds, each the median over the rounds.
type Latency struct {
	P50  figure.Figure `json:"p50"`
	P90  figure.Figure `json:"p90"`
	P99  figure.Figure `json:"p99"`
	P999 figure.Figure `json:"p99.9"`
	Max  figure.Figure `json:"max"`
	Mean figure.Figure `json:"mean"`
}

// A Ratio has figures of a server as multiples of the first server's; 0 if either is missing.
type Ratio struct {
	PerSecond float64 `json:"perSecond,omitempty"`
	P50       float64 `json:"p50,omitempty"`
	P90       float64 `json:"p90,omitempty"`
	P99       float64 `json:"p99,omitempty"`
	CPU       float64 `json:"cpuPerCall,omitempty"`
	Resident  float64 `json:"resident,omitempty"`
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
	row := Row{Tool: w.Tool, Arguments: w.Arguments, InFlight: step}
	any := false
	for i, all := range samples {
		any = any || len(all) > 0
		cell := newCell(r.Servers[i].Name, all)
		if i > 0 {
			cell.Ratio = ratioOf(all, samples[0])
		}
		row.Cells = append(row.Cells, cell)
	}
	if any {
		r.Rows = append(r.Rows, row)
	}
}

// Barren reports whether a measured server had no successful call with some tool, or nothing was measured at all.
func (r *Report) Barren() bool {
	return len(r.Rows) == 0 || slices.ContainsFunc(r.Rows, func(row Row) bool {
		return slices.ContainsFunc(row.Cells, func(c Cell) bool { return c.Rounds > 0 && c.OK == 0 })
	})
}

// A metric extracts a number from a sample; 0 if it is missing.
type metric func(sample) float64

func percentile(p float64) metric {
	return func(s sample) float64 {
		if s.OK() == 0 {
			return 0
		}
		return float64(s.Latency.ValueAtPercentile(p))
	}
}

func perSecond(s sample) float64 { return s.PerSecond() }
func mean(s sample) float64      { return s.Latency.Mean() }

// cpuPerCall returns 0 if no call succeeded: the cost of failures does not measure the work.
func cpuPerCall(s sample) float64 {
	if !s.known || s.OK() == 0 {
		return 0
	}
	return float64(s.cpu) / float64(s.OK()+s.Failed())
}

func residentAfter(s sample) float64 { return float64(s.resident) }

// valuesOf returns a metric for each round.
func valuesOf(all []sample, of metric) []float64 {
	values := make([]float64, 0, len(all))
	for _, s := range all {
		values = append(values, of(s))
	}
	return values
}

func figureOf(all []sample, of metric) figure.Figure {
	f, _ := figure.Of(valuesOf(all, of))
	return f
}

// knownFigure returns nil if the metric is unknown in all rounds.
func knownFigure(all []sample, of metric) *figure.Figure {
	if f, ok := figure.Of(valuesOf(all, of)); ok {
		return &f
	}
	return nil
}

func newCell(server string, all []sample) Cell {
	c := Cell{Server: server, Rounds: len(all)}
	if len(all) == 0 {
		return c
	}
	sum := NewTally()
	for _, s := range all {
		sum.Merge(s.Tally)
	}
	c.OK, c.Failed, c.Failures, c.First = sum.OK(), sum.Failed(), sum.Failures, sum.First
	c.PerSecond = figureOf(all, perSecond)
	c.CPU, c.Resident = knownFigure(all, cpuPerCall), knownFigure(all, residentAfter)
	if sum.Late.TotalCount() > 0 {
		c.Late = time.Duration(sum.Late.ValueAtPercentile(99))
	}
	if c.OK > 0 {
		c.Latency = &Latency{
			P50: figureOf(all, percentile(50)), P90: figureOf(all, percentile(90)), P99: figureOf(all, percentile(99)),
			P999: figureOf(all, percentile(99.9)), Max: figureOf(all, percentile(100)), Mean: figureOf(all, mean),
		}
		c.Curve = curveOf(sum.Latency)
	}
	return c
}

// ratioOf compares two servers round by round.
func ratioOf(all, first []sample) *Ratio {
	of := func(m metric) float64 {
		f, _ := figure.Of(figure.Ratios(valuesOf(all, m), valuesOf(first, m)))
		return f.Median
	}
	return &Ratio{of(perSecond), of(percentile(50)), of(percentile(90)), of(percentile(99)), of(cpuPerCall), of(residentAfter)}
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
