package toolrank

import (
	"slices"
	"testing"
)

// TestStem checks that forms of a word have one stem, and that different words have different ones.
func TestStem(t *testing.T) {
	t.Parallel()
	groups := [][]string{
		{"deploy", "deploys", "deployed", "deploying", "deployment", "deployments"},
		{"notify", "notifies", "notified", "notification", "notifications"},
		{"create", "creates", "created", "creating", "creation"},
		{"delete", "deleted", "deletion"},
		{"review", "reviews", "reviewer", "reviewers", "reviewed"},
		{"assign", "assigned", "assignee", "assignees", "assignment"},
		{"query", "queries", "querying"},
		{"repository", "repositories"},
		{"log", "logs", "logged", "logging"},
		{"alert", "alerts", "alerting"},
		{"merge", "merged", "merges", "merging"},
		{"status"},
		{"issue", "issues"},
		{"access", "accesses"},
		{"address", "addresses"},
		{"trace", "traces", "tracing"},
		{"page", "pages", "paged", "paging"},
		{"configure", "configuration", "configured"},
		{"vulnerable", "vulnerability", "vulnerabilities"},
		{"feed", "feeds"},
		{"agree", "agreed"},
		{"user", "users"},
		{"server", "servers"},
		{"service", "services"},
		{"install", "installed", "installing", "installation"},
		{"run", "runs", "running"},
		{"analysis"},
		{"write", "writes", "wrote", "written", "writing"},
		{"send", "sends", "sent", "sending"},
		{"pay", "pays", "paid", "paying"},
		{"metric", "metrics"},
		{"key", "keys"},
		{"day", "days"},
		{"action", "actions"},
		{"refer", "refers", "referred", "referring", "referral", "referrals", "referrer"},
		{"transmit", "transmits", "transmitted", "transmittal", "transmitter"},
		{"occur", "occurred", "occurrence"},
	}
	seen := map[string]string{}
	for _, group := range groups {
		root := stem(group[0])
		if other := seen[root]; other != "" {
			t.Errorf("%q and %q have the stem %q", other, group[0], root)
		}
		seen[root] = group[0]
		for _, w := range group[1:] {
			if got := stem(w); got != root {
				t.Errorf("stem(%q) = %q, want %q as of %q", w, got, root, group[0])
			}
		}
	}
	for _, w := range []string{"", "a", "us", "k8s", "oauth2", "größen", "имена", "天气", "s", "ies", "ing", "eed", "ed"} {
		if got := stem(w); len(got) > len(w) || len(w) < 3 && got != w {
			t.Errorf("stem(%q) = %q", w, got)
		}
	}
}

// TestSynonyms checks that every word of the tables has a synonym, and that undoing has stems.
func TestSynonyms(t *testing.T) {
	t.Parallel()
	for name, table := range map[string]map[string][]string{"verbs": verbs, "nouns": nouns} {
		for root, others := range table {
			if len(others) == 0 || slices.Contains(others, root) {
				t.Errorf("%s: %q has the synonyms %q, want others", name, root, others)
			}
		}
	}
	for w := range undoing {
		if stem(w) != w {
			t.Errorf("undoing has %q, want the stem %q", w, stem(w))
		}
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []string
	}{
		{"list_pull-requests.all/of", []string{"list", "pull", "requests", "all", "of"}},
		{"getPullRequest", []string{"get", "pull", "request", "getpullrequest"}},
		{"HTTPServer URLs of OAuth2", []string{"http", "server", "httpserver", "urls", "of", "auth2", "oauth2"}},
		{"v1.2 user's", []string{"v1", "user"}},
		{"天气", []string{"天气"}},
		{"查询天气 a城b", []string{"查询", "询天", "天气", "城"}},
		{"カード", []string{"カー", "ード"}},
		{"Größe ИМЯ naïve", []string{"größe", "имя", "naïve"}},
		{"ab\xffcd\xe5\xa4", []string{"ab", "cd"}},
		{"", nil},
		{"-- a 1 --", nil},
	} {
		var got []string
		var s splitter
		s.split(c.text, func(word []byte, parts []int) {
			eachPart(word, parts, func(part []byte) { got = append(got, string(part)) })
			got = append(got, string(word))
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("split(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestFirstSentence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, first, rest string }{
		{"Get an issue. It has comments.", "Get an issue", " It has comments."},
		{"Find orders, e.g. late ones (i.e. unpaid). More", "Find orders, e.g. late ones (i.e. unpaid)", " More"},
		{"Version 1.2 of it", "Version 1.2 of it", ""},
		{"One line\nanother", "One line", "another"},
		{"\n  Indented.\n", "Indented", ""},
		{"获取城市。更多", "获取城市", "更多"},
		{"What? That", "What", " That"},
		{"", "", ""},
		{".", "", ""},
		{"a\xff. b", "a\xff", " b"},
	} {
		if first, rest := FirstSentence(c.text); first != c.first || rest != c.rest {
			t.Errorf("FirstSentence(%q) = %q, %q, want %q, %q", c.text, first, rest, c.first, c.rest)
		}
	}
}
