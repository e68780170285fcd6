package load

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/golden"
)

// round returns a one-second sample with a hundred calls that took 1 to 100 units.
func round(unit, cpu time.Duration, failures ...error) sample {
	t := NewTally()
	for i := range 100 {
		t.record(time.Duration(i+1)*unit, nil)
	}
	for _, err := range failures {
		t.record(0, err)
	}
	t.Span = time.Second
	return sample{Tally: t, cpu: cpu * 100, resident: 20e6, known: cpu > 0}
}

// lookOf returns a report of two servers, the second of which is half as fast and then exits.
func lookOf() *Report {
	r := &Report{
		Time: time.Date(2026, 11, 22, 6, 30, 0, 0, time.UTC), Machine: "linux/amd64, 2 CPUs", Rounds: 3,
		Duration: 3 * time.Second, Warmup: 500 * time.Millisecond,
		Servers: []Subject{
			{Name: "ours", Where: "./weather --quick", Product: "weather 1.0.0", Revision: "2026-07-28", Peak: 22e6},
			{Name: "<theirs>", Where: `./"theirs" & more`, Product: "theirs", Revision: "2025-06-18"},
		},
	}
	weather := Work{"get_weather", []json.RawMessage{[]byte(`{"location":"Lisbon"}`), []byte(`{"location":"<Oporto>"}`)}}
	for _, step := range []int{1, 64} {
		r.add(weather, step, [][]sample{
			{round(10*time.Microsecond, 5*time.Microsecond), round(12*time.Microsecond, 6*time.Microsecond), round(11*time.Microsecond, 7*time.Microsecond)},
			{round(20*time.Microsecond, 0), round(24*time.Microsecond, 0, &CallError{ToolError, "no <such> place"}), round(22*time.Microsecond, 0)},
		})
	}
	broken := NewTally()
	broken.record(0, errors.New("broken pipe"))
	broken.record(0, &CallError{ProtocolError, "no such tool (-32602)"})
	r.add(Work{"other", []json.RawMessage{[]byte(`{}`)}}, 1, [][]sample{{round(time.Millisecond, time.Millisecond)}, {{Tally: broken, cpu: time.Millisecond, resident: 20e6, known: true}}})
	r.Lost = append(r.Lost, Loss{Server: "<theirs>", Reason: "it has ended (exit status 2)"})
	r.add(Work{"last", []json.RawMessage{[]byte(`{}`)}}, 1, [][]sample{{round(time.Second, time.Second)}, nil})
	r.add(Work{"never", []json.RawMessage{[]byte(`{}`)}}, 1, [][]sample{nil, nil})
	r.Notes = append(r.Notes, "Not called: delete_all.", "A note that \x1b[31msteers.")
	return r
}

func TestText(t *testing.T) {
	t.Parallel()
	file := golden.Open(t, "testdata/table")
	text := func(r *Report) string {
		var b strings.Builder
		if err := r.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	file.Check(t, "two servers", text(lookOf()))

	one := lookOf()
	one.Servers, one.Lost, one.Rounds, one.Interrupted = one.Servers[:1], nil, 1, true
	for i := range one.Rows {
		one.Rows[i].Cells = one.Rows[i].Cells[:1]
	}
	file.Check(t, "one server, interrupted", text(one))

	open := &Report{Machine: "linux/amd64, 2 CPUs", Rounds: 1, Rate: 500, MaxCalls: 1000, Servers: []Subject{{Name: "ours", Product: "weather"}}}
	s := round(time.Millisecond, 0)
	recordTo(s.Late, 3*time.Millisecond)
	open.add(Work{"get_weather", []json.RawMessage{[]byte(`{}`)}}, 0, [][]sample{{s}})
	file.Check(t, "open loop", text(open))
}

// TestRatios checks the ratios of rounds, and that a server without a successful call counts as barren.
func TestRatios(t *testing.T) {
	t.Parallel()
	r := lookOf()
	got := r.Rows[0].Cells[1].Ratios
	if got["p50"] < 1.9 || got["p50"] > 2.1 || got["perSecond"] != 1 || got["cpuPerCall"] != 0 {
		t.Errorf("got %+v", got)
	}
	if r.Rows[0].Cells[0].Ratios != nil {
		t.Error("the first is compared with itself")
	}
	if failing := r.Rows[2].Cells[1]; failing.OK != 0 || failing.Figures["cpuPerCall"].Median != 0 || failing.Ratios["cpuPerCall"] != 0 {
		t.Errorf("without a success there is %+v, %+v", failing.Figures, failing.Ratios)
	}
	if !r.Barren() {
		t.Error("a server had no success, and nothing is said")
	}
	if r.Rows = r.Rows[:2]; r.Barren() {
		t.Error("all had successes")
	}
	if r.Rows = nil; !r.Barren() {
		t.Error("nothing was measured")
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(lookOf())
	if err != nil {
		t.Fatal(err)
	}
	var got Report
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	c := got.Rows[0].Cells[1]
	if c.Failures[ToolError] != 1 || c.OK != 300 || c.Failed != 1 || c.Figures["cpuPerCall"].Median != 0 || c.Figures["p50"].Median < 1e6 || got.Rows[0].InFlight != 1 {
		t.Errorf("got %+v", c)
	}
}

// TestPage checks that the page is well-formed and loads nothing from elsewhere.
func TestPage(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := lookOf().WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	inStyle := false
	d := xml.NewDecoder(strings.NewReader(b.String())) // strict: the page is also valid XML
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			counts[token.Name.Local]++
			inStyle = token.Name.Local == "style"
			if slices.Contains([]string{"script", "link", "img", "iframe", "object", "embed", "base", "use", "image", "a"}, token.Name.Local) {
				t.Errorf("the page has <%s>", token.Name.Local)
			}
			for _, attr := range token.Attr {
				if slices.Contains([]string{"src", "href", "srcset", "data", "action", "xlink:href"}, attr.Name.Local) || strings.Contains(attr.Value, "url(") {
					t.Errorf("<%s> has %s=%q", token.Name.Local, attr.Name.Local, attr.Value)
				}
			}
		case xml.CharData:
			if inStyle && (strings.Contains(string(token), "url(") || strings.Contains(string(token), "@import")) {
				t.Error("the style fetches something")
			}
		case xml.EndElement:
			inStyle = false
		}
	}
	// The first tool has a throughput plot and two step plots; the two others, with one step each, only the former.
	if counts["svg"] != 5 || counts["h2"] != 3 || counts["table"] != 4 {
		t.Errorf("got %v", counts)
	}
	for _, leftover := range []string{"http:", "https:"} {
		if strings.Contains(b.String(), leftover) {
			t.Errorf("the page has %q", leftover)
		}
	}
	for _, part := range []string{"prefers-color-scheme: dark", "&lt;theirs&gt;", "var(--line1)", "no &lt;such&gt; place", "Not called: delete_all."} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("the page lacks %q", part)
		}
	}
}
