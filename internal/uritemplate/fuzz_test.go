package uritemplate_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// FuzzMatch checks that matching and expanding are inverse, and that no value leaves a directory. It compares the matching
// of paths with a regular expression.
func FuzzMatch(f *testing.F) {
	for _, tt := range matches {
		f.Add(tt.template, tt.uri)
	}
	for _, tt := range mistakes {
		f.Add(tt.text, "a")
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, text, uri string) {
		defer watch()()
		template, err := uritemplate.Parse(text)
		if err != nil {
			return
		}
		values, ok := template.Match(uri)
		if want, known := slowly(template, uri); known && ok != (want != nil) || known && ok && !slices.Equal(values, want) {
			t.Errorf("%s: %q: %q, %v, and slowly %q", template, uri, values, ok, want)
		}
		if ok {
			checkAgain(t, template, uri, values)
			checkSafe(t, template, uri, values)
		}
		// The text of the URI also serves as values.
		parts := strings.Split(uri, "|")
		i := 0
		var given []uritemplate.Value
		for _, v := range template.Variables() {
			if part := parts[i%len(parts)]; !v.Optional() || part != "" {
				given = append(given, uritemplate.Value{Name: v.Name, Text: part})
			}
			i++
		}
		checkExpand(t, template, given)
	})
}

// checkExpand expands a template and matches the result.
func checkExpand(t *testing.T, template *uritemplate.Template, given []uritemplate.Value) {
	t.Helper()
	made, err := template.Expand(lookup(given))
	if err != nil {
		return
	}
	read, ok := template.Match(made)
	if normal, _ := uritemplate.Normalize(made); !ok || !slices.Equal(read, given) || normal != made {
		t.Errorf("%s: %q become %q, and that %q, %v", template, given, made, read, ok)
	}
	checkSafe(t, template, made, read)
}

// checkSafe checks the guarantees for a func that gets the values.
func checkSafe(t *testing.T, template *uritemplate.Template, uri string, values []uritemplate.Value) {
	t.Helper()
	for _, v := range values {
		isDots := func(part string) bool { return part == ".." }
		if !utf8.ValidString(v.Text) || strings.ContainsFunc(v.Text, unicode.IsControl) ||
			slices.ContainsFunc(strings.FieldsFunc(v.Text, func(r rune) bool { return r == '/' || r == '\\' }), isDots) {
			t.Errorf("%s: %q: the value %q", template, uri, v)
		}
	}
	normal, _ := uritemplate.Normalize(uri)
	path, _, _ := strings.Cut(normal, "#")
	path, _, _ = strings.Cut(path, "?")
	_, path, _ = strings.Cut(path, ":")
	for part := range strings.SplitSeq(path, "/") {
		if part == "." || part == ".." {
			t.Errorf("%s: %q has a dot segment", template, uri)
		}
	}
}

// slowly matches a URI against a template with a regular expression. It supports only templates that consist of a path.
func slowly(template *uritemplate.Template, uri string) (values []uritemplate.Value, known bool) {
	text := template.String()
	if strings.ContainsAny(text, "?#%") {
		return nil, false
	}
	normal, ok := uritemplate.Normalize(uri)
	if !ok {
		return nil, false
	}
	var pattern strings.Builder
	after := false // {+var}
	for rest := text; rest != ""; {
		literal, expression, found := strings.Cut(rest, "{")
		pattern.WriteString(regexp.QuoteMeta(literal))
		if !found {
			break
		}
		inner, tail, _ := strings.Cut(expression, "}")
		reserved := strings.HasPrefix(inner, "+")
		after = after || reserved
		switch {
		case reserved:
			pattern.WriteString(`((?:[A-Za-z0-9\-._~/:@!$&'()*+,;=]|%[0-9A-F]{2})+)`)
		case after || !strings.Contains(text, "{+") && !strings.Contains(tail, "{"):
			pattern.WriteString(`((?:[A-Za-z0-9\-._~]|%[0-9A-F]{2})+)`)
		default:
			pattern.WriteString(`((?:[A-Za-z0-9\-._~]|%[0-9A-F]{2})+?)`)
		}
		rest = tail
	}
	found := regexp.MustCompile(`^(?:` + pattern.String() + `)$`).FindStringSubmatch(normal)
	if found == nil || strings.Contains(text, "//{+") && strings.HasPrefix(text, "file://{") {
		return nil, true
	}
	values = []uritemplate.Value{}
	for i, v := range template.Variables() {
		if !allowed(v, found[i+1], text) {
			return nil, true
		}
		values = append(values, uritemplate.Value{Name: v.Name, Text: percentDecoded(found[i+1])})
	}
	return values, true
}

// allowed is a second implementation of the rule for values in a path.
func allowed(v uritemplate.Variable, encoded, template string) bool {
	value := percentDecoded(encoded)
	if !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl) || strings.Contains(value, `\`) {
		return false
	}
	if v.Kind == uritemplate.Simple {
		return value != "." && value != ".." && !strings.Contains(value, "/")
	}
	if regexp.MustCompile(`%(2F|3A|40|21|24|26|27|28|29|2A|2B|2C|3B|3D)`).MatchString(encoded) {
		return false
	}
	if before, _, _ := strings.Cut(template, "{+"); !strings.HasSuffix(before, "/") && !strings.HasSuffix(before, ".") {
		value = strings.TrimPrefix(value, "/")
	}
	for part := range strings.SplitSeq(value, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}

// percentDecoded decodes each percent-encoded byte.
func percentDecoded(s string) string {
	return regexp.MustCompile(`%..`).ReplaceAllStringFunc(s, func(triplet string) string {
		c := byte(0)
		for _, digit := range triplet[1:] {
			c = c<<4 | byte(strings.IndexRune("0123456789ABCDEF", digit))
		}
		return string([]byte{c})
	})
}

// FuzzOverlaps checks that the example matches both templates, in either order.
func FuzzOverlaps(f *testing.F) {
	for _, tt := range overlaps {
		f.Add(tt.one, tt.two)
	}
	for i, tt := range matches {
		f.Add(tt.template, matches[(i+1)%len(matches)].template)
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, text, other string) {
		defer watch()()
		one, err := uritemplate.Parse(text)
		if err != nil {
			return
		}
		two, err := uritemplate.Parse(other)
		if err != nil {
			return
		}
		if len(text)+len(other) > 200 {
			return // the time is quadratic; templates come from authors
		}
		example, yes := one.Overlaps(two)
		if again, also := two.Overlaps(one); also != yes {
			t.Errorf("%s and %s: %q, %v, and the other way %q, %v", one, two, example, yes, again, also)
		}
		if yes && (!matching(one, example) || !matching(two, example)) {
			t.Errorf("%s and %s: the example %q does not match both", one, two, example)
		}
	})
}

func matching(template *uritemplate.Template, uri string) bool {
	_, ok := template.Match(uri)
	return ok
}
