package skills_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestRead checks that files have the digest and size of the entry in every revision, even if the server redacts texts.
func TestRead(t *testing.T) {
	t.Parallel()
	hostile := map[string]string{
		"all/SKILL.md": head("all") + "password=x \u2028 \x7f \\ \" </script> \U0001F600 \ufffd\r\n\t",
		"all/a.txt":    "\ufeffmark\r\n\x01\x1b[31m\u202e",
		"all/b.txt":    "not \xff UTF-8",
		"all/c.txt":    "zero \x00 byte",
		"all/d":        "",
		"all/e.json":   "{}\n",
		"all/f.png":    "plain",
	}
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", modern} {
		t.Run("SKL-07 "+revision, func(t *testing.T) {
			t.Parallel()
			srv := &runtime.Server{Tools: &mcptool.Registry{}, Extensions: []runtime.Extension{build(t, hostile)}, Redact: func(string) string { return "***" }}
			c := connectTo(t, srv, revision)
			read := 0
			for _, r := range get[skillList](c, "skills/list", "").Skills[0].Resources {
				got := get[struct {
					Contents []struct {
						URI, MIMEType string
						Text, Blob    *string
					}
				}](c, "resources/read", `"uri":"`+r.URI+`"`).Contents
				if len(got) != 1 || got[0].URI != r.URI || (got[0].Text == nil) == (got[0].Blob == nil) {
					t.Fatalf("%s: %+v", r.URI, got)
				}
				var data []byte
				if got[0].Text != nil {
					data = []byte(*got[0].Text)
				} else if decoded, err := base64.StdEncoding.DecodeString(*got[0].Blob); err != nil {
					t.Fatal(err)
				} else {
					data = decoded
				}
				sum := sha256.Sum256(data)
				if string(data) != hostile[strings.TrimPrefix(r.URI, "skill://")] || r.Size != len(data) || r.Digest != "sha256:"+hex.EncodeToString(sum[:]) {
					t.Errorf("%s: read %q, entry %+v", r.URI, data, r)
				}
				read++
			}
			if read != len(hostile) {
				t.Errorf("%d files", read)
			}
			want := map[bool]int{false: -32002, true: -32602}[revision == modern]
			if a := c.request("resources/read", `"uri":"skill://all/none"`); a.Error.Code != want {
				t.Errorf("a missing file: %s", a.text)
			}
		})
	}
}

// TestListedAlike checks that directories describe a file as resources/list does, in every revision.
func TestListedAlike(t *testing.T) {
	t.Parallel()
	e := build(t, sample, mcptool.Audience(mcptool.RoleAssistant, mcptool.RoleUser), mcptool.Priority(0.5))
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", modern} {
		c := connect(t, revision, e)
		listed := map[string]string{}
		for _, r := range get[resourceList](c, "resources/list", "").Resources {
			listed[uriOf(t, r)] = canonical(t, r)
		}
		if len(listed) != len(e.Resources) {
			t.Errorf("%s: %d resources are listed, want %d", revision, len(listed), len(e.Resources))
		}
		seen := 0
		var walk func(uri string)
		walk = func(uri string) {
			for _, r := range get[resourceList](c, "resources/directory/read", `"uri":"`+uri+`"`).Resources {
				if strings.Contains(string(r), `"mimeType":"inode/directory"`) {
					walk(uriOf(t, r))
					continue
				}
				seen++
				if got := canonical(t, r); got != listed[uriOf(t, r)] {
					t.Errorf("SKL-11 %s: the directory says %s, resources/list %s", revision, got, listed[uriOf(t, r)])
				}
			}
		}
		walk("skill://team")
		walk("skill://alone")
		if seen != len(listed) {
			t.Errorf("SKL-11 %s: directories have %d files, want %d", revision, seen, len(listed))
		}
	}
}

func uriOf(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var r struct{ URI string }
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	return r.URI
}

// canonical returns JSON with its members sorted.
func canonical(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestReadHidden checks that the files of a hidden skill can be neither read nor listed.
func TestReadHidden(t *testing.T) {
	t.Parallel()
	c := connect(t, modern, build(t, map[string]string{"s/SKILL.md": head("s")}, mcptool.Scopes("x")))
	for _, test := range []struct {
		access *runtime.Access
		code   int
	}{{&runtime.Access{}, -32602}, {&runtime.Access{Scopes: []string{"x"}}, 0}, {nil, 0}} {
		c.access = test.access
		if a := c.request("resources/read", `"uri":"skill://s/SKILL.md"`); a.Error.Code != test.code {
			t.Errorf("%+v: %s", test.access, a.text)
		}
		if n := len(get[resourceList](c, "resources/list", "").Resources); (n == 0) != (test.code != 0) {
			t.Errorf("%+v: %d resources", test.access, n)
		}
	}
}
