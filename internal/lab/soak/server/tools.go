package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// tools has the tools, one method each.
type tools struct {
	lie int // one of lie sums is wrong; 0 for none

	mu    sync.Mutex
	sums  int
	began time.Time // first run of Limited
	runs  int       // of Limited
}

// AddIn holds the arguments of add.
type AddIn struct {
	_ struct{} `mcp:"readOnly" doc:"Adds two numbers"`
	A int64    `json:"a" jsonschema:"minimum=-1000000000000,maximum=1000000000000"`
	B int64    `json:"b" jsonschema:"minimum=-1000000000000,maximum=1000000000000"`
}

// Sum is a sum.
type Sum struct {
	Sum int64 `json:"sum"`
}

// Add is quick.
func (t *tools) Add(_ context.Context, in AddIn) (Sum, error) {
	if t.lie > 0 {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.sums++; t.sums%t.lie == 0 {
			return Sum{in.A + in.B + 1}, nil
		}
	}
	return Sum{in.A + in.B}, nil
}

// DigestIn holds the arguments of digest.
type DigestIn struct {
	_    struct{} `mcp:"readOnly" doc:"The SHA-256 of a text, and what it begins with"`
	Text string   `json:"text"`
}

// Digest describes a text.
type Digest struct {
	SHA256 string `json:"sha256"`
	Runes  int    `json:"runes"`
	Begins string `json:"begins"`
}

// Digest accepts any text, and returns a part of it.
func (*tools) Digest(_ context.Context, in DigestIn) (Digest, error) {
	sum := sha256.Sum256([]byte(in.Text))
	runes := []rune(in.Text)
	return Digest{hex.EncodeToString(sum[:]), len(runes), string(runes[:min(len(runes), 40)])}, nil
}

// NapIn holds the arguments of nap.
type NapIn struct {
	_  struct{} `doc:"Waits"`
	N  int64    `json:"n"`
	MS int      `json:"ms" jsonschema:"minimum=0,maximum=60000"`
}

// Number is a number from the arguments.
type Number struct {
	N int64 `json:"n"`
}

// Nap is slow.
func (*tools) Nap(ctx context.Context, in NapIn) (Number, error) {
	return Number{in.N}, sleep(ctx, in.MS)
}

func sleep(ctx context.Context, ms int) error {
	select {
	case <-time.After(time.Duration(ms) * time.Millisecond):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// LateIn holds the arguments of late.
type LateIn struct {
	_  struct{} `mcp:"timeout=30ms" doc:"Takes longer than it may"`
	MS int      `json:"ms" jsonschema:"minimum=0,maximum=5000"`
}

// Late ignores its context.
func (*tools) Late(_ context.Context, in LateIn) (struct{}, error) {
	time.Sleep(time.Duration(in.MS) * time.Millisecond)
	return struct{}{}, nil
}

// FailIn holds the arguments of fail.
type FailIn struct {
	_    struct{} `doc:"Fails"`
	Text string   `json:"text" jsonschema:"minLength=1"`
}

// Fail fails.
func (*tools) Fail(_ context.Context, in FailIn) (struct{}, error) {
	return struct{}{}, errors.New(in.Text)
}

// CrashIn holds the arguments of crash.
type CrashIn struct {
	_   struct{} `doc:"Panics"`
	How string   `json:"how" jsonschema:"enum=value,enum=index,enum=nil"`
}

// Crash panics.
func (*tools) Crash(_ context.Context, in CrashIn) (Number, error) {
	switch in.How {
	case "index":
		return Number{int64(in.How[2*len(in.How)])}, nil
	case "nil":
		var nowhere map[string]*Number
		return *nowhere[in.How], nil
	default:
		panic("crashed as asked: " + in.How)
	}
}

// AskIn holds the arguments of ask.
type AskIn struct {
	_ struct{} `doc:"Asks what to add to n, twice"`
	N int64    `json:"n"`
}

// addend is the form of ask.
type addend struct {
	Number int64 `json:"number"`
}

// Ask asks the user for two numbers, one after the other.
func (*tools) Ask(ctx context.Context, in AskIn) (Sum, error) {
	sum := in.N
	for range 2 {
		a, err := mcptool.Elicit[addend](ctx, fmt.Sprintf("What is to be added to %d?", sum))
		if err != nil {
			return Sum{}, err
		}
		sum += a.Number
	}
	return Sum{sum}, nil
}

// ReportIn holds the arguments of report.
type ReportIn struct {
	_     struct{} `doc:"Reports its progress"`
	Steps int      `json:"steps" jsonschema:"minimum=0,maximum=1000"`
	MS    int      `json:"ms" jsonschema:"minimum=0,maximum=1000" doc:"Between two steps"`
}

// Reported is the number of steps.
type Reported struct {
	Steps int `json:"steps"`
}

// Report reports each step.
func (*tools) Report(ctx context.Context, in ReportIn) (Reported, error) {
	for i := range in.Steps {
		mcptool.Progress(ctx, float64(i+1), float64(in.Steps), fmt.Sprintf("step %d", i+1))
		mcptool.Logger(ctx).InfoContext(ctx, "step")
		if err := sleep(ctx, in.MS); err != nil {
			return Reported{}, err
		}
	}
	return Reported{in.Steps}, nil
}

// RowsIn holds the arguments of rows.
type RowsIn struct {
	_    struct{} `mcp:"readOnly" doc:"Many rows"`
	N    int      `json:"n" jsonschema:"minimum=0,maximum=100000"`
	Seed int64    `json:"seed"`
}

// Rows is a large result.
type Rows struct {
	Rows []Row `json:"rows"`
}

// Row is a row of Rows.
type Row struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`
	Value int64  `json:"value"`
}

// Rows returns the requested number of rows.
func (*tools) Rows(_ context.Context, in RowsIn) (Rows, error) {
	rows := make([]Row, in.N)
	for i := range rows {
		rows[i] = Row{i, fmt.Sprintf("row \"%d\" of <%d>", i, in.Seed), int64(i) * in.Seed}
	}
	return Rows{rows}, nil
}

// ExportIn holds the arguments of export.
type ExportIn struct {
	_  struct{} `mcp:"task=optional" doc:"Takes its time, as a task where there are tasks"`
	N  int64    `json:"n"`
	MS int      `json:"ms" jsonschema:"minimum=0,maximum=60000"`
}

// Export runs as a task.
func (*tools) Export(ctx context.Context, in ExportIn) (Number, error) {
	mcptool.Progress(ctx, 1, 2, "exporting")
	return Number{in.N}, sleep(ctx, in.MS)
}

// LimitedIn holds the arguments of limited.
type LimitedIn struct {
	_ struct{} `mcp:"rateLimit=20/s burst=10" doc:"May be called so often"`
	N int64    `json:"n"`
}

// Limited is the number of runs of a tool, and the time since the first.
type Limited struct {
	N     int64 `json:"n"`
	Runs  int   `json:"runs"`
	Since int64 `json:"since" doc:"Milliseconds since the first run, rounded up"`
}

// Limited returns the number of its runs.
func (t *tools) Limited(_ context.Context, in LimitedIn) (Limited, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.runs++; t.runs == 1 {
		t.began = time.Now()
	}
	return Limited{in.N, t.runs, time.Since(t.began).Milliseconds() + 1}, nil
}

// NarrowIn holds the arguments of narrow.
type NarrowIn struct {
	_ struct{} `mcp:"concurrent=2" doc:"Can do two things at a time"`
	N int64    `json:"n"`
}

// Narrow takes a short time.
func (*tools) Narrow(ctx context.Context, in NarrowIn) (Number, error) {
	return Number{in.N}, sleep(ctx, 1)
}

// LearnIn holds the arguments of learn.
type LearnIn struct {
	_      struct{} `doc:"Adds a tool, or removes it"`
	Name   string   `json:"name" jsonschema:"pattern=^extra_"`
	Forget bool     `json:"forget,omitempty"`
}

// pair holds the arguments of the tools that learn adds.
type pair struct {
	A int64 `json:"a"`
	B int64 `json:"b"`
}

// Learn changes the list of tools.
func (*tools) Learn(_ context.Context, in LearnIn) (struct{}, error) {
	if in.Forget {
		if extra, ok := mcptool.Default.Lookup(in.Name); ok {
			mcptool.Default.Remove(extra)
		}
		return struct{}{}, nil
	}
	extra, err := mcptool.New(func(_ context.Context, in pair) (Sum, error) { return Sum{in.A - in.B}, nil },
		mcptool.Name(in.Name), mcptool.Description("Subtracts: "+strings.TrimPrefix(in.Name, "extra_")))
	if err != nil {
		return struct{}{}, err
	}
	return struct{}{}, mcptool.Default.Add(extra)
}
