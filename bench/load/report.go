package load

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/mcptool-go/mcptool/bench/figure"
)

var errNoProcess = errors.New("the server is reached over the network, so its process is not known")

// A Report is the outcome of a run. As JSON, times are in nanoseconds and sizes in bytes.
type Report struct {
	Time    time.Time `json:"time"`
	Machine string    `json:"machine"`
	// Rate is that of an open loop, in calls per second; 0 for a closed loop.
	Rate     float64       `json:"rate,omitempty"`
	Rounds   int           `json:"rounds"`
	Duration time.Duration `json:"duration,omitempty"`
	MaxCalls int64         `json:"maxCalls,omitempty"`
	Warmup   time.Duration `json:"warmup,omitempty"`
	Servers  []Subject     `json:"servers"`
	Rows     []Row         `json:"rows"`
	// Lost are servers that went away, or could not be asked.
	Lost []Loss `json:"lost,omitempty"`
	// Notes are what a reader has to know besides.
	Notes []string `json:"notes,omitempty"`
	// Interrupted says that the run was ended before its time.
	Interrupted bool `json:"interrupted,omitempty"`
}

// A Subject is a server as the report has it.
type Subject struct {
	Name     string `json:"name"`
	Where    string `json:"where"`
	Product  string `json:"product"`  // what it calls itself, and its version
	Revision string `json:"revision"` // of the protocol
	// Peak is the most memory that it and what it has started have had resident, in bytes; 0 if it is not
	// known.
	Peak int64 `json:"peak,omitempty"`
}

// A Loss is a server that went away.
type Loss struct {
	Server string `json:"server"`
	Reason string `json:"reason"`
	// Stderr is what the server wrote last, or why it crashed, in a few lines; empty if that is not known.
	Stderr []string `json:"stderr,omitempty"`
}

// A Row is one tool at one step, by all servers.
type Row struct {
	Tool      string            `json:"tool"`
	Arguments []json.RawMessage `json:"arguments"`
	// InFlight is how many calls were in flight; 0 in an open loop without a limit of its own.
	InFlight int    `json:"inFlight,omitempty"`
	Cells    []Cell `json:"cells"`
}

// A Cell is one server in a Row. Of a server that was not measured, Rounds is 0.
type Cell struct {
	Server   string          `json:"server"`
	Rounds   int             `json:"rounds"`
	OK       int64           `json:"ok"`
	Failed   int64           `json:"failed"`
	Failures map[Kind]int64  `json:"failures,omitempty"`
	First    map[Kind]string `json:"firstFailures,omitempty"`
	// PerSecond counts calls that succeeded.
	PerSecond figure.Figure `json:"perSecond"`
	// Latency is of calls that succeeded; nil if none did.
	Latency *Latency `json:"latency,omitempty"`
	// CPU is the server's processor time per call that was answered; nil if it is not known, or no call
	// succeeded.
	CPU *figure.Figure `json:"cpuPerCall,omitempty"`
	// Resident is the server's memory after the load; nil if it is not known.
	Resident *figure.Figure `json:"resident,omitempty"`
	// Late is the 99th percentile of how much later than due an open loop made its calls.
	Late time.Duration `json:"late,omitempty"`
	// Ratio compares with the first server, in the same rounds; nil for the first itself.
	Ratio *Ratio `json:"ratio,omitempty"`
	// Curve is the whole distribution of the latencies of all rounds.
	Curve []Point `json:"curve,omitempty"`
}

// A Latency has the percentiles of the latency, in nanoseconds: each is the median of what the
// rounds had.
type Latency struct {
	P50  figure.Figure `json:"p50"`
	P90  figure.Figure `json:"p90"`
	P99  figure.Figure `json:"p99"`
	P999 figure.Figure `json:"p99.9"`
	Max  figure.Figure `json:"max"`
	Mean figure.Figure `json:"mean"`
}

// A Ratio is a server as a multiple of the first; 0 where one of them has no figure.
type Ratio struct {
	PerSecond float64 `json:"perSecond,omitempty"`
	P50       float64 `json:"p50,omitempty"`
	P90       float64 `json:"p90,omitempty"`
	P99       float64 `json:"p99,omitempty"`
	CPU       float64 `json:"cpuPerCall,omitempty"`
	Resident  float64 `json:"resident,omitempty"`
}

// A Point of a distribution: so many percent of the calls took no longer.
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

// add adds a row, unless nothing was measured.
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

// Barren reports whether some server, of those that were measured, had no success with some
// tool, or nothing was measured at all.
func (r *Report) Barren() bool {
	return len(r.Rows) == 0 || slices.ContainsFunc(r.Rows, func(row Row) bool {
		return slices.ContainsFunc(row.Cells, func(c Cell) bool { return c.Rounds > 0 && c.OK == 0 })
	})
}

// A metric is a number of a sample; 0 if it has none.
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

// cpuPerCall is 0 where no call succeeded: what it costs to fail is no measure of the work.
func cpuPerCall(s sample) float64 {
	if !s.known || s.OK() == 0 {
		return 0
	}
	return float64(s.cpu) / float64(s.OK()+s.Failed())
}

func residentAfter(s sample) float64 { return float64(s.resident) }

// valuesOf returns a number of each round.
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

// knownFigure is nil of what is not known of any round.
func knownFigure(all []sample, of metric) *figure.Figure {
	f, ok := figure.Of(valuesOf(all, of))
	if !ok {
		return nil
	}
	return &f
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

// ratioOf compares the rounds of two servers.
func ratioOf(all, first []sample) *Ratio {
	of := func(m metric) float64 {
		f, _ := figure.Of(figure.Ratios(valuesOf(all, m), valuesOf(first, m)))
		return f.Median
	}
	return &Ratio{of(perSecond), of(percentile(50)), of(percentile(90)), of(percentile(99)), of(cpuPerCall), of(residentAfter)}
}

// curveOf samples a distribution at percentiles that are even on the axis they are drawn on,
// where 90, 99 and 99.9 are as far from each other, as far as there are calls.
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
