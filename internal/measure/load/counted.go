package load

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/figure"
)

// Counted compares the calls during the measurements in the counters of a server with those in the report.
type Counted struct {
	Server Calls `json:"server"`
	Bench  Calls `json:"bench"`
}

// Calls is a number of calls.
type Calls struct {
	All    int64 `json:"all"`
	Failed int64 `json:"failed"`
}

// String returns the numbers in words.
func (c Calls) String() string {
	return fmt.Sprintf("%s calls, of which %s failed", figure.Count(float64(c.All)), figure.Count(float64(c.Failed)))
}

// remark describes the comparison for readers of the report.
func (c *Counted) remark(server string) string {
	if c.Server == c.Bench {
		return fmt.Sprintf("%s also counted %v.", server, c.Server)
	}
	return fmt.Sprintf("The counts differ: %s counted %v, and bench %v. Other clients called it, or requests were refused before they were counted.",
		server, c.Server, c.Bench)
}

// counters returns the number of calls that the server has counted so far; nil if it has no counters, as most.
func (s *session) counters(ctx context.Context) *Calls {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.server.Counters, http.NoBody)
	if err != nil {
		return nil
	}
	response, err := http.DefaultClient.Do(r) // fails without a URL
	if err != nil {
		return nil
	}
	defer func() { _ = response.Body.Close() }()
	var kinds map[string]struct{ Ended, Failed int64 } // see runtime/observe.Counters
	err = json.NewDecoder(io.LimitReader(response.Body, 64<<10)).Decode(&kinds)
	if err != nil || kinds["request"].Ended == 0 { // such as the request for the list of tools
		return nil
	}
	// A call that becomes a task does not fail, but the task can.
	return &Calls{All: kinds["call"].Ended, Failed: kinds["call"].Failed + kinds["task"].Failed}
}

// count adds a measurement, before which the server had counted the given calls, to the comparison.
func (s *session) count(ctx context.Context, before *Calls, t *Tally) {
	if before == nil {
		return
	}
	bench := Calls{All: t.OK() + t.Failed(), Failed: t.Failed()}
	after := s.counters(ctx)
	for tries := 0; tries < 20 && after != nil && after.All-before.All < bench.All; tries++ {
		time.Sleep(10 * time.Millisecond) // a server counts a call after it has sent the answer
		after = s.counters(ctx)
	}
	if after != nil {
		s.counted.Server.All += after.All - before.All
		s.counted.Server.Failed += after.Failed - before.Failed
		s.counted.Bench.All += bench.All
		s.counted.Bench.Failed += bench.Failed
	}
}
