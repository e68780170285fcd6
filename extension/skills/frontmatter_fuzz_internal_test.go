package skills

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
)

// FuzzFrontmatter checks that accepted frontmatter is a JSON object with a name and a description, that it is unchanged
// when that object is parsed as YAML, and that it equals the result of the YAML library where the rules are the same.
func FuzzFrontmatter(f *testing.F) {
	for _, test := range fronts {
		f.Add([]byte(test.yaml))
	}
	f.Add([]byte("name: a\ndescription: b\nn: [{0b1: x, text: y}]\n2001-01-01: z"))
	f.Add([]byte(`name: a
description: "b \L \P \N"`))
	begin := hang.Watch(f)
	f.Fuzz(func(t *testing.T, block []byte) {
		defer begin()()
		got, problems := readFrontmatter(fmt.Appendf(nil, "---\n%s\n---\n", block))
		if len(problems) > 0 {
			for _, p := range problems {
				if p.reason == "" || p.fix == "" || p.line < 0 {
					t.Errorf("a mistake without reason or fix: %+v", p)
				}
			}
			return
		}
		var value map[string]any
		d := json.NewDecoder(bytes.NewReader(got.json))
		d.UseNumber()
		if err := d.Decode(&value); err != nil {
			t.Fatalf("%s: %v", got.json, err)
		}
		if value["name"] != got.name || value["description"] != got.description || !isSkillName(got.name) {
			t.Errorf("%s: name %q, description %q", got.json, got.name, got.description)
		}
		again, problems := readFrontmatter(fmt.Appendf(nil, "---\n%s\n---\n", yamlBreaks.Replace(string(got.json))))
		if len(problems) > 0 || !bytes.Equal(again.json, got.json) {
			t.Errorf("%s as YAML is %s %+v", got.json, again.json, problems)
		}
		own, _ := splitFrontmatter(fmt.Appendf(nil, "---\n%s\n---\n", block))
		var theirs any
		if err := yaml.Load(own, &theirs); err != nil {
			t.Fatalf("the library does not accept what was accepted: %v", err)
		}
		if why := differ(value, theirs); why != "" {
			t.Errorf("%s, and the library has %#v: %s", got.json, theirs, why)
		}
	})
}

// yamlBreaks escapes characters that end a line in YAML 1.1, even in quotes, but not in JSON.
var yamlBreaks = strings.NewReplacer("\u0085", `\u0085`, "\u2028", `\u2028`, "\u2029", `\u2029`)

// differ describes the difference between ours (JSON of YAML 1.2) and theirs (of the YAML library), "" if there is none.
// The library reads some texts as times, numbers or bools.
func differ(ours, theirs any) string {
	switch theirs := theirs.(type) {
	case map[string]any:
		mine, ok := ours.(map[string]any)
		if !ok || len(mine) != len(theirs) {
			return fmt.Sprintf("%v is not %v", ours, theirs)
		}
		for k := range mine {
			if why := differ(mine[k], theirs[k]); why != "" {
				return k + ": " + why
			}
		}
	case map[any]any: // in YAML 1.1 a key is a number or a time, and two keys may be equal
		mine, ok := ours.(map[string]any)
		if !ok || len(mine) < len(theirs) {
			return fmt.Sprintf("%v is not %v", ours, theirs)
		}
		for k, value := range theirs {
			if text, isText := k.(string); isText {
				if why := differ(mine[text], value); why != "" {
					return text + ": " + why
				}
			}
		}
	case []any:
		mine, ok := ours.([]any)
		if !ok || len(mine) != len(theirs) {
			return fmt.Sprintf("%v is not %v", ours, theirs)
		}
		for i := range mine {
			if why := differ(mine[i], theirs[i]); why != "" {
				return fmt.Sprint(i, ": ", why)
			}
		}
	case string, nil, bool:
		if ours != theirs {
			return fmt.Sprintf("%v is not %v", ours, theirs)
		}
	case time.Time:
		if _, isText := ours.(string); !isText {
			return "a time is not a string"
		}
	default:
		if _, isText := ours.(string); isText {
			return "" // a number to YAML 1.1
		}
		a, err := strconv.ParseFloat(fmt.Sprint(ours), 64)
		b, err2 := strconv.ParseFloat(fmt.Sprint(theirs), 64)
		if err != nil || err2 != nil || a != b {
			return fmt.Sprintf("%v is not %v", ours, theirs)
		}
	}
	return ""
}
