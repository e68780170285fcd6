package authority

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/testing/specdata"
)

// TestFormats checks texts that the official suite lacks, or for which the library differs.
func TestFormats(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		format string
		valid  bool
		texts  []string
		reason string
	}{
		{"uri-template", true, []string{"{scheme}://a", "{host}:8080/x", "http://[{v6}]:{port}/", "#{a}", "{a}{b}", "{/a,b*}", "{?a:9,b.c}", "{&x}", "{=a}", "é\ue000", "'%20"}, "RFC 6570 has no grammar of URIs"},
		{"uri-template", false, []string{"a{", "}a", "{{a}}", "{a{b}", "{a b}", "{a.}", "{.}", "{é}", "{%4}", "{a:}", "{a:1*}", "{a*:1}", "{+#a}", "{?}"}, "no variables between braces"},
		{"uri-template", false, []string{`a"b`, "a<b", "a>b", `a\b`, "a^b", "a`b", "a|b", "%", "%4", "%4g", "a\tb", "\u0080", "\ufdd0", "\ufffe"}, "characters not allowed in literals"},
		{"uri-reference", true, []string{"", "a", "a/b:c", "?a:b", "#a?/", "//", "///a", "a@b", "//u:p@h:80/", "//h:", "x:", "x:/a", "..", "%C3%A9", "*;p=1", "//[v1.x:y]", "//[V1f.:]"}, "RFC 3986"},
		{"uri-reference", false, []string{"a b", "é", "/é", "?é", "#é", "//é", `a\b`, `"`, "<a>", "{a}", "a|b", "^", "`", "\x7f", "##", "#a#b", "a[b]", "?[]", "#[]", "%", "%2", "%2g"}, "characters not allowed in URIs"},
		{"uri-reference", false, []string{":", ":a", "1:a", "a_b:c", "%41:a", "//a:b", "//a:80b", "//a:1:2", "//a@b@c", "//[", "//[]", "//[::1", "//[::1]a", "//[1.2.3.4]", "//[::1%25eth0]", "//[fe80::1%eth0]", "//[::01.2.3.4]", "//[v1]", "//[v.a]", "//[vg.a]", "//[v1.]", "//[v1.%41]", "//a[::1]", "//::1"}, "invalid schemes and hosts"},
		{"uri", true, []string{"a:", "A+-.9:b", "urn:a:b", "mailto:a@b.c", "http://h", "http://h?a=b/?", "file:///a", "x:?#", "data:,%20"}, "with a scheme"},
		{"uri", false, []string{"", "a", "/a:b", "?a:b", "#a:b", "//h", "http://a b", "http://é/", "http://a/{id}", "http://a/?q=a b", "http://a/?q=é"}, "no scheme, or invalid characters"},
		{"iri", true, []string{"http://é.example/é?é\ue000#é", "http://é@h", "x:\U00010000\U000e1000"}, "RFC 3987"},
		{"iri", false, []string{"é", "http://a b", "x:\u0080", "x:\ufdd0", "x:\ufffe", "x:\ufff0", "x:\ue000", "x:#\ue000", "x:\U0001fffe", "x:\U000e0fff", "x:?\U0010ffff", "é:a", "http://[é]", "http://a\u2028:é"}, "RFC 3987"},
		{"iri-reference", true, []string{"é", "#é", "//é", "\u00a0"}, "RFC 3987"},
		{"iri-reference", false, []string{"a b", "\u0000", "<é>", "1é:a"}, "RFC 3987"},
		{"ipv4", true, []string{"0.0.0.0", "255.255.255.255"}, "RFC 2673"},
		{"ipv4", false, []string{"", "+1.2.3.4", "-0.1.2.3", "1.2.3.04", "1.2.3", "1.2.3.256", "::1", "1.2.3.4 ", "１.2.3.4"}, "signs, other digits"},
		{"email", true, []string{"a@b", `"a b"@c`, `""@a`, "a@[1.2.3.4]", "a@[IPv6:::1]"}, "RFC 5321"},
		{"email", false, []string{"@a", "a@", "a", "a@b.", "a@[+1.2.3.4]", "a@[::1]", "a@[1.2.3.4"}, "no name, no host"},
		{"hostname", true, []string{"a", "a.b", "1a", strings.Repeat("a.", 126) + "a"}, "RFC 1123"},
		{"hostname", false, []string{"", ".", "a.", "a..b", "-a", "a_b", strings.Repeat("a.", 127)}, "RFC 1123"},
		{"duration", true, []string{"P1Y", "P1Y0M2D", "P1DT1H", "PT1H0M1S", "P1YT1S", "P2W"}, "RFC 3339, appendix A"},
		{"duration", false, []string{"", "P", "PT", "P1", "1D", "P1Y2D", "PT1H2S", "P1DT", "P1Y2DT1M", "P1MT1H2S", "P1W1D", "PT1.5S", "-P1D"}, "RFC 3339, appendix A"},
		{"date", true, []string{"2024-02-29", "0000-01-01"}, "RFC 3339"},
		{"date", false, []string{"", "2023-02-29", "2024-1-1", "+024-01-01", "2024-01-01 ", "2024-01-01Z", "2024/01/01"}, "RFC 3339"},
		{"json-pointer", true, []string{"", "/", "/a~0~1", "/é"}, "RFC 6901"},
		{"json-pointer", false, []string{"a", "/~", "/~2", "#/a"}, "RFC 6901"},
		{"uuid", false, []string{"urn:uuid:00000000-0000-0000-0000-000000000000", "{00000000-0000-0000-0000-000000000000}"}, "RFC 4122"},
	} {
		auth := compileFormat(t, test.format)
		for _, text := range test.texts {
			if failures, err := auth.Check(auth.Root, Value{text, 1}, 10, nil); (len(failures) == 0) != test.valid || err != nil {
				t.Errorf("%s %q: valid = %t, want %t (%s): %v", test.format, text, !test.valid, test.valid, test.reason, err)
			}
			if reason := FormatReason(test.format, text); test.valid && reason != "" {
				t.Errorf("%s %q: got the reason %s for a valid text", test.format, text, reason)
			}
		}
	}
}

func compileFormat(t *testing.T, name string) *Authority {
	t.Helper()
	auth, err := Compile([]byte(`{"type":"string","format":"`+name+`"}`), Draft2020)
	if err != nil {
		t.Fatal(err)
	}
	return auth
}

// TestSuiteOfFormats runs the optional format tests of the official suite. Regular expressions are in Go syntax, and
// Punycode names are not decoded.
func TestSuiteOfFormats(t *testing.T) {
	t.Parallel()
	for _, suite := range []struct {
		dir     string
		dialect *jsonschema.Draft
		least   int
	}{{"draft2020-12", Draft2020, 600}, {"draft7", Draft7, 510}} {
		n := 0
		for file, groups := range specdata.SuiteFiles(t, suite.dir+"/optional/format") {
			if file == "ecmascript-regex.json" || strings.HasPrefix(file, "idn-") {
				continue
			}
			for _, group := range groups {
				auth, err := Compile(group.Schema, suite.dialect)
				if err != nil {
					t.Fatal(err)
				}
				for _, test := range group.Tests {
					v, err := Parse(test.Data)
					text, _ := v.Any.(string)
					if err != nil || file == "hostname.json" && strings.HasPrefix(strings.ToLower(text), "xn--") {
						continue
					}
					n++
					if failures, err := auth.Check(auth.Root, v, 10, nil); (len(failures) == 0) != test.Valid || err != nil {
						t.Errorf("%s: %s: %s: valid = %t: %v", file, group.Description, test.Description, !test.Valid, err)
					}
				}
			}
		}
		if n < suite.least {
			t.Errorf("%s: %d tests, want at least %d", suite.dir, n, suite.least)
		}
	}
}

// TestFormatsOfReferences checks that references in schemas may contain characters that URIs exclude, as schema
// generators write them.
func TestFormatsOfReferences(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Record<string,é>", "a b"} {
		schema, _ := json.Marshal(map[string]any{"$ref": "#/$defs/" + name, "$defs": map[string]any{name: map[string]any{"type": "null"}}})
		if _, err := Compile(schema, Draft2020); err != nil {
			t.Errorf("%s: %v", schema, err)
		}
	}
}

// TestLongFormats checks the length limit for texts whose format the library checks.
func TestLongFormats(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", maxFormatText+1)
	for _, row := range []struct {
		format, text string
		fits         bool
	}{
		{"uri", "data:image/png;base64," + long, true},
		{"iri-reference", long + "#" + long, true},
		{"uri-template", long, true},
		{"json-pointer", "/" + long[:1000], true},
		{"json-pointer", "/" + long, false},
		{"email", long[:60] + "@example.com", true},
		{"email", "a@" + long, false},
	} {
		auth := compileFormat(t, row.format)
		failures, err := auth.Check(auth.Root, Value{row.text, 1}, 10, nil)
		if fits := len(failures) == 0; fits != row.fits || err != nil {
			t.Errorf("%s of %d bytes, %.30s: fits = %t, want %t: %v", row.format, len(row.text), row.text, fits, row.fits, err)
		}
	}
}
