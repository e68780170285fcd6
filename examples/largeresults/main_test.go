package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/extension/results"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestTools calls each tool, and reads its results with read_result.
func TestTools(t *testing.T) {
	t.Parallel()
	srv, err := newServer()
	if err != nil {
		t.Fatal(err)
	}
	mcptooltest.Check(t, srv.Tools, mcptooltest.Extensions(func() []runtime.Extension {
		return []runtime.Extension{results.New(results.Options{Budget: 8 << 10})}
	}))
}

// TestQuestions asks questions about each result.
func TestQuestions(t *testing.T) {
	t.Parallel()
	srv, err := newServer()
	if err != nil {
		t.Fatal(err)
	}
	c := mcptooltest.HTTP(t, srv)
	call := func(tool, args string) string {
		t.Helper()
		found, _ := srv.Tools.Lookup(tool)
		res, err := c.Call(t.Context(), found, []byte(args))
		if err != nil || res.IsError {
			t.Fatal(res, err)
		}
		text, _ := res.Content[0].(mcptool.Text)
		return text.Text
	}
	for tool, questions := range map[string]map[string]string{
		"list_orders": {
			`"path":"orders","where":[{"field":"city","op":"eq","value":"Porto"},{"field":"status","op":"eq","value":"open"}],"aggregate":[{"fn":"count"},{"fn":"sum","field":"total"}]`: `{"rows":[{"count":2238,"sum_total":`,
			`"path":"orders","group":["city"],"aggregate":[{"fn":"sum","field":"total"}],"sort":[{"field":"sum_total","desc":true}],"limit":1`:                                           `{"rows":[{"city":"`,
		},
		"read_log": {
			`"search":" ERROR ","limit":1,"context":1`: `{"matches":[{"line":`,
			`"offset":-1`: `{"text":"2025-05-04 23:59:59 `,
		},
		"get_handbook": {
			`"path":"**","where":[{"field":"owner","op":"eq","value":"ana"}],"fields":["title"],"limit":1`: `{"rows":[{"title":"Section 1`,
			`"path":"sections.1.sections.2","fields":["title"]`:                                            `{"rows":[{"title":"Section 1.2.3"}]`,
		},
	} {
		handle := regexp.MustCompile(`"handle":"([^"]*)"`).FindStringSubmatch(call(tool, `{}`))[1]
		for arguments, want := range questions {
			got := call("read_result", `{"handle":"`+handle+`",`+arguments+`}`)
			if !strings.HasPrefix(got, want) || !json.Valid([]byte(got)) {
				t.Errorf("%s: %s: %.300s", tool, arguments, got)
			}
		}
	}
}
