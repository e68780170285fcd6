package cobratools

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
)

// FuzzArgv passes text as each kind of argument, and lets cobra parse the command line: it must find the command, the
// same values, and no other flag.
func FuzzArgv(f *testing.F) {
	for _, s := range []string{"", "plain", "--other=x", "-o", "--", "inner", "a,b", `"`, `"a","b"`, "=", "a=b", "\n", "\r\n", "\r", " x ", "\\", "'", "é", "\u2028"} {
		f.Add(s, "key")
		f.Add("value", s)
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, s, key string) {
		defer watch()()
		if !utf8.ValidString(s) || !utf8.ValidString(key) {
			t.Skip("JSON cannot contain it")
		}
		root := &cobra.Command{Use: "app"}
		cmd := &cobra.Command{Use: "cmd [ARG...]", Run: func(*cobra.Command, []string) {}}
		cmd.AddCommand(&cobra.Command{Use: "inner", Run: func(*cobra.Command, []string) {}})
		root.AddCommand(cmd)
		text := cmd.Flags().String("text", "", "")
		list := cmd.Flags().StringSlice("list", nil, "")
		array := cmd.Flags().StringArray("array", nil, "")
		keys := cmd.Flags().StringToString("keys", nil, "")
		other := cmd.Flags().StringP("other", "o", "", "")
		c := &config{found: map[string]bool{}}
		l, err := c.newLine(cmd, []string{"cmd"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		args, err := json.Marshal(map[string]any{
			"text": s, "list": []string{s, "second", s}, "array": []string{s, s}, "keys": map[string]string{key: s}, "arg": []string{s, key},
		})
		if err != nil {
			t.Fatal(err)
		}
		argv, err := l.argv(args)
		if err != nil {
			if !strings.ContainsAny(key, "=,\x00") && !strings.Contains(s+key, "\x00") && !strings.Contains(key+"="+s, "\r\n") {
				t.Fatalf("%s: %v", args, err)
			}
			return
		}
		found, rest, err := root.Find(argv)
		if err != nil || found != cmd {
			t.Fatalf("%q is the command %s: %v", argv, found.Name(), err)
		}
		if err := cmd.ParseFlags(rest); err != nil {
			t.Fatalf("%q: %v", argv, err)
		}
		want := []any{s, []string{s, "second", s}, []string{s, s}, map[string]string{key: s}, "", []string{s, key}}
		got := []any{*text, *list, *array, *keys, *other, slices.Clone(cmd.Flags().Args())}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", argv, diff)
		}
	})
}
