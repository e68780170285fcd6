package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/lab/soak/server"
)

// TestMain runs the server if the test binary is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == serve {
		exit(server.Main(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// newSoak returns a soak whose servers are this test binary.
func newSoak(t *testing.T, out *bytes.Buffer, args ...string) *soak {
	t.Helper()
	if goruntime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Memory use after some seconds does not show whether servers leak, so it is not limited here; TestReportFails tests the limit.
	return &soak{program: append([]string{program, serve}, args...), seed: 1, tally: newTally(out), pause: time.Millisecond, grown: math.Inf(1)}
}

// TestSoak runs everything once, with correct servers, for which it reports success, and with lying ones, for which it
// does not.
func TestSoak(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		args []string
		want string // in the report; "" for success
	}{
		{"correct servers", nil, ""},
		{"servers with some wrong answers", []string{"-lie=3"}, "quick call: got text {\"sum\":"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			s := newSoak(t, &out, test.args...)
			err := s.run(t.Context(), 4*time.Second, 200, 1, &out)
			if _, _, checked, wrong := s.tally.totals(); checked < 30 || wrong > 0 != (test.want != "") || (err != nil) != (wrong > 0) {
				t.Errorf("%d answers checked, %d wrong: %v\n%s", checked, wrong, err, &out)
			}
			if !strings.Contains(out.String(), test.want) {
				t.Errorf("the report does not contain %q:\n%s", test.want, &out)
			}
		})
	}
}

// TestEveryAction runs each action with a client of each revision and transport that supports it.
func TestEveryAction(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := newSoak(t, &out)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.clock, s.http = startClock(ctx), newHTTP()
	if err := s.openHosts(ctx); err != nil {
		t.Fatal(err)
	}
	for _, c := range s.pools(1, 0) {
		v := &scenario{Rand: c.rand}
		var err error
		if v.session, err = c.connect(ctx); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, a := range c.actions {
			if v.rev >= a.since && (a.until == "" || v.rev <= a.until) {
				c.perform(ctx, v, a)
			}
		}
		if c.leave != nil {
			c.perform(ctx, v, action{name: "end", isFault: true, do: c.leave})
		}
		if !c.stays {
			_ = v.Close()
		}
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if _, _, _, wrong := s.tally.totals(); wrong > 0 {
		t.Error(&out)
	}
}

// TestProgressed checks that incorrect progress is detected.
func TestProgressed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		told  []int
		isBad bool
	}{
		{"each step", []int{1, 2, 3}, false},
		{"some steps and the last", []int{2, 3}, false},
		{"without the last", []int{1, 2}, true},
		{"a step twice", []int{1, 1, 3}, true},
		{"back", []int{2, 1, 3}, true},
		{"nothing", nil, true},
	} {
		var notes []json.RawMessage
		for _, n := range test.told {
			notes = append(notes, encode(object{"progress": n, "total": 3}))
		}
		if err := progressed(notes, 3); (err != nil) != test.isBad {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestResultIs checks that a result that is not byte for byte as expected is detected.
func TestResultIs(t *testing.T) {
	t.Parallel()
	const good = `{"content":[{"type":"text","text":"{\"sum\":3}"}],"structuredContent":{"sum":3}}`
	for _, test := range []struct {
		name, result string
		rev          revision
		isBad        bool
	}{
		{"correct", good, "2025-11-25", false},
		{"complete", strings.Replace(good, `{"content`, `{"resultType":"complete","content`, 1), modern, false},
		{"a revision without structuredContent", `{"content":[{"type":"text","text":"{\"sum\":3}"}]}`, "2025-03-26", false},
		{"no resultType in a revision with it", good, modern, true},
		{"structuredContent in a revision without it", good, "2025-03-26", true},
		{"another text", strings.Replace(good, `3}"`, `4}"`, 1), "2025-11-25", true},
		{"another value", strings.Replace(good, `3}}`, `4}}`, 1), "2025-11-25", true},
		{"an error", strings.Replace(good, `{"content`, `{"isError":true,"content`, 1), "2025-11-25", true},
		{"nothing", `{"content":[]}`, "2025-11-25", true},
	} {
		result, err := readResult(&reply{Result: []byte(test.result)})
		if err == nil {
			err = result.is(test.rev, server.Sum{Sum: 3})
		}
		if (err != nil) != test.isBad {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestReportFails checks that the report fails for a server whose memory has grown, and not for another.
func TestReportFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		end  look
		want string
	}{
		{"as before", look{resident: 100, goroutines: 10, descriptors: 10}, ""},
		{"within bounds", look{resident: 110, goroutines: 11, descriptors: 11}, ""},
		{"memory", look{resident: 111, goroutines: 10, descriptors: 10}, "RSS"},
		{"goroutines", look{resident: 100, goroutines: 12, descriptors: 10}, "goroutines"},
		{"files", look{resident: 100, goroutines: 10, descriptors: 12}, "fds"},
	} {
		var out bytes.Buffer
		then := look{resident: 100, goroutines: 10, descriptors: 10}
		s := &soak{tally: newTally(&out), grown: mostGrown, hosts: []*host{{name: "a server", looks: []look{then, then, test.end}}}}
		if got := fmt.Sprint(s.report(&out)); (test.want == "") != (got == "<nil>") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %s", test.name, got)
		}
	}
}
