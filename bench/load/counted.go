package load

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/mcptool-go/mcptool/bench/figure"
)

// Counted compares the number of calls during the measurements in the counters of a server with that in the report.
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
	if c.Failed == 0 {
		return fmt.Sprintf("%s calls, none of which failed", figure.Count(float64(c.All)))
	}
	return fmt.Sprintf("%s calls, of which %s failed", figure.Count(float64(c.All)), figure.Count(float64(c.Failed)))
}

// remark describes the numbers for readers of the report.
func (c *Counted) remark(server string) string {
	if c.Server == c.Bench {
		return fmt.Sprintf("%s also counted %v.", server, c.Server)
	}
	return fmt.Sprintf("The counts differ: %s counted %v, and bench %v. Other clients called it, or requests were refused before they were counted.",
		server, c.Server, c.Bench)
}

// countersClient gets the counters of a server on this machine.
var countersClient = &http.Client{
	Timeout:       2 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// counters returns the number of calls that the server has counted so far. It reports false if the server has no
// counters, as most, or if they cannot be read.
func (s *session) counters(ctx context.Context) (calls Calls, ok bool) {
	if s.server.Counters == "" {
		return calls, false
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.server.Counters, http.NoBody)
	if err != nil {
		return calls, false
	}
	response, err := countersClient.Do(r)
	if err != nil {
		return calls, false
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	if err != nil || response.StatusCode != http.StatusOK {
		return calls, false
	}
	var kinds map[string]struct{ Ended, Failed int64 } // see runtime/observe.Counters
	if err := json.Unmarshal(text, &kinds); err != nil {
		return calls, false
	}
	_, ok = kinds["request"] // such as the request for the list of tools
	// A call that becomes a task does not fail, but the task can.
	return Calls{All: kinds["call"].Ended, Failed: kinds["call"].Failed + kinds["task"].Failed}, ok
}

// count adds a measurement, before which the server had counted the given calls, to its comparison.
func (s *session) count(ctx context.Context, before Calls, t *Tally) {
	bench := Calls{All: t.OK() + t.Failed(), Failed: t.Failed()}
	after, ok := s.counters(ctx)
	// A server counts a call after it has sent the answer.
	for range 20 {
		if !ok || after.All-before.All >= bench.All {
			break
		}
		time.Sleep(10 * time.Millisecond)
		after, ok = s.counters(ctx)
	}
	if !ok {
		return
	}
	if s.counted == nil {
		s.counted = new(Counted)
	}
	c := s.counted
	c.Server.All += after.All - before.All
	c.Server.Failed += after.Failed - before.Failed
	c.Bench.All += bench.All
	c.Bench.Failed += bench.Failed
}
