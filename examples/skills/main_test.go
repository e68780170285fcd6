package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/extension/skills"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

func registry(tb testing.TB) *mcptool.Registry {
	tb.Helper()
	srv, err := newServer()
	if err == nil {
		err = srv.Check()
	}
	if err != nil {
		tb.Fatal(err)
	}
	return srv.Tools
}

func TestTools(t *testing.T) { mcptooltest.Check(t, registry(t)) }

// TestLog follows the steps that the skill describes.
func TestLog(t *testing.T) {
	t.Parallel()
	tools := registry(t)
	call := func(name string, in any) (string, error) {
		t.Helper()
		tool, ok := tools.Lookup(name)
		if !ok {
			t.Fatalf("there is no tool %s", name)
		}
		args, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		res, err := tool.Call(t.Context(), args)
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(res.Structured)
		return string(text), err
	}
	opened := map[string]any{"title": "Checkout fails", "severity": "sev1", "impact": "everybody, since 13:40"}
	for _, step := range []struct {
		name string
		in   map[string]any
		want string // in the result or the error
	}{
		{"list_incidents", nil, `[]`},
		{"update_incident", map[string]any{"id": 1, "status": "identified", "text": "too early"}, "there is no incident 1; list_incidents"},
		{"open_incident", opened, `"id":1`},
		{"open_incident", opened, "incident 1 is open and has this title"},
		{"update_incident", map[string]any{"id": 1, "status": "resolved", "text": "all good"}, "set it to monitoring first"},
		{"update_incident", map[string]any{"id": 1, "status": "monitoring", "text": "rolled back", "severity": "sev2"}, "Now sev2, was sev1: rolled back"},
		{"list_incidents", map[string]any{"open": true}, `"status":"monitoring"`},
		{"update_incident", map[string]any{"id": 1, "status": "resolved", "text": "it has held"}, `"status":"resolved"`},
		{"update_incident", map[string]any{"id": 1, "status": "monitoring", "text": "again"}, "incident 1 is resolved; open a new one"},
		{"list_incidents", nil, `[]`},
		{"list_incidents", map[string]any{"open": false}, `"id":1`},
		{"open_incident", opened, `"id":2`},
	} {
		if step.in == nil {
			step.in = map[string]any{}
		}
		got, err := call(step.name, step.in)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, step.want) {
			t.Errorf("%s %v: %s, want %s", step.name, step.in, got, step.want)
		}
	}
}

// TestLogConcurrent checks that concurrent calls lose nothing and returned values do not change.
func TestLogConcurrent(t *testing.T) {
	t.Parallel()
	l := &Log{now: time.Now}
	made, err := l.OpenIncident(context.Background(), OpenIn{Title: "x", Severity: "sev3"})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			got, err := l.UpdateIncident(context.Background(), UpdateIn{ID: 1, Status: "investigating", Text: fmt.Sprint(i)})
			if err != nil || got.Log[len(got.Log)-1].Text != fmt.Sprint(i) {
				t.Error(got, err)
			}
			if _, err := l.ListIncidents(context.Background(), ListIn{Limit: 1}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	out, _ := l.ListIncidents(context.Background(), ListIn{Limit: 1})
	list := out.Incidents
	if len(list[0].Log) != 51 || len(made.Log) != 1 {
		t.Errorf("%d entries, and %d in what was returned before", len(list[0].Log), len(made.Log))
	}
}

// TestPages reads a list in pages.
func TestPages(t *testing.T) {
	t.Parallel()
	l := &Log{now: time.Now}
	for i := range 5 {
		if _, err := l.OpenIncident(context.Background(), OpenIn{Title: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	var pages [][]int
	for in := (ListIn{Open: true, Limit: 2}); len(pages) < 4; {
		out, err := l.ListIncidents(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		var ids []int
		for _, i := range out.Incidents {
			ids = append(ids, i.ID)
			in.Before = i.ID
		}
		pages = append(pages, ids)
	}
	if got := fmt.Sprint(pages); got != "[[5 4] [3 2] [1] []]" {
		t.Errorf("the pages have the ids %s, want [[5 4] [3 2] [1] []]", got)
	}
}

// TestFull checks the error of a full log.
func TestFull(t *testing.T) {
	t.Parallel()
	l := &Log{now: time.Now}
	for i := range mostIncidents + 1 {
		_, err := l.OpenIncident(context.Background(), OpenIn{Title: fmt.Sprint(i)})
		if full := i == mostIncidents; (err != nil) != full {
			t.Fatal(i, err)
		}
	}
	for i := range mostEntries {
		_, err := l.UpdateIncident(context.Background(), UpdateIn{ID: 1, Status: "investigating"})
		if full := i == mostEntries-1; (err != nil) != full {
			t.Fatal(i, err)
		}
	}
}

// TestSkill checks that the skill names the existing tools and their values, and that its links
// resolve.
func TestSkill(t *testing.T) {
	t.Parallel()
	tree, err := fs.Sub(files, "skills/incident-log")
	if err != nil {
		t.Fatal(err)
	}
	tools := registry(t)
	var text strings.Builder
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		text.Write(data)
		for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(string(data), -1) {
			if _, err := fs.Stat(tree, link[1]); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range regexp.MustCompile(`\b[a-z]+_incidents?\b`).FindAllString(text.String(), -1) {
		if _, ok := tools.Lookup(name); !ok {
			t.Errorf("the skill names %s, which is no tool", name)
		}
	}
	for tool := range tools.Tools() {
		if !strings.Contains(text.String(), "`"+tool.Info().Name+"`") {
			t.Errorf("the skill does not say when to use %s", tool.Info().Name)
		}
	}
	for _, value := range []string{"sev1", "sev2", "sev3", "investigating", "identified", "monitoring", "resolved"} {
		if !strings.Contains(text.String(), "`"+value+"`") {
			t.Errorf("the skill does not say what %s means", value)
		}
	}
	if extension := skills.MustFromFS(tree); len(extension.Resources) != 4 {
		t.Errorf("%d files are served", len(extension.Resources))
	}
}
