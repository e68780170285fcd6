package runtime_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/testscale"
)

var scriptSeed = flag.Uint64("script-seed", 0, "the seed of the first script of TestModel")

// TestModel plays scripts made up by chance, each in a world of its own where time passes only when
// nobody has anything to do, and holds what the session does against the model. What fails is printed as
// short as it can be. More scripts than usual:
//
//	MCPTOOL_TEST_SCALE=300 go test ./runtime -run TestModel
func TestModel(t *testing.T) {
	t.Parallel()
	t.Run("T-CANC-05", func(t *testing.T) {
		t.Parallel()
		for i := range testscale.Count(300) {
			seed := *scriptSeed + uint64(i)
			if problems := play(t, newScript(seed), honest); problems != nil {
				t.Fatal(report(t, seed, problems, honest))
			}
		}
	})
}

// report makes the script of a seed short, and says what is wrong with it, at least what was the first time.
func report(t *testing.T, seed uint64, problems []string, mangle mangler) string {
	t.Helper()
	short := newScript(seed).shorten(func(s *script) bool {
		for range 3 { // what is concurrent does not always come in the same order
			if found := play(t, s, mangle); found != nil {
				problems = found
				return true
			}
		}
		return false
	})
	return fmt.Sprintf("seed %d\n%v%s", seed, short, strings.Join(problems, "\n"))
}

// TestModelNotices: a session that does not keep to the model is found out, each time with a script of a few steps.
func TestModelNotices(t *testing.T) {
	t.Parallel()
	isAnswer := func(text string) bool { return strings.HasPrefix(text, `{"jsonrpc":"2.0","id":"k`) }
	for _, test := range []struct {
		name   string
		mangle mangler
	}{
		{"an answer is lost", func(_ int, text string) []string {
			if isAnswer(text) {
				return nil
			}
			return []string{text}
		}},
		{"an answer comes twice", func(_ int, text string) []string {
			if isAnswer(text) {
				return []string{text, text}
			}
			return []string{text}
		}},
		{"an answer is another's", func(_ int, text string) []string { return []string{strings.ReplaceAll(text, "word-", "word")} }},
		{"an answer has another id", func(_ int, text string) []string {
			return []string{strings.Replace(text, `,"id":"k`, `,"id":"k1`, 1)}
		}},
		{"progress comes twice", func(_ int, text string) []string {
			if strings.Contains(text, "notifications/progress") {
				return []string{text, text}
			}
			return []string{text}
		}},
		{"the last progress is lost", func(_ int, text string) []string {
			if strings.Contains(text, `"progress":4`) {
				return nil
			}
			return []string{text}
		}},
		{"a change is not told", func(_ int, text string) []string {
			if strings.Contains(text, "list_changed") {
				return nil
			}
			return []string{text}
		}},
		{"a change is told twice", func(_ int, text string) []string {
			if strings.Contains(text, "list_changed") {
				return []string{text, text}
			}
			return []string{text}
		}},
		{"a question is not withdrawn", func(_ int, text string) []string {
			if strings.Contains(text, "notifications/cancelled") {
				return nil
			}
			return []string{text}
		}},
		{"a subscription is not ended", func(_ int, text string) []string {
			if strings.Contains(text, `"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId"`) {
				return nil
			}
			return []string{text}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(500) {
				s := newScript(seed)
				if play(t, s, test.mangle) == nil {
					continue
				}
				short := s.shorten(func(s *script) bool { return play(t, s, test.mangle) != nil })
				if len(short.steps) > 5 {
					t.Errorf("seed %d takes\n%v", seed, short)
				}
				return
			}
			t.Error("not noticed")
		})
	}
}
