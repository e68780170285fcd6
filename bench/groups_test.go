package main

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/bench/internal/group"
	"github.com/mcptool-go/mcptool/internal/testing/fakeserver"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// serveGroups serves tools, prompts and resources of the framework in groups, and returns the URL.
func serveGroups(t *testing.T) string {
	t.Helper()
	registry := &mcptool.Registry{}
	type noIn struct{}
	for _, tool := range []struct {
		name   string
		groups []string
	}{{"close_issue", []string{"issues"}}, {"link_pull", []string{"issues", "pulls"}}, {"ping", nil}} {
		opts := []mcptool.ToolOption{mcptool.Name(tool.name), mcptool.Description("A tool for a test."), mcptool.OmitOutputSchema(true)}
		if tool.groups != nil {
			opts = append(opts, mcptool.Group(tool.groups...))
		}
		made, err := mcptool.New(func(context.Context, noIn) (string, error) { return "", nil }, opts...)
		if err == nil {
			err = registry.Add(made)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	prompt, err := mcptool.NewPrompt(func(context.Context, noIn) (string, error) { return "", nil }, mcptool.Name("review"), mcptool.Group("pulls"))
	if err != nil {
		t.Fatal(err)
	}
	note, err := mcptool.NewResource(func(context.Context, noIn) (string, error) { return "", nil }, mcptool.URI("note://1"), mcptool.Name("note"), mcptool.Group("pulls"))
	if err == nil {
		err = registry.Add(prompt, note)
	}
	if err != nil {
		t.Fatal(err)
	}
	handler, err := streamhttp.NewHandler(&runtime.Server{Name: "forge", Version: "1", Tools: registry})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	return web.URL
}

func TestListGroups(t *testing.T) {
	t.Parallel()
	url := serveGroups(t)
	inBothEras(t, func(t *testing.T, era string) {
		t.Helper()
		code, out, problems := benched(t, "list", "--era", era, url)
		_, tables, _ := strings.Cut(out, "\n")
		const want = `
NAME         TITLE  HINTS  ARGUMENTS  GROUPS         DESCRIPTION
close_issue                           issues         A tool for a test.
link_pull                             issues, pulls  A tool for a test.
ping                                                 A tool for a test.

PROMPT  TITLE  ARGUMENTS  GROUPS
review                    pulls

RESOURCE  NAME  TYPE        SIZE  GROUPS
note://1  note  text/plain        pulls

GROUP   TOOLS  TOKENS*  OTHERS
issues      2       94
pulls       1       48  1 prompt, 1 resource
(none)      1       32
* an estimate: a fourth of the bytes of the entry in tools/list; an entry in several groups counts in each
`
		if diff := cmp.Diff(want, tables); diff != "" || code != exitOK || problems != "" {
			t.Errorf("exit code %d, %s; the tables differ (-want +got):\n%s", code, problems, diff)
		}
		_, out, _ = benched(t, "list", "--json", "--era", era, url)
		var listed struct {
			Tools  []json.RawMessage
			Groups []group.Size
		}
		if err := json.Unmarshal([]byte(out), &listed); err != nil || len(listed.Groups) != 3 || len(listed.Tools) != 3 {
			t.Fatalf("%v\n%s", err, out)
		}
		size := func(i int) int {
			raw, err := json.Marshal(listed.Tools[i])
			if err != nil {
				t.Fatal(err)
			}
			return len(raw)
		}
		bytes := []int{size(0) + size(1), size(1), size(2)}
		for i, want := range []group.Size{{Name: "issues", Tools: 2}, {Name: "pulls", Tools: 1, Prompts: 1, Resources: 1}, {Tools: 1}} {
			want.Bytes, want.Tokens = bytes[i], (bytes[i]+3)/4
			if listed.Groups[i] != want {
				t.Errorf("the group is %+v, want %+v", listed.Groups[i], want)
			}
		}
	})
}

// TestListManyGroups checks names of groups that a terminal would obey, and very many of them.
func TestListManyGroups(t *testing.T) {
	t.Parallel()
	var names []string
	for range 300 {
		names = append(names, `"g`+strings.Repeat("x", len(names))+`\u001b[2J\nINJECTED"`)
	}
	s := fakeserver.New()
	answering(s, "tools/list", `{"resultType":"complete","tools":[{"name":"look","inputSchema":{"type":"object"},"_meta":{"io.github.mcptool-go/groups":[`+strings.Join(names, ",")+`]}}]}`)
	url := serveFake(t, s)
	checkOutput(t, "many groups", testConsole{}, "list", url)
	checkOutput(t, "many groups", testConsole{terminal: true}, "list", url)
	checkOutput(t, "many groups", testConsole{}, "list", "--json", url)
	checkOutput(t, "many groups", testConsole{}, "docs", "--call", "none", "--markdown", "-", url)
	if _, out, _ := benched(t, "list", url); !strings.Contains(out, "… and 101 more") {
		t.Errorf("the list of 300 groups, and of no group, is\n%s", out)
	}
}

// TestDocsGroups checks that bench docs shows the groups of a server.
func TestDocsGroups(t *testing.T) {
	t.Parallel()
	code, page, _ := benched(t, "docs", "--call", "none", "--markdown", "-", serveGroups(t))
	if code != exitOK || !strings.Contains(page, "| `issues` | 2 tools | 94 |\n| `pulls` | 1 tool, 1 prompt, 1 resource | 48 |\n| *no group* | 1 tool | 32 |\n") || strings.Contains(page, "io.github.mcptool-go/groups") {
		t.Errorf("exit code %d\n%s", code, page)
	}
}
