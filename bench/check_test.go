package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aymanbagabas/go-udiff"

	"github.com/mcptool-go/mcptool/extension/apps"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/stdio"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// benched runs bench without a terminal and returns its exit code and output.
func benched(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(t.Context(), args, newTestConsole("", &out, &err))
	return code, out.String(), err.String()
}

// newTestConsole returns a console that is not a terminal and reads typed.
func newTestConsole(typed string, out, err *bytes.Buffer) *console {
	return &console{in: strings.NewReader(typed), out: terminal.NewWriter(out), raw: out, err: terminal.NewWriter(err)}
}

// exampleSnapshot is a snapshot written by AssertCompatible.
const exampleSnapshot = "../examples/weather/testdata/tools.snapshot.json"

// TestCheck runs bench check against an example while its snapshot changes.
func TestCheck(t *testing.T) {
	t.Parallel()
	weather := buildWeather(t)
	good, err := os.ReadFile(exampleSnapshot)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, reason string
		edit         [2]string // replacement in the snapshot; empty strings for none
		flags        []string
		code         int
		want         []string
		not          string
	}{
		{"the same", "AssertCompatible has written it", [2]string{}, nil, 0, []string{"no changes since "}, ""},
		{"the same to a legacy client", "the era of a client is not the tools'", [2]string{}, []string{"--era", "legacy"}, 0, []string{"no changes since "}, ""},
		{
			"breaks callers", "a value is not accepted any more",
			[2]string{`"celsius",`, `"kelvin", "celsius",`},
			nil, 1,
			[]string{"breaks callers:\n    get_weather: arguments.unit: was \"kelvin\", \"celsius\" or \"fahrenheit\", is", "1 breaking change; if intended, run with --update to write "},
			"(-was +is)",
		},
		{
			"breaks readers", "a member was promised, and may be missing now",
			[2]string{`"required": [
          "place",`, `"required": [
          "place",
          "conditions_long",`},
			nil, 1,
			[]string{"breaks readers of results:\n    get_weather: result"},
			"",
		},
		{"may break", "who left it out means something else now", [2]string{`"default": "celsius"`, `"default": "fahrenheit"`}, nil, 1, []string{"may break callers:", "1 possibly breaking change;"}, ""},
		{"a tool is gone", "the snapshot has it", [2]string{`"name": "list_cities"`, `"name": "list_towns"`}, nil, 1, []string{"list_towns: was present, is called list_cities"}, ""},
		{"compatible", "more is accepted", [2]string{`"minLength": 1`, `"minLength": 2`}, nil, 0, []string{"compatible:\n    get_weather: arguments.location", "compatible with "}, ""},
		{"wording", "nobody depends on it", [2]string{"Climate at a place", "Weather at a place"}, nil, 0, []string{"wording only:"}, ""},
		{"not shown", "it is less than what is asked for", [2]string{"Climate at a place", "Weather at a place"}, []string{"--least", "compatible"}, 0, []string{"not shown: 1 change below compatible\n"}, "wording only"},
		{"in detail", "as JSON, as both sides write it", [2]string{`"minLength": 1`, `"minLength": 2`}, []string{"--diff"}, 0, []string{"get_weather:\n--- was\n+++ is\n@@ ", "-        \"minLength\": 2,\n+        \"minLength\": 1,\n"}, "map["},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			edited := strings.Replace(string(good), tt.edit[0], tt.edit[1], 1)
			if edited == string(good) && tt.edit != [2]string{} {
				t.Fatalf("the snapshot has no %s", tt.edit[0])
			}
			file := filepath.Join(t.TempDir(), "tools.snapshot.json")
			if err := os.WriteFile(file, []byte(edited), 0o600); err != nil {
				t.Fatal(err)
			}
			command := append([]string{"check", "--snapshot", file}, tt.flags...)
			code, out, complaints := benched(t, append(command, "--", weather)...)
			if code != tt.code || complaints != "" {
				t.Errorf("%s: exit code %d, want %d, stderr %q", tt.reason, code, tt.code, complaints)
			}
			for _, want := range tt.want {
				if !strings.Contains(out, want) {
					t.Errorf("%s: no %q in\n%s", tt.reason, want, out)
				}
			}
			if tt.not != "" && strings.Contains(out, tt.not) {
				t.Errorf("%s: there is %q in\n%s", tt.reason, tt.not, out)
			}
			if code, out, complaints = benched(t, append(command, "--update", "--", weather)...); code != 0 || !strings.Contains(out, file+" is updated: 2 tools\n") {
				t.Errorf("--update: exit code %d\n%s%s", code, out, complaints)
			}
			if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, good) {
				t.Errorf("--update has written %v\n%s", err, now)
			}
		})
	}
}

// TestCheckFiles passes snapshots that are missing, malformed, or not writable.
func TestCheckFiles(t *testing.T) {
	t.Parallel()
	child := []string{"--env", parcelsChild + "=1", "--", os.Args[0], "-test.run", "^TestCheckAndKit$"}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{"broken.json": "{\n  \"tools\": [\n}", "package.json": `{"name": "x"}`} {
		if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name  string
		args  []string
		code  int
		wants string
	}{
		{"not there", []string{"--snapshot", in("a.json")}, 2, "bench: there is no " + in("a.json") + " yet; --update writes it"},
		{"broken", []string{"--snapshot", in("broken.json")}, 2, "bench: " + in("broken.json") + ":3: not a snapshot of tools: invalid character '}'"},
		{"something else", []string{"--snapshot", in("package.json"), "--update"}, 2, `bench: ` + in("package.json") + `: not a snapshot of tools: it has no member "tools"`},
		{"a directory", []string{"--snapshot", dir, "--update"}, 2, "bench: " + dir + " cannot be read"},
		{"below a file", []string{"--snapshot", in("package.json/x.json"), "--update"}, 2, "bench: " + in("package.json/x.json") + " cannot be"},
		{"no such class", []string{"--least", "bad"}, 2, "--least must be one of"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, complaints := benched(t, slices.Concat([]string{"check"}, tt.args, child)...)
			if code != tt.code || out != "" || !strings.Contains(complaints, tt.wants) || strings.Count(complaints, "\n") != 1 {
				t.Errorf("exit code %d, stdout %q, stderr %q, want %q", code, out, complaints, tt.wants)
			}
		})
	}
	if text, err := os.ReadFile(in("package.json")); err != nil || string(text) != `{"name": "x"}` {
		t.Errorf("what is no snapshot was written: %s, %v", text, err)
	}
	if code, out, complaints := benched(t, append([]string{"check", "-s", in("a.json"), "-u"}, child...)...); code != 0 || out != in("a.json")+" is written: 2 tools\n" {
		t.Errorf("exit code %d\n%s%s", code, out, complaints)
	}
	if code, _, complaints := benched(t, "check", "-s", in("a.json"), "--", in("no-such-server")); code != exitUnreachable || complaints == "" {
		t.Errorf("no server: exit code %d, %q", code, complaints)
	}
}

type parcelIn struct {
	Grams int `json:"grams" jsonschema:"minimum=1"`
}

type parcelOut struct {
	Cents int `json:"cents"`
}

// parcels returns two tools, one of which may run as a task. The newest revision does not list that.
func parcels(t *testing.T) *mcptool.Registry {
	t.Helper()
	price := func(_ context.Context, in parcelIn) (parcelOut, error) { return parcelOut{in.Grams}, nil }
	registry := &mcptool.Registry{}
	for _, options := range [][]mcptool.ToolOption{
		{mcptool.Name("price"), mcptool.Description("The price of a parcel"), mcptool.ReadOnly(true)},
		{mcptool.Name("send"), mcptool.Description("Sends a parcel"), mcptool.Task(mcptool.TaskSupportOptional)},
	} {
		tool, err := mcptool.New(price, options...)
		if err == nil {
			err = registry.Add(tool)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return registry
}

// parcelsChild is the environment variable that makes a process serve parcels in TestCheckAndKit.
const parcelsChild = "BENCH_CHECK_CHILD"

// TestCheckAndKit reads bench snapshots with the test kit and vice versa, for a process and over HTTP.
func TestCheckAndKit(t *testing.T) {
	registry := parcels(t)
	server := &runtime.Server{Name: "parcels", Version: "1", Tools: registry, Tasks: tasks.New(nil)}
	if os.Getenv(parcelsChild) != "" {
		if err := stdio.Serve(t.Context(), server); err != nil {
			t.Error(err)
		}
		return
	}
	handler, err := streamhttp.NewHandler(server)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(handler)
	defer web.Close()
	process := []string{"--env", parcelsChild + "=1", "--", os.Args[0], "-test.run", "^TestCheckAndKit$"}
	for name, target := range map[string][]string{"a process": process, "over HTTP": {web.URL}, "a legacy process": append([]string{"--era", "legacy"}, process...)} {
		t.Run(name, func(t *testing.T) {
			kit, own := filepath.Join(t.TempDir(), "kit.json"), filepath.Join(t.TempDir(), "own.json")
			t.Setenv("MCPTOOL_UPDATE", "1")
			mcptooltest.AssertCompatible(t, registry, kit)
			t.Setenv("MCPTOOL_UPDATE", "")
			code, out, complaints := benched(t, append([]string{"check", "--json", "--snapshot", kit}, target...)...)
			var found struct {
				Tools   int
				Breaks  bool
				Changes []any
			}
			if err := json.Unmarshal([]byte(out), &found); err != nil || code != 0 || found.Tools != 2 || found.Breaks || len(found.Changes) > 0 {
				t.Errorf("of the kit's file bench says %d\n%s%s", code, out, complaints)
			}
			if code, out, complaints := benched(t, append([]string{"check", "--update", "--snapshot", own}, target...)...); code != 0 {
				t.Fatalf("exit code %d\n%s%s", code, out, complaints)
			}
			mcptooltest.AssertCompatible(t, registry, own)
			// Information that the revision does not carry is kept from the file.
			before, _ := os.ReadFile(kit)
			if code, out, complaints := benched(t, append([]string{"check", "--update", "--snapshot", kit}, target...)...); code != 0 {
				t.Fatalf("exit code %d\n%s%s", code, out, complaints)
			}
			if after, err := os.ReadFile(kit); err != nil || !bytes.Equal(before, after) {
				t.Errorf("%v: it was\n%s, and bench writes\n%s", err, before, after)
			}
		})
	}
}

// TestCheckAndKitWriteTheSame checks that bench and the test kit write the same snapshot, without data.
func TestCheckAndKitWriteTheSame(t *testing.T) {
	files := fstest.MapFS{"a.txt": {Data: []byte("a")}}
	view := fstest.MapFS{"v.html": {Data: []byte("<!doctype html><html><head><title>v</title></head><body></body></html>")}}
	price := func(_ context.Context, in parcelIn) (parcelOut, error) { return parcelOut{in.Grams}, nil }
	text := func(context.Context, struct{}) (string, error) { return "x", nil }
	read := func(_ context.Context, in struct {
		ID int `json:"id"`
	},
	) (string, error) {
		return "x", nil
	}
	links := mcptool.ListWith(func(context.Context, string) ([]mcptool.ResourceLink, string, error) {
		return []mcptool.ResourceLink{{URI: "tickets://7", Name: "seven"}}, "", nil
	})
	registry := parcels(t)
	must, err1 := mcptool.New(price, mcptool.Name("must"), mcptool.Task(mcptool.TaskSupportRequired))
	shown, err2 := mcptool.New(price, mcptool.Name("shown"), apps.View(view, "v.html"))
	prompt, err3 := mcptool.NewPrompt(text, mcptool.Name("hello"))
	ticket, err4 := mcptool.NewResource(read, mcptool.URI("tickets://{id}"), mcptool.Name("ticket"), links)
	terms, err5 := mcptool.NewResource(text, mcptool.URI("docs://terms"), mcptool.Name("terms"))
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		t.Fatal(err)
	}
	if err := registry.Add(must, shown, prompt, ticket, terms, mcptool.Files(files, "files://")); err != nil {
		t.Fatal(err)
	}
	handler, err := streamhttp.NewHandler(&runtime.Server{Name: "parcels", Version: "1", Tools: registry, Tasks: tasks.New(nil)})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(handler)
	defer web.Close()
	kit, own := filepath.Join(t.TempDir(), "kit.json"), filepath.Join(t.TempDir(), "own.json")
	t.Setenv("MCPTOOL_UPDATE", "1")
	mcptooltest.AssertCompatible(t, registry, kit)
	t.Setenv("MCPTOOL_UPDATE", "")
	if code, out, complaints := benched(t, "check", "--update", "-s", own, web.URL); code != 0 || !strings.HasSuffix(out, "written: 4 tools, 1 prompt, 1 resource, 2 resource templates\n") {
		t.Fatalf("exit code %d\n%s%s", code, out, complaints)
	}
	a, err1 := os.ReadFile(kit)
	b, err2 := os.ReadFile(own)
	if err := errors.Join(err1, err2); err != nil || string(a) != string(b) {
		t.Errorf("%v\n%s", err, udiff.Unified("kit", "bench", string(a), string(b)))
	}
	mcptooltest.AssertCompatible(t, registry, own)
	if code, out, _ := benched(t, "check", "-s", kit, web.URL); code != 0 || !strings.HasPrefix(out, "no changes since ") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if strings.Contains(string(b), "tickets://7") || strings.Contains(string(b), "a.txt") || strings.Contains(string(b), "ui://") || !strings.Contains(string(b), `"required"`) {
		t.Errorf("the snapshot is\n%s", b)
	}
}

// TestCheckJSON checks the JSON report of a change.
func TestCheckJSON(t *testing.T) {
	t.Parallel()
	child := []string{"--env", parcelsChild + "=1", "--", os.Args[0], "-test.run", "^TestCheckAndKit$"}
	file := filepath.Join(t.TempDir(), "x.json")
	if code, _, complaints := benched(t, append([]string{"check", "-u", "-s", file}, child...)...); code != 0 {
		t.Fatal(complaints)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(`"minimum": 1`), []byte(`"minimum": 0`), 1)
	if err := os.WriteFile(file, bytes.Replace(text, []byte("The price"), []byte("A price"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, complaints := benched(t, append([]string{"check", "--json", "--least", "may-break", "-s", file}, child...)...)
	want := `{
  "snapshot": "` + file + `",
  "tools": 2,
  "updated": false,
  "breaks": true,
  "worst": "breaks",
  "changes": [
    {
      "class": "breaks",
      "party": "callers",
      "tool": "price",
      "path": "arguments.grams",
      "keyword": "minimum",
      "was": "at least 0",
      "now": "at least 1"
    }
  ]
}
`
	if code != 1 || complaints != "" || out != want {
		t.Errorf("exit code %d, %s\n%s\nwant\n%s", code, complaints, out, want)
	}
}

// TestCheckAgainst compares running servers.
func TestCheckAgainst(t *testing.T) {
	t.Parallel()
	weather := buildWeather(t)
	tool := func(schema string) string {
		return `{"name":"send","inputSchema":{"type":"object","properties":{"to":` + schema + `}}}`
	}
	_, old := newStage(t, tool(`{"type":"string","minLength":1}`))
	_, strict := newStage(t, tool(`{"type":"string","minLength":2}`))
	_, lax := newStage(t, tool(`{"type":"string"}`))
	child := []string{"--env", parcelsChild + "=1", "--", os.Args[0], "-test.run", "^TestCheckAndKit$"}
	for _, tt := range []struct {
		name     string
		args     []string
		code     int
		out, err string // out is whole
	}{
		{"the same", []string{"--against", old, old}, 0, "no changes since " + old + ": 1 tool\n", ""},
		{"the same command", []string{"--against", weather, "--", weather}, 0, "no changes since " + weather + ": 2 tools\n", ""},
		{"breaks callers", []string{strict, "--against", old}, 1, "breaks callers:\n    send: arguments.to: was at least 1 character, is at least 2 characters\n1 breaking change since " + old + "\n", ""},
		{"the other way round", []string{"--against=" + strict, old}, 0, "compatible:\n    send: arguments.to: was at least 2 characters, is at least 1 character\ncompatible with " + strict + "\n", ""},
		{"not shown", []string{"--against", old, lax, "--least", "breaks"}, 0, "not shown: 1 change below breaks\ncompatible with " + old + "\n", ""},
		{"a command and a URL, with flags for each", append([]string{"--against", old, "-H", "X: y", "--least", "breaks", "--without", "prompts", "--era", "legacy"}, child...), 1, "breaks callers:\n    send: arguments.to: was a string, is not allowed", ""},
		{"different eras", []string{"--against", old, "--least", "breaks", "--", weather}, 1, "", "bench: " + old + " speaks the era legacy, and this server modern; with --era legacy, both list"},
		{"a secret in a command", []string{"--against", weather + " --token " + secretToken, weather}, 0, "no changes since " + weather + " --token (hidden): 2 tools\n", ""},
		{"no server", []string{"--against", "http://127.0.0.1:1/", old}, 3, "", "bench: http://127.0.0.1:1/: connection refused"},
		{"no TARGET", []string{"--against", old}, 2, "", "bench: there is no TARGET"},
		{"no name", []string{"--against", "claude:", old}, 2, "", "bench: --against: claude: names no server"},
		{"an open quote", []string{"--against", "'x", old}, 2, "", "bench: --against: the command cannot be read"},
		{"an update", []string{"--against", old, "--update", old}, 2, "", "bench: --update and --snapshot are for a file"},
		{"a snapshot", []string{"--against", old, "--snapshot", "x.json", old}, 2, "", "bench: --update and --snapshot are for a file"},
		{"a variable for URLs", []string{"--against", old, "--env", "A=b", old}, 2, "", "bench: --env is for a command"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, out, problems := benched(t, append([]string{"check"}, tt.args...)...)
			if code != tt.code || !strings.HasPrefix(out, tt.out) || strings.HasSuffix(tt.out, "\n") && out != tt.out || !strings.HasPrefix(problems, tt.err) || tt.err == "" && problems != "" {
				t.Errorf("exit code %d, want %d\n%s\nwant\n%s\nstderr: %s", code, tt.code, out, tt.out, problems)
			}
		})
	}
	code, out, problems := benched(t, "check", "--json", "--against", old, strict)
	var report struct {
		Snapshot, Against string
		Breaks            bool
		Changes           []any
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != 1 || problems != "" || report.Snapshot != "" || report.Against != old || !report.Breaks || len(report.Changes) != 1 {
		t.Errorf("exit code %d, %v\n%s%s", code, err, out, problems)
	}
}
