package hosting_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/internal/hosting"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

type none struct{}

func newTool(t *testing.T, name string, opts ...mcptool.ToolOption) *mcptool.Tool {
	t.Helper()
	tool, err := mcptool.New(func(context.Context, none) (string, error) { return "done", nil }, append(opts, mcptool.Name(name))...)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// kind returns a Kind that writes to log what it does. It refuses items named refused, and notices
// only by adding them that it refuses those named taken.
func kind[Item comparable](log *bytes.Buffer, name func(Item) string) hosting.Kind[Item] {
	return hosting.Kind[Item]{
		Check: func(item Item) {
			if name(item) == "refused" {
				panic("the server refuses it")
			}
		},
		Add: func(item Item) any {
			if name(item) == "taken" {
				panic("its name is taken")
			}
			fmt.Fprintf(log, "+%s ", name(item))
			return name(item)
		},
		Remove: func(keys ...string) { fmt.Fprintf(log, "-%s ", strings.Join(keys, ",")) },
	}
}

// newMirror returns a mirror that writes to log what it does.
func newMirror(log *bytes.Buffer) *hosting.Mirror {
	return &hosting.Mirror{
		Name:      "host",
		Tools:     kind(log, func(t *mcptool.Tool) string { return t.Info().Name }),
		Prompts:   kind(log, func(p *mcptool.Prompt) string { return p.Info().Name }),
		Resources: kind(log, (*mcptool.Resource).URI),
		Templates: kind(log, func(r *mcptool.Resource) string { return "template " + r.URI() }),
		Updated:   func(uri string) { fmt.Fprintf(log, "!%s ", uri) },
	}
}

type noteIn struct {
	_  struct{} `mcp:"uri=note://notes/{id}"`
	ID int      `json:"id"`
}

// TestMirror: the other server has the items of the registry until ctx ends.
func TestMirror(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var did, log bytes.Buffer
		step := func(name, want string) {
			t.Helper()
			synctest.Wait()
			if got := strings.TrimSpace(did.String()); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
			did.Reset()
		}
		r := new(mcptool.Registry)
		note, err := mcptool.NewResource(func(context.Context, noteIn) (string, error) { return "", nil }, mcptool.Name("note"))
		if err != nil {
			t.Fatal(err)
		}
		readme, err := mcptool.NewResource(func(context.Context, none) (string, error) { return "", nil }, mcptool.Name("readme"), mcptool.URI("note://readme"))
		if err != nil {
			t.Fatal(err)
		}
		prompt, err := mcptool.NewPrompt(func(context.Context, none) (string, error) { return "", nil }, mcptool.Name("greet"))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		m := newMirror(&did)
		if err := m.Follow(ctx, &runtime.Server{Tools: r, Logger: slog.New(slog.NewTextHandler(&log, nil))}); err != nil {
			t.Fatal(err)
		}
		one := newTool(t, "one")
		_ = r.Add(one, newTool(t, "two"))
		step("new tools", "+one +two")
		_ = r.Add(prompt, note, readme)
		step("new prompts and resources", "+greet +note://readme +template note://notes/{id}")
		r.Remove(one)
		step("a removed tool", "-one")
		_ = r.Replace(newTool(t, "two"))
		step("a replaced tool", "+two")
		if got := slices.Sorted(maps.Keys(m.Tools.Added())); !slices.Equal(got, []string{"two"}) || m.Tools.Added()["two"].Entry != "two" {
			t.Errorf("the tools are %v", m.Tools.Added())
		}
		_ = r.Add(newTool(t, "refused"), newTool(t, "taken"), newTool(t, "long", mcptool.Task(mcptool.TaskSupportRequired)), newTool(t, "three"))
		step("tools that are refused", "+three")
		for _, want := range []string{"host: refused: the server refuses it", "host: taken: its name is taken", "host: long: it requires tasks"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log has no %q: %s", want, log.String())
			}
		}
		r.ResourceUpdated("note://readme")
		step("an updated resource", "!note://readme")
		cancel()
		synctest.Wait()
		removed := strings.Fields(did.String())
		slices.Sort(removed)
		if want := []string{"-greet", "-note://notes/{id}", "-note://readme", "-three,two"}; !slices.Equal(removed, want) {
			t.Errorf("at the end: %v, want %v", removed, want)
		}
		did.Reset()
		_ = r.Add(newTool(t, "four"))
		step("after the end", "")
	})
}

// TestMirrorMistakes: if an item is refused at the beginning, no other one is added, since it could
// replace an item of the program, and all mistakes are reported.
func TestMirrorMistakes(t *testing.T) {
	t.Parallel()
	greet, err := mcptool.NewPrompt(func(context.Context, none) (string, error) { return "", nil }, mcptool.Name("greet"))
	if err != nil {
		t.Fatal(err)
	}
	refused, err := mcptool.NewPrompt(func(context.Context, none) (string, error) { return "", nil }, mcptool.Name("refused"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		tool    *mcptool.Tool
		prompts []*mcptool.Prompt
		want    []string
		did     string
	}{
		{"a refused prompt", newTool(t, "two"), []*mcptool.Prompt{greet, refused}, []string{"host: refused: the server refuses it"}, ""},
		{"a refused prompt and a tool", newTool(t, "long", mcptool.Task(mcptool.TaskSupportRequired)), []*mcptool.Prompt{refused}, []string{"host: long: it requires tasks, which are not available in the server of another framework; use mcptool.TaskSupportOptional", "host: refused: the server refuses it"}, ""},
		{"a tool that is refused when it is added", newTool(t, "taken"), []*mcptool.Prompt{greet}, []string{"host: taken: its name is taken"}, "+one -one "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := new(mcptool.Registry)
			if err := r.Add(newTool(t, "one"), test.tool, mcptool.Prompts(test.prompts)); err != nil {
				t.Fatal(err)
			}
			var did bytes.Buffer
			m := newMirror(&did)
			if err := m.Follow(t.Context(), &runtime.Server{Tools: r}); err == nil || err.Error() != strings.Join(test.want, "\n") {
				t.Errorf("the error is %v, want %q", err, test.want)
			}
			_ = r.Add(newTool(t, "three"))
			if did.String() != test.did || len(m.Tools.Added()) != 0 {
				t.Errorf("got %q, and %v remains", did.String(), m.Tools.Added())
			}
		})
	}
}
