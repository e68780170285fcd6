package main

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/bench/process"
)

// TestContenders runs a little of each workload with every contender, which
// checks the responses of all. A full run does only more of the same.
func TestContenders(t *testing.T) {
	t.Parallel()
	if _, err := process.Time(1); err != nil {
		t.Skip(err)
	}
	r := &rig{contenders: allContenders(), rounds: 1, span: time.Millisecond, progress: io.Discard}
	for _, m := range measures() {
		if slices.Contains([]string{"stdio-1", "stdio-64", "modern-64", "orders-16", "echo-4", "rows-1mb", "http-16", "start-100"}, m.name) {
			r.measures = append(r.measures, m)
		}
	}
	list := measure{name: "list", run: listAgain(12), only: append(general(), copying)}
	r.measures = append(r.measures, list)
	if err := build(t.Context(), t.TempDir(), r.contenders); err != nil {
		t.Fatal(err)
	}
	older, err := olderBuild(r.contenders[slices.IndexFunc(r.contenders, func(c contender) bool { return c.name == ours })].binary)
	if err != nil {
		t.Fatal(err)
	}
	r.contenders = append(r.contenders, older)
	all, err := r.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.measures {
		for _, c := range r.contenders {
			if got := len(all[m.name][c.name]) == 1; got != m.isFor(c) {
				t.Errorf("%s: %s: measured: %t", m.name, c.name, got)
			}
		}
	}
	var printed strings.Builder
	if err := r.print(&printed, all); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`\| stdio, get_weather, 64 in flight +\| CPU +\| build mcptool +\| \d+\.\d\d `,
		`\| exec to a complete tools/list, 100 tools +\| time +\| build mcptool +\| \d+\.\d\d `,
	} {
		if !regexp.MustCompile(line).MatchString(printed.String()) {
			t.Errorf("no line matches %s in\n%s", line, printed.String())
		}
	}
	if _, err := olderBuild("smoke_test"); err == nil || !strings.Contains(err.Error(), "smoke_test is not a program") {
		t.Errorf("a missing build: got %v", err)
	}
}
