package reflectschema_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/testscale"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// nestedTags has two alternatives that each contain it and require twenty members.
var nestedTags = strings.ReplaceAll(`{"anyOf":[{"properties":{"t":{"const":"a"},"c":{"$ref":"#/items"}},REQUIRED},`+
	`{"properties":{"t":{"const":"b"},"c":{"$ref":"#/items"}},REQUIRED}]}`, "REQUIRED", `"required":["1","2","3","4","5","6","7","8","9","10","11","12","13","14","15","16","17","18","19","20"]`)

// discriminated returns n alternatives that are distinguished by a long text.
func discriminated(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`{"type":"object","required":["t"],"properties":{"t":{"const":"%s%d"}}}`, strings.Repeat("a", 38), i)
	}
	return strings.Join(list, ",")
}

// boundedChecks are validations of messages at the default limits: 16 MiB, half a million values.
var boundedChecks = []struct {
	name   string
	schema string
	data   func() string
}{
	{"nullable list", `{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}`, func() string { return largeList("1.000000000000000000000000000000") }},
	{"objects", `{"oneOf":[{"items":{"type":"string"}},{"items":{"type":"boolean"}}]}`, func() string { return largeList(`{"":1}`) }},
	{"empty arrays", `{"not":{"not":{"items":{"type":"string"}}}}`, func() string { return largeList(`[]`) }},
	{"if and contains", `{"if":{"contains":{"type":"string"}},"then":true,"else":{"contains":{"type":"null"}}}`, func() string { return largeList(`[1]`) }},
	{"unevaluated", `{"unevaluatedItems":{"type":"string"},"allOf":[{"contains":{"type":"null"},"minContains":0}]}`, func() string { return largeList(`{}`) }},
	{"unique", `{"uniqueItems":true,"items":{"anyOf":[{"type":"string"},{"type":"null"}]}}`, func() string { return "[" + numbers(499_000) + "]" }},
	{"pattern", `{"pattern":"^(([a-z])+.)+[A-Z]([a-z])+$"}`, func() string { return `"` + strings.Repeat("a", 16<<20-2) + `"` }},
	{"large pattern", `{"items":{"pattern":"(a?b?c?){500}x"}}`, func() string { return largeList(`"` + strings.Repeat("abc", 9) + `"`) }},
	{"pattern of many strings", `{"items":{"type":"string","pattern":"(?:a?){130}x?$"}}`, func() string { return largeList(`"` + strings.Repeat("a", 31) + `"`) }},
	{"pattern of many names", `{"propertyNames":{"pattern":"(?:a?){130}[0-9]$"}}`, largeObject},
	{"pattern of ten instructions", `{"type":"string","pattern":"^(?:a*)*$"}`, func() string { return `"` + strings.Repeat("a", 16<<20-2) + `"` }},
	{"many schemas", `{"items":{"allOf":[` + strings.Repeat(`{"minimum":0},`, 4000) + `{"type":"integer"}]}}`, func() string { return largeList(`1`) }},
	{"many mistakes in little", `{"items":{"items":{"allOf":[` + strings.Repeat(`{"type":"integer","minimum":9},`, 1000) + `true]}}}`, func() string { return smallList(290, `[1]`) }},
	{"exponents", `{"items":{"minimum":0,"multipleOf":0.5}}`, func() string { return largeList(`1e999`) }},
	{"recursive alternatives", `{"items":{"oneOf":[{"type":"array","items":{"$ref":"#"}},{"type":"array","items":{"$ref":"#"},"minItems":100},{"type":"integer"}]}}`, func() string { return largeList(`[[1]]`) }},
	{"alternatives on many levels", `{"items":` + nestedTags + `}`, func() string {
		return smallList(300, strings.Repeat(`{"t":"a","c":`, 30)+"{}"+strings.Repeat("}", 30))
	}},
	{"alternatives on all levels", `{"items":` + nestedTags + `}`, func() string {
		return smallList(20, strings.Repeat(`{"t":"a","c":`, 500)+"{}"+strings.Repeat("}", 500))
	}},
	{"a long name of digits", `{"additionalProperties":{"items":{"type":"string"}}}`, func() string {
		return `{"` + strings.Repeat("1", 50_000) + `":` + smallList(5000, "1") + `}`
	}},
	{"failures of shared schemas on each level", `{"$ref":"#/$defs/n","$defs":{"leaf":{"allOf":[` + strings.Repeat(`{"$ref":"#/$defs/b"},`, 1000) + `true]},` +
		`"b":{"items":{"type":"string"}},"n":{"properties":{"a":{"$ref":"#/$defs/n"},"z":{"$ref":"#/$defs/leaf"}}}}}`, func() string {
		return strings.Repeat(`{"a":`, 500) + `{"z":` + smallList(99, "1") + `}` + strings.Repeat("}", 500)
	}},
	{"discriminators that are similar to many", `{"items":{"oneOf":[` + discriminated(250) + `]}}`, func() string { return smallList(30_000, `{"t":"`+strings.Repeat("a", 40)+`"}`) }},
	{"long names under alternatives", `{"$ref":"#/$defs/d0","$defs":{` + strings.ReplaceAll(doubled(12), "allOf", "anyOf") + `"d12":{"required":["z"],"properties":{"a":true}}}}`, func() string {
		return `{"` + strings.Repeat("n", 4<<20) + `":1}`
	}},
	{"required", `{"items":{"required":[` + manyNames(`"n%d"`) + `]}}`, func() string { return smallList(1023, `{"":1}`) }},
	{"required of many", `{"items":{"required":[` + manyNames(`"n%d"`) + `]}}`, func() string { return smallList(1400, `{"":1}`) }},
	{"required again and again", `{"$defs":{"r":{"required":[` + manyNames(`"n%d"`) + `]}},"items":{"allOf":[` + strings.Repeat(`{"$ref":"#/$defs/r"},`, 300) + `true]}}`, func() string { return smallList(400, `{}`) }},
	{"unknown again and again", `{"$defs":{"r":{"additionalProperties":false}},"allOf":[` + strings.Repeat(`{"$ref":"#/$defs/r"},`, 2000) + `true]}`, func() string { return "{" + manyNames(`"n%d":1`) + "}" }},
	{"patterns of names beside required", `{"required":["z"],"patternProperties":{"[a-y]{900}z":{"type":"string"}}}`, func() string {
		return "{" + longNames(2000) + "}"
	}},
	{"a large object again and again", `{"required":["z"],"$ref":"#/$defs/d0","$defs":{` + doubled(8) + `"d8":{"patternProperties":{"^y":{"type":"string"}}}}}`, func() string {
		return "{" + names(100_000) + "}"
	}},
	{"pointer", `{"format":"json-pointer"}`, func() string { return `"` + strings.Repeat("/", 16<<20-2) + `"` }},
	{"regular expressions", `{"items":{"format":"regex"}}`, func() string { return largeList(`"(a|b)*(a|b)*(a|b)*(a|b)*"`) }},
	{"regular expressions that repeat", `{"items":{"format":"regex"}}`, func() string { return largeList(`"a{999}"`) }},
	{"a length again and again", `{"$ref":"#/$defs/d0","$defs":{` + strings.ReplaceAll(doubled(14), "allOf", "anyOf") + `"d14":{"minLength":900000000}}}`, largeText},
	{"many lengths", `{"allOf":[` + strings.Repeat(`{"minLength":1},`, 1000) + `true]}`, largeText},
	{"a length again and again in little", `{"$ref":"#/$defs/d0","$defs":{` + strings.ReplaceAll(doubled(12), "allOf", "anyOf") + `"d12":{"minLength":900000000}}}`, func() string {
		return largeText()[:64<<10] + `"`
	}},
	{"large pattern of empty texts", `{"items":{"pattern":"^(a?b?c?){600}$"}}`, func() string { return largeList(`""`) }},
	{"large pattern of empty names", `{"items":{"patternProperties":{"^(a?b?c?){600}$":true}}}`, func() string { return largeList(`{"":1}`) }},
	{"many dependent names", `{"items":{"dependentRequired":{` + manyMembers(20_000, `["x"]`) + `}}}`, func() string { return largeList(`{}`) }},
	{"many dependent schemas", `{"items":{"dependentSchemas":{` + manyMembers(2000, `true`) + `}}}`, func() string { return largeList(`{}`) }},
	{"many dependencies", `{"$schema":"http://json-schema.org/draft-07/schema#","items":{"dependencies":{` + manyMembers(20_000, `["x"]`) + `}}}`, func() string { return largeList(`{}`) }},
	{"enum of long numbers", `{"items":{"enum":[` + strings.Repeat(strings.Repeat("9", 90)+"1999,", 2000) + `1]}}`, func() string { return largeList(strings.Repeat("9", 90) + "1999.0") }},
	{"enum of long texts", `{"items":{"enum":[` + strings.Repeat(`"`+strings.Repeat("a", 5000)+`",`, 200) + `1]}}`, func() string { return largeList(`"` + strings.Repeat("a", 4999) + `b"`) }},
	{"integers with a point", `{"items":{"allOf":[` + strings.Repeat(`{"type":"integer"},`, 1000) + `true]}}`, func() string { return largeList(strings.Repeat("1", 90) + ".0e0") }},
	{"unique objects under shared schemas", `{"$defs":{"a":{"minProperties":0},"b":{"minProperties":1}},"uniqueItems":true,"items":{"allOf":[` + strings.Repeat(`{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"},`, 4) + `true]}}`, func() string {
		b := []byte{'['}
		for i := range 124_000 {
			b = fmt.Appendf(b, `{"%06d%s":1},`, i, strings.Repeat("x", 115))
		}
		return string(append(b[:len(b)-1], ']'))
	}},
}

// slowChecks are those of boundedChecks that take most of the time together. They run at night.
var slowChecks = []string{
	"many schemas", "pattern of many names", "large pattern of empty names", "large pattern of empty texts", "exponents",
	"integers with a point", "a length again and again", "many dependencies", "many dependent names",
}

// largeText returns a text at the default limit of messages.
func largeText() string { return `"` + strings.Repeat("é", 8<<20-2) + `"` }

// manyMembers returns n members with the same value.
func manyMembers(n int, value string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"k%d":%s,`, i, value)
	}
	return strings.TrimSuffix(b.String(), ",")
}

// doubled returns the $defs d0 to d(n-1), each of which refers to the next one twice.
func doubled(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	return b.String()
}

// names returns n members.
func names(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"member%d":0`, i)
	}
	return strings.Join(members, ",")
}

// longNames returns n members with names of a thousand letters.
func longNames(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"%s%d":0`, strings.Repeat("a", 1000), i)
	}
	return strings.Join(members, ",")
}

// manyNames returns a thousand names in the given format, separated by commas.
func manyNames(format string) string {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, format+",", i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

// smallList returns a list of n items.
func smallList(n int, item string) string { return "[" + strings.Repeat(item+",", n-1) + item + "]" }

// largeList returns a list with as many items as the default limits allow.
func largeList(item string) string {
	values := 1 + strings.Count(item, "[") + strings.Count(item, "{")
	n := min((16<<20-2)/(len(item)+1), 499_000/values)
	return "[" + strings.Repeat(item+",", n-1) + item + "]"
}

// largeObject returns an object with as many members as the default limits allow.
func largeObject() string {
	b := []byte{'{'}
	for i := range 490_000 {
		b = fmt.Appendf(b, `"%s%d":1,`, strings.Repeat("a", 23), i)
	}
	return string(append(b[:len(b)-1], '}'))
}

// TestCheckIsBounded limits each check to 5 s and 256 MB, in a separate process.
func TestCheckIsBounded(t *testing.T) {
	const variable = "MCPTOOL_BOUNDED_CHECK"
	if i, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		s, data := parse(t, boundedChecks[i].schema), []byte(boundedChecks[i].data())
		debug.SetMemoryLimit(256 << 20)
		held, done := make(chan uint64), make(chan struct{})
		go func() { held <- mostHeld(done) }()
		start := time.Now()
		err := s.Check(data)
		took := time.Since(start)
		close(done)
		fmt.Printf("bounded %d %d\n", <-held>>20, took.Milliseconds())
		if err != nil && len(err.Error()) > 2048 {
			t.Errorf("error text of %d bytes, want at most 2048", len(err.Error()))
		}
		return
	}
	if underRace || testing.Short() {
		t.Skip("the race detector needs several times the memory")
	}
	for i, tt := range boundedChecks {
		t.Run(tt.name, func(t *testing.T) {
			if slices.Contains(slowChecks, tt.name) {
				testscale.Nightly(t)
			}
			child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCheckIsBounded$", "-test.timeout=60s")
			child.Env = append(os.Environ(), variable+"="+strconv.Itoa(i), "GOMAXPROCS=2")
			out, err := child.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %.2000s", err, out)
			}
			var memory, millis int
			if _, err := fmt.Sscanf(string(out), "bounded %d %d", &memory, &millis); err != nil {
				t.Fatalf("%v: %.2000s", err, out)
			}
			cpu := child.ProcessState.UserTime() + child.ProcessState.SystemTime()
			t.Logf("%d MB, %v of CPU in all", memory, cpu)
			if memory > 256 {
				t.Errorf("the heap grew to %d MB", memory)
			}
			if cpu > 5*time.Second {
				t.Errorf("took %v of CPU", cpu)
			}
		})
	}
}

// mostHeld returns the maximum heap size until done is closed.
func mostHeld(done <-chan struct{}) (most uint64) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		most = max(most, stats.HeapInuse)
		select {
		case <-done:
			return most
		case <-tick.C:
		}
	}
}

// TestPatternsAreBounded: patterns that would take minutes to compile are refused at once, with their location.
func TestPatternsAreBounded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, schema, want string }{
		{"one", `{"properties":{"a":{"pattern":"` + strings.Repeat("a{1000}", 3000) + `"}}}`, "schema: properties.a.pattern: must be a regular expression of Go (no lookaround, no backreferences): has 21000 bytes, more than 16384"},
		{"short", `{"properties":{"a":{"pattern":"` + strings.Repeat("a{1000}", 12) + `"}}}`, "compiles to 24013 instructions, more than 10000: shorten its repetitions"},
		{"many", `{"allOf":[` + strings.Repeat(`{"pattern":"`+strings.Repeat("a{1000}", 4)+`"},`, 20) + `true]}`, "schema: allOf[6].pattern: the patterns of the schema compile to more than 50000 instructions together"},
		{"names", `{"patternProperties":{"` + strings.Repeat("a{1000}", 12) + `":true}}`, "more than 10000"},
	} {
		start := time.Now()
		if _, err := reflectschema.ParseSchema([]byte(tt.schema)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %.300v, want %s", tt.name, err, tt.want)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: took %v", tt.name, took)
		}
	}
	if _, err := reflectschema.ParseSchema([]byte(`{"pattern":"^[\\p{L}0-9 ]{1,1000}$","patternProperties":{"^.{0,255}$":true}}`)); err != nil {
		t.Errorf("a common pattern is refused: %v", err)
	}
}

// TestScopedReferences: a $dynamicRef with several possible targets is refused. With one target, it is a $ref.
func TestScopedReferences(t *testing.T) {
	t.Parallel()
	const scoped = `{"$id":"https://example.com/r","$ref":"a","$defs":{"x":{"$id":"a","$dynamicAnchor":"d","items":{"$dynamicRef":"#d"},"$defs":{"y":{"$id":"b","$dynamicAnchor":"d"}}}}}`
	if _, err := reflectschema.ParseSchema([]byte(scoped)); err == nil || !strings.Contains(err.Error(), "$dynamicRef: has several possible targets") {
		t.Errorf("got %v", err)
	}
	s := parse(t, `{"$dynamicAnchor":"d","type":["array","null"],"items":{"$dynamicRef":"#d"}}`)
	if s.Check([]byte(`[[null],[]]`)) != nil || s.Check([]byte(`[[1]]`)) == nil {
		t.Error("Check returned the wrong result")
	}
}
