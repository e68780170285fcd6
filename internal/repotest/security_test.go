package repotest_test

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// TestSecurityClaims checks that each claim of SECURITY.md links to the test that proves it, and that the section of
// each party names the author's responsibility.
func TestSecurityClaims(t *testing.T) {
	claims := 0
	for section := range strings.SplitSeq(readText(t, "SECURITY.md"), "\n## ") {
		title, text, _ := strings.Cut(section, "\n")
		if !strings.HasPrefix(title, "A ") && !strings.HasPrefix(title, "An ") {
			continue
		}
		bullets, rest, ok := strings.Cut(text, "\n\nYour responsibility is ")
		if !ok || strings.TrimSpace(rest) == "" {
			t.Errorf("%s: what is the responsibility of the author?", title)
		}
		for claim := range strings.SplitSeq(bullets, "\n* ") {
			if !strings.HasPrefix(claim, "**") {
				continue
			}
			claims++
			shown := false
			for _, match := range link.FindAllStringSubmatch(claim, -1) {
				shown = shown || testName.MatchString(match[1])
			}
			if !shown {
				t.Errorf("%s: no test shows that %q", title, claim)
			}
		}
	}
	if claims < 20 {
		t.Errorf("SECURITY.md claims %d things", claims)
	}
}

var defaultRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| ([^|]+) \\|")

// TestSecurityDefaults compares the table in SECURITY.md with the defaults of package runtime. The table must be complete.
func TestSecurityDefaults(t *testing.T) {
	said := map[string]string{"ToolsPerPage": "", "CallTimeout": "", "Rate": "", "Tasks": "", "PerCaller": ""} // not security-related; no default; no default; see TaskLimits; see CallerLimits
	for _, row := range defaultRow.FindAllStringSubmatch(readText(t, "SECURITY.md"), -1) {
		said[row[1]] = row[2]
	}
	limits := reflect.ValueOf(runtime.Internal(private.Key{}).Limits(runtime.Limits{}))
	for i := range limits.NumField() {
		name, value := limits.Type().Field(i).Name, fmt.Sprint(limits.Field(i).Interface())
		text, ok := said[name]
		if got, err := valueOf(text); !ok || text != "" && (err != nil || got != value) {
			t.Errorf("%s is %s by default; SECURITY.md says %q", name, value, text)
		}
		delete(said, name)
	}
	if len(said) > 0 {
		t.Errorf("there are no such limits: %v", said)
	}
}

var memoryRow = regexp.MustCompile(`(?m)^\| [^|]*\(` + "`(\\w+)`" + `\) \| (\d+) \| (\d+) \| (\d+) MiB \|$`)

// TestSecurityMemory computes the memory limits stated in SECURITY.md from the defaults.
func TestSecurityMemory(t *testing.T) {
	limits, text := runtime.Internal(private.Key{}).Limits(runtime.Limits{}), readText(t, "SECURITY.md")
	defaults := map[string]struct{ all, each int }{
		"MaxMemoryBytes":   {limits.MaxMemoryBytes, limits.PerCaller.MaxMemoryBytes},
		"MaxCallsInFlight": {limits.MaxCallsInFlight, limits.PerCaller.MaxCallsInFlight},
		"Sessions":         {streamhttp.DefaultSessions, streamhttp.DefaultSessions / 10},
		"Streams":          {streamhttp.DefaultStreams, streamhttp.DefaultStreams / 10},
	}
	all, each := 0, 0
	for _, row := range memoryRow.FindAllStringSubmatch(text, -1) {
		limit, ok := defaults[row[1]]
		cost, err := strconv.Atoi(row[3])
		if err != nil || !ok || row[2] != strconv.Itoa(limit.all) || row[4] != strconv.Itoa(limit.all*cost>>20) {
			t.Errorf("%s is %d by default, which makes %d MiB; SECURITY.md says %q, %v", row[1], limit.all, limit.all*cost>>20, row[0], err)
		}
		all, each = all+limit.all*cost, each+limit.each*cost
		delete(defaults, row[1])
	}
	if len(defaults) > 0 {
		t.Errorf("SECURITY.md does not count %v", defaults)
	}
	for _, want := range []string{fmt.Sprintf("| all | | | %d MiB |", all>>20), fmt.Sprintf("One caller can use %d MiB", each>>20)} {
		if !strings.Contains(text, want) {
			t.Errorf("SECURITY.md does not say %q", want)
		}
	}
}

// valueOf returns the value of a table cell as formatted by fmt.
func valueOf(text string) (string, error) {
	if d, err := time.ParseDuration(text); err == nil {
		return d.String(), nil
	}
	number, unit, _ := strings.Cut(text, " ")
	n, err := strconv.Atoi(number)
	factor, ok := map[string]int{"": 1, "KiB": 1 << 10, "MiB": 1 << 20}[unit]
	if !ok {
		err = fmt.Errorf("%q is no unit", unit)
	}
	return strconv.Itoa(n * factor), err
}
