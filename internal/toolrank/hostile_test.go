package toolrank_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/toolrank"
)

func TestHostileQueries(t *testing.T) {
	t.Parallel()
	tools := readTools(t, "codehost")
	x := toolrank.New(tools)
	for _, c := range []struct {
		name, query string
		finds       bool
	}{
		{"empty", "", false},
		{"spaces", " \t\n", false},
		{"no letters", "?!... --- ___ :: €€ 💥", false},
		{"single letters", "a b c d e", false},
		{"another script", "合并拉取请求", false},
		{"one word of a megabyte", strings.Repeat("merge", 1<<20/5), false},
		{"megabyte of words", strings.Repeat("merge the pull request ", 1<<20/23), true},
		{"megabyte of misspelt words", longText(1<<20, "mxrge%d"), false},
		{"megabyte of Chinese", strings.Repeat("合并", 1<<20/6), false},
		{"megabyte without letters", strings.Repeat("\x00/", 1<<19), false},
		{"word after the limit", strings.Repeat(" ", toolrank.MaxQueryBytes) + "merge", false},
		{"word before the limit", strings.Repeat(" ", toolrank.MaxQueryBytes-5) + "merge", true},
		{"character across the limit", strings.Repeat(" ", toolrank.MaxQueryBytes-1) + "é", false},
		{"invalid UTF-8", "merge\xff\xc0\x80pull", true},
		{"surrogates", "merge \xed\xa0\x80", true},
		{"combining marks", "merge" + strings.Repeat("\u0301", 400), false},
		{"many words that are divided", "mergepull listget issuelabel commitbranch releaseasset teammember projectitem labelcolor milestonetitle branchname tagname workflowinputs runnertoken artifactpage gistfiles alertseverity secretvalue cachekey walletmarkdown forkdefault keytitle reviewbody", true},
		{"same word", strings.Repeat("branch ", 100), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			begin := time.Now()
			matches := x.Search(c.query, 0, nil)
			if took := time.Since(begin); took > time.Second {
				t.Errorf("the search took %v", took)
			}
			if (len(matches) > 0) != c.finds {
				t.Errorf("%d matches, want some: %v", len(matches), c.finds)
			}
			for _, m := range matches {
				if n := len(m.Words); n > toolrank.MaxQueryWords {
					t.Fatalf("a match has %d words, want at most %d", n, toolrank.MaxQueryWords)
				}
				for _, w := range m.Words {
					if !utf8.ValidString(w.Query) || len(w.Query) > 64 {
						t.Errorf("word %q of the query is invalid UTF-8 or longer than 64 bytes", w.Query)
					}
				}
			}
		})
	}
}

// longText returns a text of n bytes of words in a format with a number.
func longText(n int, format string) string {
	var text strings.Builder
	for i := 0; text.Len() < n; i++ {
		fmt.Fprintf(&text, format+" ", i)
	}
	return text.String()[:n]
}

func TestHostileTools(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"properties":{"hidden":`, 400) + "{}" + strings.Repeat("}}", 400)
	for _, c := range []struct {
		name  string
		tool  toolrank.Tool
		query string
		finds bool
	}{
		{"nothing", toolrank.Tool{}, "x1", false},
		{"empty name", toolrank.Tool{Description: "marker"}, "marker", true},
		{"null schema", toolrank.Tool{Name: "marker", InputSchema: json.RawMessage("null")}, "marker", true},
		{"schema that is no object", toolrank.Tool{Name: "marker", InputSchema: json.RawMessage(`["properties"]`)}, "marker", true},
		{"cut schema", toolrank.Tool{InputSchema: json.RawMessage(`{"properties":{"marker":{"description":"a`)}, "marker", true},
		{"keywords of other types", toolrank.Tool{InputSchema: json.RawMessage(`{"enum":"a","description":7,"properties":[1],"items":true,"allOf":{},"$defs":3,"title":"marker"}`)}, "marker", true},
		{"deep schema", toolrank.Tool{Name: "marker", InputSchema: json.RawMessage(`{"properties":{"a":` + deep + `,"last":{}}}`)}, "last", true},
		{"too deep for JSON", toolrank.Tool{Name: "marker", InputSchema: json.RawMessage(strings.Repeat(`{"items":`, 5000))}, "marker", true},
		{"deep argument", toolrank.Tool{InputSchema: json.RawMessage(strings.Repeat(`{"items":`, 30) + `{"properties":{"marker":{}}}` + strings.Repeat("}", 30))}, "marker", false},
		{"word after a megabyte of text", toolrank.Tool{Description: "no" + longText(1<<20, "word%d") + " marker"}, "marker", false},
		{"megabyte of text after the word", toolrank.Tool{Description: "marker " + longText(1<<20, "word%d")}, "marker", true},
		{"long name", toolrank.Tool{Name: strings.Repeat("marker", 1<<16)}, "marker", false},
		{"mixed case of a megabyte", toolrank.Tool{Description: strings.Repeat("aB", 1<<19)}, "marker", false},
		{"invalid UTF-8", toolrank.Tool{Name: "\xffmarker\xff", Title: "\xed\xa0\x80", Description: "\xc0. \xc0"}, "marker", true},
		{"only separators", toolrank.Tool{Name: "___---", Title: "...", Description: "!!!\n\n???"}, "marker", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			begin := time.Now()
			matches := toolrank.New([]toolrank.Tool{c.tool}).Search(c.query, 0, nil)
			if took := time.Since(begin); took > 5*time.Second {
				t.Errorf("index and search took %v", took)
			}
			if (len(matches) > 0) != c.finds {
				t.Errorf("Search(%q) = %+v, want a match: %v", c.query, matches, c.finds)
			}
		})
	}
	if matches := toolrank.New(nil).Search("anything", 0, nil); len(matches) > 0 {
		t.Errorf("an index without tools finds %+v", matches)
	}
}

// TestManyTools checks that ten thousand tools are ranked correctly.
func TestManyTools(t *testing.T) {
	t.Parallel()
	tools := manyTools(t, 10_000)
	x := toolrank.New(tools)
	for _, i := range []int{0, 4_999, 9_999} {
		if matches := x.Search(tools[i].Name, 3, nil); len(matches) != 3 || matches[0].Index != i || !matches[0].IsName {
			t.Errorf("Search(%q) = %+v, want tool %d by its name", tools[i].Name, matches, i)
		}
	}
	calls := 0
	x.Search("merge the pull request", 5, func(int) bool { calls++; return true })
	if calls != len(tools) {
		t.Errorf("keep was called %d times, want once for each of the %d tools", calls, len(tools))
	}
}

// manyTools returns n different tools with the texts of the catalogs, and with some words of their own.
func manyTools(tb testing.TB, n int) []toolrank.Tool {
	tb.Helper()
	catalog := append(readTools(tb, "codehost"), readTools(tb, "observability")...)
	tools := make([]toolrank.Tool, n)
	for i := range tools {
		tools[i] = catalog[i%len(catalog)]
		tools[i].Name += fmt.Sprintf("_%d", i)
		tools[i].Description += " It needs " + syllables(3*i) + ", " + syllables(3*i+1) + " and " + syllables(3*i+2) + "."
	}
	return tools
}

// syllables returns a word for a number.
func syllables(n int) (word string) {
	for n += 1000; n > 0; n /= 20 {
		word += string("bcdfghjklmnpqrstvwxz"[n%20]) + string("aeiou"[n%5])
	}
	return word
}
