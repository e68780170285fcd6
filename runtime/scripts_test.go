package runtime_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/testscale"
)

var scriptSeed = flag.Uint64("script-seed", 0, "the seed of the first script of TestModel")

// TestModel plays random scripts, each in its own synctest bubble, and compares the session with the
// model. A failing script is printed in its shortest form. To play
// more scripts:
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

// report shortens the script of a seed, and returns it with its problems.
func report(t *testing.T, seed uint64, problems []string, mangle mangler) string {
	t.Helper()
	short := newScript(seed).shorten(func(s *script) bool {
		for range 3 { // concurrent events have no fixed order
			if found := play(t, s, mangle); found != nil {
				problems = found
				return true
			}
		}
		return false
	})
	return fmt.Sprintf("seed %d\n%v%s", seed, short, strings.Join(problems, "\n"))
}

// TestModelNotices: the model finds each kind of planted fault, with a script of a few steps.
func TestModelNotices(t *testing.T) {
	t.Parallel()
	isAnswer := func(text string) bool { return strings.HasPrefix(text, `{"jsonrpc":"2.0","id":"k`) }
	for _, test := range []struct {
		name   string
		mangle mangler
	}{
		{"answer lost", func(_ int, text string) []string {
			if isAnswer(text) {
				return nil
			}
			return []string{text}
		}},
		{"answer repeated", func(_ int, text string) []string {
			if isAnswer(text) {
				return []string{text, text}
			}
			return []string{text}
		}},
		{"answer of another request", func(_ int, text string) []string { return []string{strings.ReplaceAll(text, "word-", "word")} }},
		{"answer with another id", func(_ int, text string) []string {
			return []string{strings.Replace(text, `,"id":"k`, `,"id":"k1`, 1)}
		}},
		{"progress repeated", func(_ int, text string) []string {
			if strings.Contains(text, "notifications/progress") {
				return []string{text, text}
			}
			return []string{text}
		}},
		{"last progress lost", func(_ int, text string) []string {
			if strings.Contains(text, `"progress":4`) {
				return nil
			}
			return []string{text}
		}},
		{"change notification lost", func(_ int, text string) []string {
			if strings.Contains(text, "list_changed") {
				return nil
			}
			return []string{text}
		}},
		{"change notification repeated", func(_ int, text string) []string {
			if strings.Contains(text, "list_changed") {
				return []string{text, text}
			}
			return []string{text}
		}},
		{"cancellation lost", func(_ int, text string) []string {
			if strings.Contains(text, "notifications/cancelled") {
				return nil
			}
			return []string{text}
		}},
		{"end of subscription lost", func(_ int, text string) []string {
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
					t.Errorf("seed %d: the shortest script has more than 5 steps:\n%v", seed, short)
				}
				return
			}
			t.Error("no script of 500 finds the fault")
		})
	}
}
