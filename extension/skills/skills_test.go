package skills_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/extension/skills"
	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// sample is a tree with every kind of entry.
var sample = map[string]string{
	"README.md":                         "# of no skill",
	"team/notes.txt":                    "of no skill",
	"team/release/SKILL.md":             head("release"),
	"team/release/refs/style guide.md":  "# Style\r\nBe brief.\r\n",
	"team/release/refs/deep/größe.json": `{"ö":1}`,
	"team/release/empty/":               "",
	"team/release/.hidden":              "hidden",
	"team/release/.git/config":          "hidden",
	"team/release/logo.png":             "\x89PNG\r\n\x1a\n\x00\xff",
	"team/release/zero":                 "",
	"team/release/inner/SKILL.md":       head("inner"),
	"team/release/inner/x":              "\ufeffwith a mark",
	"alone/SKILL.md":                    "---\r\nname: alone\r\ndescription: >-\r\n  Folded\r\n  text: here\r\nmetadata:\r\n  version: 1.10\r\n  date: \"2026-01-02\"\r\n  \"on\": \"yes\"\r\n---\r\n",
}

func build(t *testing.T, files map[string]string, opts ...mcptool.ResourceOption) runtime.Extension {
	t.Helper()
	e, err := skills.FromFS(tree(files), opts...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestDeclared checks that the extension and resources are declared, with the settings directly under the ID.
func TestDeclared(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{"2024-11-05", "2025-06-18", "2025-11-25", modern} {
		t.Run("SKL-01 SKL-02 SKL-03 "+revision, func(t *testing.T) {
			t.Parallel()
			srv := &runtime.Server{Name: "t", Version: "1", Tools: &mcptool.Registry{}, Extensions: []runtime.Extension{build(t, sample)}}
			c := &client{t: t, srv: srv, revision: revision, out: make(chan string, 1)}
			c.session = runtime.Internal(private.Key{}).Open(t.Context(), srv, enginetest.Conn{Send: c.receive})
			method, params := "server/discover", ""
			if revision != modern {
				method, params = "initialize", `"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}`
			}
			got := c.request(method, params).text
			if !strings.Contains(got, `"extensions":{"io.modelcontextprotocol/skills":{"directoryRead":true}}`) {
				t.Error(got)
			}
			if mcptool.Internal(private.Key{}).Generations(srv.Tools)[2] == 0 {
				t.Error("resources are not declared")
			}
		})
	}
}

// TestList checks that entries are complete and that their digests match the contents.
func TestList(t *testing.T) {
	t.Parallel()
	e := build(t, sample)
	for _, revision := range []string{"2024-11-05", "2025-11-25", modern} {
		t.Run("SKL-05 SKL-06 SKL-07 "+revision, func(t *testing.T) {
			t.Parallel()
			c := connect(t, revision, e)
			a := c.request("skills/list", "")
			if hints := strings.Contains(a.text, `"ttlMs":300000,"cacheScope":"private","resultType":"complete"`); hints != (revision == modern) {
				t.Errorf("SKL-14 caching hints %v: %s", hints, a.text)
			}
			list := get[skillList](c, "skills/list", "")
			var uris []string
			for _, s := range list.Skills {
				uris = append(uris, s.URI)
				one := get[struct{ Skill skillEntry }](c, "skills/get", `"uri":"`+s.URI+`"`).Skill
				if fmt.Sprint(one) != fmt.Sprint(s) {
					t.Errorf("SKL-10 skills/get and skills/list differ: %v, %v", one, s)
				}
				for _, r := range s.Resources {
					checkDigest(t, c.srv, r.URI, r.Digest, r.Size)
				}
			}
			want := "skill://alone/SKILL.md skill://team/release/SKILL.md skill://team/release/inner/SKILL.md"
			if strings.Join(uris, " ") != want {
				t.Errorf("skills %v, want %s", uris, want)
			}
			if got := string(list.Skills[0].Frontmatter); got != `{"name":"alone","description":"Folded text: here","metadata":{"version":1.10,"date":"2026-01-02","on":"yes"}}` {
				t.Error(got)
			}
			var files []string
			for _, r := range list.Skills[1].Resources {
				files = append(files, strings.TrimPrefix(r.URI, "skill://team/release/"))
			}
			if got := strings.Join(files, " "); got != "SKILL.md inner/SKILL.md inner/x logo.png refs/deep/gr%C3%B6%C3%9Fe.json refs/style%20guide.md zero" {
				t.Errorf("the files of the skill: %s", got)
			}
		})
	}
}

// checkDigest reads a resource of a registry and compares its size and digest.
func checkDigest(t *testing.T, srv *runtime.Server, uri, digest string, size int) {
	t.Helper()
	r, ok := srv.Tools.LookupResource(uri)
	if !ok {
		t.Errorf("there is no resource %s", uri)
		return
	}
	contents, err := r.Read(t.Context(), uri)
	if err != nil || len(contents) != 1 {
		t.Errorf("%s: %v %v", uri, contents, err)
		return
	}
	data := contents[0].Blob
	if data == nil {
		data = []byte(contents[0].Text)
	}
	sum := sha256.Sum256(data)
	if len(data) != size || digest != "sha256:"+hex.EncodeToString(sum[:]) {
		t.Errorf("%s: read %d bytes with %x, the entry has %d and %s", uri, len(data), sum, size, digest)
	}
}

// TestResources checks the metadata of the resources and the bytes of the files.
func TestResources(t *testing.T) {
	t.Parallel()
	e := build(t, sample, mcptool.Audience(mcptool.RoleAssistant))
	want := map[string]string{
		"skill://team/release/SKILL.md":                       "release|Does release|text/markdown|",
		"skill://team/release/refs/style%20guide.md":          "style guide.md||text/markdown|# Style\r\nBe brief.\r\n",
		"skill://team/release/refs/deep/gr%C3%B6%C3%9Fe.json": `größe.json||application/json|{"ö":1}`,
		"skill://team/release/logo.png":                       "logo.png||image/png|blob",
		"skill://team/release/zero":                           "zero||text/plain|",
		"skill://team/release/inner/SKILL.md":                 "inner|Does inner|text/markdown|",
		"skill://team/release/inner/x":                        "x||text/plain|\ufeffwith a mark",
		"skill://alone/SKILL.md":                              "alone|Folded text: here|text/markdown|",
	}
	for _, r := range e.Resources {
		contents, err := r.Read(t.Context(), r.URI())
		if err != nil || len(contents) != 1 {
			t.Fatal(r.URI(), err)
		}
		text := contents[0].Text
		switch {
		case contents[0].Blob != nil:
			text = "blob"
		case strings.HasSuffix(r.URI(), "/SKILL.md"):
			text = ""
		}
		got := strings.Join([]string{r.Info().Name, r.Info().Description, r.Link().MIMEType, text}, "|")
		if got != want[r.URI()] {
			t.Errorf("SKL-12 %s: %q, want %q", r.URI(), got, want[r.URI()])
		}
		if notes := r.Link().Annotations; notes == nil || !slices.Equal(notes.Audience, []mcptool.Role{"assistant"}) {
			t.Errorf("%s: the option is lost: %v", r.URI(), notes)
		}
	}
	if len(e.Resources) != len(want) {
		t.Errorf("%d resources, want %d", len(e.Resources), len(want))
	}
}

// TestDirectories checks that each directory lists its children, and only them.
func TestDirectories(t *testing.T) {
	t.Parallel()
	c := connect(t, modern, build(t, sample))
	for uri, want := range map[string]string{
		"skill://team": `{"uri":"skill://team/release","name":"release","mimeType":"inode/directory"}`,
		"skill://team/release": `{"uri":"skill://team/release/SKILL.md","name":"release","description":"Does release","mimeType":"text/markdown","size":59} ` +
			`{"uri":"skill://team/release/empty","name":"empty","mimeType":"inode/directory"} {"uri":"skill://team/release/inner","name":"inner","mimeType":"inode/directory"} ` +
			`{"uri":"skill://team/release/logo.png","name":"logo.png","mimeType":"image/png","size":10} {"uri":"skill://team/release/refs","name":"refs","mimeType":"inode/directory"} ` +
			`{"uri":"skill://team/release/zero","name":"zero","mimeType":"text/plain","size":0}`,
		"skill://team/release/empty":     "",
		"skill://team/release/refs/deep": `{"uri":"skill://team/release/refs/deep/gr%C3%B6%C3%9Fe.json","name":"größe.json","mimeType":"application/json","size":8}`,
	} {
		var got []string
		for _, r := range get[resourceList](c, "resources/directory/read", `"uri":"`+uri+`"`).Resources {
			got = append(got, string(r))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("SKL-11 %s: %s", uri, strings.Join(got, "\n"))
		}
	}
	if a := c.request("resources/directory/read", `"uri":"skill://team/release/empty"`); !strings.Contains(a.text, `"resources":[]`) || strings.Contains(a.text, "ttlMs") {
		t.Errorf("SKL-11 an empty directory: %s", a.text)
	}
}

// TestUnknown checks that the error for an unknown URI is -32602 with the URI.
func TestUnknown(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{"2025-06-18", modern} {
		c := connect(t, revision, build(t, sample))
		for _, test := range []struct{ method, uri, want string }{
			{"skills/get", "skill://none/SKILL.md", "no skill at skill://none/SKILL.md"},
			{"skills/get", "skill://team/release", "no skill at "},
			{"skills/get", "skill://team/release/zero", "no skill at "},
			{"skills/get", "", "no skill at "},
			{"skills/get", "skill://team/release/../release/SKILL.md", "no skill at "},
			{"skills/get", "file:///etc/passwd", "no skill at "},
			{"skills/get", strings.Repeat("x", 100_000), "no skill at "},
			{"resources/directory/read", "skill://none", "unknown directory skill://none"},
			{"resources/directory/read", "skill://team/release/", "unknown directory"},
			{"resources/directory/read", "skill://team/release/.git", "unknown directory"},
			{"resources/directory/read", "skill://", "unknown directory"},
			{"resources/directory/read", "skill://team/release/zero", "is a file, not a directory"},
		} {
			a := c.request(test.method, `"uri":"`+test.uri+`"`)
			if a.Error.Code != -32602 || !strings.Contains(a.Error.Message, test.want) || len(a.Error.Message) > 5000 || !strings.Contains(string(a.Error.Data), `"uri":"`+test.uri) {
				t.Errorf("SKL-10 SKL-11 %s %.60s: %.300s", test.method, test.uri, a.text)
			}
		}
		for _, params := range []string{"", `"uri":null`, `"uri":7`, `"uri":"skill://team/release","cursor":""`, `"uri":"skill://team/release","cursor":"x"`} {
			for _, method := range []string{"skills/get", "resources/directory/read"} {
				if method == "skills/get" && strings.Contains(params, "cursor") {
					continue // it has no files
				}
				if a := c.request(method, params); a.Error.Code != -32602 {
					t.Errorf("%s {%s}: %s", method, params, a.text)
				}
			}
		}
	}
}

// TestPages checks that pages of skills and of directories lose and split no entry.
func TestPages(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 25 {
		files[fmt.Sprintf("a/s%02d/SKILL.md", i)] = head(fmt.Sprintf("s%02d", i))
	}
	srv := &runtime.Server{Tools: &mcptool.Registry{}, Extensions: []runtime.Extension{build(t, files)}, Limits: runtime.Limits{ToolsPerPage: 10}}
	c := connectTo(t, srv, modern)
	walk := func(method, params string) (n, pages int) {
		cursor := ""
		for pages < 9 {
			page := get[struct {
				Skills, Resources []any
				NextCursor        string
			}](c, method, params+cursor)
			n, pages = n+len(page.Skills)+len(page.Resources), pages+1
			if page.NextCursor == "" {
				break
			}
			cursor = `,"cursor":"` + page.NextCursor + `"`
		}
		return n, pages
	}
	for _, test := range [][2]string{{"skills/list", `"x":1`}, {"resources/directory/read", `"uri":"skill://a"`}} {
		if n, pages := walk(test[0], test[1]); n != 25 || pages != 3 {
			t.Errorf("SKL-09 %s: %d entries on %d pages", test[0], n, pages)
		}
	}
}

// TestVisibility checks that skills are hidden from callers without the scopes.
func TestVisibility(t *testing.T) {
	t.Parallel()
	e, err := skills.FromSources(
		skills.Source{FS: tree(map[string]string{"team/open/SKILL.md": head("open")})},
		skills.Source{FS: tree(map[string]string{"team/secret/SKILL.md": head("secret"), "team/secret/a/b": "x"}), Options: []mcptool.ResourceOption{mcptool.Scopes("secrets")}},
		skills.Source{FS: tree(map[string]string{"ours/SKILL.md": head("ours")}), Options: []mcptool.ResourceOption{mcptool.VisibleIf(func(_ context.Context, i mcptool.CallInfo) bool { return i.Principal == "we" })}},
		skills.Source{FS: tree(map[string]string{"draft/SKILL.md": head("draft")}), Options: []mcptool.ResourceOption{mcptool.VisibleIf(func(_ context.Context, i mcptool.CallInfo) bool {
			return !strings.HasPrefix(i.Resource, "skill://draft")
		})}},
	)
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, modern, e)
	for _, test := range []struct {
		access *runtime.Access
		want   string
	}{
		{&runtime.Access{}, "open"},
		{&runtime.Access{Principal: "they", Scopes: []string{"secrets"}}, "open secret"},
		{&runtime.Access{Principal: "we"}, "ours open"},
		{nil, "open secret"},
	} {
		c.access = test.access
		var got []string
		for _, s := range get[skillList](c, "skills/list", "").Skills {
			parts := strings.Split(s.URI, "/")
			got = append(got, parts[len(parts)-2])
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%+v: %v, want %s", test.access, got, test.want)
		}
		hidden := !strings.Contains(test.want, "secret")
		for _, q := range [][2]string{{"skills/get", "skill://team/secret/SKILL.md"}, {"resources/directory/read", "skill://team/secret"}, {"resources/directory/read", "skill://team/secret/a"}} {
			if a := c.request(q[0], `"uri":"`+q[1]+`"`); (a.Error.Code == -32602) != hidden {
				t.Errorf("%+v: %s", test.access, a.text)
			}
		}
		if n := len(get[resourceList](c, "resources/directory/read", `"uri":"skill://team"`).Resources); (n == 1) != hidden {
			t.Errorf("%+v: the directory above has %d children", test.access, n)
		}
	}
}

// TestRoot checks that a SKILL.md in the root of a tree makes the whole tree a skill.
func TestRoot(t *testing.T) {
	t.Parallel()
	c := connect(t, modern, build(t, map[string]string{"SKILL.md": head("whole"), "refs/a.md": "a", "in/SKILL.md": head("in")}))
	var got []string
	for _, s := range get[skillList](c, "skills/list", "").Skills {
		for _, r := range s.Resources {
			got = append(got, r.URI)
		}
	}
	if strings.Join(got, " ") != "skill://whole/SKILL.md skill://whole/in/SKILL.md skill://whole/refs/a.md skill://whole/in/SKILL.md" {
		t.Error(got)
	}
	if n := len(get[resourceList](c, "resources/directory/read", `"uri":"skill://whole"`).Resources); n != 3 {
		t.Errorf("%d children", n)
	}
}
