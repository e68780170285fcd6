package apps

import (
	"html"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
)

func TestIsDocument(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, document string
		want           bool
		reason         string
	}{
		{"short", "<!doctype html><p>", true, "tags that HTML5 lets authors leave out"},
		{"upper case", "<!DOCTYPE HTML>\n<html>", true, "letters of the doctype have no case"},
		{"byte order mark", "\ufeff<!doctype html>", true, "browsers skip it"},
		{"comment first", "<!-- made by a bundler -->\n<!doctype html >", true, "comments and white space may precede it"},
		{"older", `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN">`, false, "that is not HTML5"},
		{"fragment", "<div>chart</div>", false, "hosts show documents"},
		{"text first", "chart <!doctype html>", false, "browsers ignore that doctype"},
		{"unclosed comment", "<!-- <!doctype html>", false, "all of it is the comment"},
		{"empty", "", false, "there is nothing to show"},
		{"another name", "<!doctype htmlx>", false, "the name is html"},
		{"not UTF-8", "<!doctype html>\xff", false, "JSON cannot have it"},
	}
	for _, test := range tests {
		if got := isDocument([]byte(test.document)); got != test.want {
			t.Errorf("%s: %v, want %v: %s", test.name, got, test.want, test.reason)
		}
	}
}

func TestLoads(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, document string
		want           []load
		reason         string
	}{
		{"script", "<!doctype html>\n<script src=app.js></script>", []load{{"script", "src", "app.js", 2}}, "a value without quotes"},
		{"quotes", `<script src = 'a b.js' SRC="no"></script>`, []load{{"script", "src", "a b.js", 1}}, "the first of two attributes counts"},
		{"stylesheet", `<link REL="preload Stylesheet" href=" s.css ">`, []load{{"link", "href", "s.css", 1}}, "rel is a list of words in any case"},
		{"icon", `<link rel="icon" href="/favicon.ico"><link href="x">`, nil, "frames have no icon, and a link without rel does nothing"},
		{"media", `<video poster=p.png src="v.mp4"><source src=w.mp4></video>`, []load{{"video", "src", "v.mp4", 1}, {"video", "poster", "p.png", 1}, {"source", "src", "w.mp4", 1}}, "both attributes"},
		{"self-closing", `<IMG/src="a.png"/>`, []load{{"img", "src", "a.png", 1}}, "a slash separates"},
		{"in a script", `<script>document.write('<img src="a.png">')</script>`, nil, "its content is text"},
		{"in a style", `<style>/* <img src=a.png> */</style><p>`, nil, "its content is text"},
		{"in a comment", `<!-- <img src=a.png> --><!--><img src=b.png>`, []load{{"img", "src", "b.png", 1}}, `"<!-->" is a whole comment`},
		{"in a template", `<template><img src="{{picture}}"></template>`, nil, "it may be a placeholder"},
		{"in an attribute", `<p title="<img src=a.png>" data-x='>'>`, nil, "the value ends with its quote"},
		{"after a script", "<script>a</ scr </script >\n<iframe src=x></iframe>", []load{{"iframe", "src", "x", 2}}, "only its own end tag ends it"},
		{"no value", `<script src></script><img src=""><img src = >`, nil, "nothing is loaded"},
		{"cut off", `<img src="a.png`, []load{{"img", "src", "a.png", 1}}, "the end of the document ends everything"},
		{"text", `1 < 2, <3 and <`, nil, "a tag begins with a letter"},
		{"link to a page", `<a href="https://example.com">`, nil, "nothing is loaded before a click"},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, loads([]byte(test.document)), cmp.AllowUnexported(load{})); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", test.name, test.reason, diff)
		}
	}
}

// FuzzLoads adds a script to any text. The script must be found in the text of an element, in an attribute and after both,
// but not in a comment or a style element.
func FuzzLoads(f *testing.F) {
	for _, seed := range []string{"", "<!--", "</style>", "<p title='", "a<b>c", "<script>", "-->", "\x00</", "<img src=x>", "<!", "</"} {
		f.Add(seed)
	}
	const script = "<script src=found.js></script>"
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, text string) {
		defer watch()()
		escaped := html.EscapeString(text)
		want := []load{{"script", "src", "found.js", 1 + strings.Count(escaped, "\n")}}
		for _, document := range []string{escaped + script, `<p title="` + escaped + `">` + script, "<textarea>" + escaped + "</textarea>" + script} {
			if diff := cmp.Diff(want, loads([]byte(document)), cmp.AllowUnexported(load{})); diff != "" {
				t.Errorf("%q (-want +got):\n%s", document, diff)
			}
		}
		inside := strings.NewReplacer("<", " ", ">", " ", "-", " ").Replace(text)
		for _, document := range []string{"<!-- " + inside + script + "-->", "<style>" + inside + script + "</style>"} {
			if got := loads([]byte(document)); len(got) > 0 {
				t.Errorf("%q loads %v", document, got)
			}
		}
		loads([]byte(text))
	})
}
