package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"slices"
	"time"
)

// The bars are the maximum costs of one message.
type bars struct {
	cpu  time.Duration
	peak int // bytes
}

// Growth is evaluated only above these floors, so that constant costs do not count. A large map that no longer fits
// into the caches of a processor shows up to n^1.3, although each member takes the same number of steps.
const (
	cpuFloor  = 50 * time.Millisecond
	peakFloor = 16 << 20
	mostSlope = 1.4
)

// A find is an expensive message.
type find struct {
	Objective string   `json:"objective"`
	Tool      *tool    `json:"tool"`
	Message   *message `json:"message"`
	Sent      int      `json:"sent,omitempty"` // bytes
	Answer    int      `json:"answer,omitempty"`
	Verdict   string   `json:"verdict,omitempty"`
	Cost      cost     `json:"cost,omitzero"`
	// Exponents of the cost over the size: 1 is linear; 0 if the cost is too small.
	CPUSlope  float64 `json:"cpuSlope,omitempty"`
	PeakSlope float64 `json:"peakSlope,omitempty"`
	Died      string  `json:"died,omitempty"` // how the server exited, if it did

	points []growth // basis of the exponents
}

// measure measures the message of f at its size.
func (f *find) measure(by func(*message) (measurement, error)) error {
	m, err := by(f.Message)
	if err != nil || m.sent == 0 {
		return err
	}
	f.Sent, f.Answer, f.Cost, f.Verdict = m.sent, m.answer, m.cost, verdictOf(m)
	return nil
}

// taken is the verdict on a message with a successful result.
const taken = "taken"

// verdictOf summarizes a response.
func verdictOf(m measurement) string {
	var answer struct {
		Error  *struct{ Code int }
		Result *struct{ IsError bool }
	}
	if err := json.Unmarshal(m.head, &answer); err != nil { // the response is longer than the part kept
		if bytes.Contains(m.head, []byte(`"isError":true`)) {
			return "refused"
		}
		return taken
	}
	switch {
	case answer.Error != nil:
		data, _ := json.Marshal(answer.Error.Code) // a number
		return "error " + string(data)
	case answer.Result != nil && answer.Result.IsError:
		return "refused"
	default:
		return taken
	}
}

// halvings is how many times the size is halved to measure growth.
const halvings = 3

// follow measures the message of f at smaller sizes, if it is expensive enough, and computes the growth of its cost. It
// subtracts the constant part of the size and the cost, measured at the smallest size.
func (f *find) follow(by func(*message) (measurement, error)) error {
	if !f.Message.grows() || (f.Cost.CPU < 2*cpuFloor && f.Cost.Peak < 2*peakFloor) {
		return nil
	}
	fixed, err := by(f.Message.at(1))
	if err != nil || fixed.sent == 0 { // it has died, which is a separate find
		return err
	}
	f.points = []growth{growth{f.Sent, f.Cost}.without(fixed)}
	for size := f.Message.Size / 2; len(f.points) <= halvings && size > 0; size /= 2 {
		m, err := by(f.Message.at(size))
		if err != nil {
			return err
		}
		if m.sent == 0 {
			return nil
		}
		f.points = append(f.points, growth{m.sent, m.cost}.without(fixed))
	}
	f.fit()
	return nil
}

// fit computes the exponents.
func (f *find) fit() {
	f.CPUSlope = slope(f.points, func(c cost) float64 { return float64(max(c.CPU, cpuFloor)) })
	f.PeakSlope = slope(f.points, func(c cost) float64 { return float64(max(c.Peak, peakFloor)) })
}

// merge adds another measurement of the same message.
func (f *find) merge(other *find) {
	f.Cost = merged(f.Cost, other.Cost)
	if len(f.points) != len(other.points) { // one of the two was not worth following
		f.points = nil
	}
	for i := range f.points {
		f.points[i].cost = merged(f.points[i].cost, other.points[i].cost)
	}
	f.fit()
}

// merged combines two measurements of one message: the minimum CPU time, since other load on the machine evicts the
// caches, and the maximum memory.
func merged(a, b cost) cost {
	return cost{min(a.CPU, b.CPU), max(a.Peak, b.Peak), max(a.Allocated, b.Allocated)}
}

// A growth is a size in bytes with the cost at that size. The largest comes first.
type growth struct {
	sent int
	cost cost
}

// without returns g without the constant part.
func (g growth) without(fixed measurement) growth {
	g.sent -= fixed.sent
	g.cost.CPU -= fixed.cost.CPU
	g.cost.Peak -= fixed.cost.Peak
	return g
}

// slope returns the exponent of the growth of a cost: the median of the exponents between adjacent sizes. A cost with a
// single step from one level to another has no exponent; least squares would give it one.
func slope(points []growth, of func(cost) float64) float64 {
	var exponents []float64
	for i := 1; i < len(points); i++ {
		larger, p := points[i-1], points[i]
		if ratio := float64(larger.sent) / float64(p.sent); p.sent > 0 && ratio > 1.01 {
			exponents = append(exponents, math.Log(of(larger.cost)/of(p.cost))/math.Log(ratio))
		}
	}
	if len(exponents) == 0 {
		return 0
	}
	slices.Sort(exponents)
	return (exponents[(len(exponents)-1)/2] + exponents[len(exponents)/2]) / 2
}

// above reports whether f exceeds a bar.
func (f *find) above(b bars) bool { return f.Died != "" || f.Cost.CPU > b.cpu || f.Cost.Peak > b.peak }

// grown reports whether the cost of f grows faster than its size.
func (f *find) grown() bool { return max(f.CPUSlope, f.PeakSlope) > mostSlope }

// share returns the cost of f as a fraction of the bars.
func (f *find) share(b bars) float64 {
	if f.Died != "" {
		return 10
	}
	return max(float64(f.Cost.CPU)/float64(b.cpu), float64(f.Cost.Peak)/float64(b.peak))
}

// score returns the rank of f among the finds of its objective.
func (f *find) score() float64 {
	perByte := 1 / float64(f.Sent+1)
	switch f.Objective {
	case objectiveNames[totalCPU]:
		return f.Cost.CPU.Seconds()
	case objectiveNames[totalPeak]:
		return float64(f.Cost.Peak)
	case objectiveNames[cpuPerByte]:
		return f.Cost.CPU.Seconds() * perByte
	default:
		return float64(f.Cost.Peak) * perByte
	}
}

// write writes f to a file for readFind.
func (f *find) write(path string) error {
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o600)
}

// readFind reads a file of write.
func readFind(path string) (*find, error) {
	data, err := os.ReadFile(path) //nolint:gosec // the caller chooses the path
	if err != nil {
		return nil, err
	}
	f := new(find)
	return f, json.Unmarshal(data, f)
}
