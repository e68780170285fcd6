// Package cobraapps_test serves commands of well-known cobra applications with integrations/cobra.
package cobraapps_test

import (
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	crane "github.com/google/go-containerregistry/cmd/crane/cmd"
	"github.com/google/go-containerregistry/pkg/registry"
	yq "github.com/mikefarah/yq/v4/cmd"
	"github.com/spf13/cobra"

	cobratools "github.com/mcptool-go/mcptool/integrations/cobra"
	"github.com/mcptool-go/mcptool/internal/testing/golden"
	"github.com/mcptool-go/mcptool/mcptool"
)

// app is the environment variable that selects the application that this binary is.
const app = "COBRAAPPS_TEST_APP"

var apps = map[string]func() *cobra.Command{"yq": yq.New, "crane": func() *cobra.Command { return crane.Root }}

func TestMain(m *testing.M) {
	if root, ok := apps[os.Getenv(app)]; ok {
		if err := root().Execute(); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// toolsOf returns tools of an application by name, and compares their schemas with a golden file.
func toolsOf(t *testing.T, name string, opts ...cobratools.Option) map[string]*mcptool.Tool {
	t.Helper()
	opts = append(opts, cobratools.Env(append(os.Environ(), app+"="+name)))
	list, err := cobratools.Tools(apps[name](), opts...)
	if err != nil {
		t.Fatal(err)
	}
	file, byName := golden.Open(t, "testdata/"+name+".txt"), map[string]*mcptool.Tool{}
	for _, tool := range list {
		byName[tool.Info().Name] = tool
		schema, err := json.MarshalIndent(tool.InputSchema(), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		file.Check(t, tool.Info().Title, tool.Info().Description+"\n\n"+string(schema))
	}
	return byName
}

// call returns the result of a call as text, and whether it is an error.
func call(t *testing.T, tool *mcptool.Tool, args any) (text string, isError bool) {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	result, err := tool.Call(t.Context(), raw)
	if err != nil {
		t.Fatal(err)
	}
	if structured, ok := result.Structured.(json.RawMessage); ok {
		return string(structured), false
	}
	var texts []string
	for _, content := range result.Content {
		texts = append(texts, content.(mcptool.Text).Text)
	}
	return strings.Join(texts, "\n"), result.IsError
}

func TestYQ(t *testing.T) {
	t.Parallel()
	eval := toolsOf(t, "yq", cobratools.AllowJSON("eval --output-format=json --inplace=false --split-exp=", mcptool.ReadOnly(true)))["eval"]
	file := filepath.Join(t.TempDir(), "deploy.yaml")
	if err := os.WriteFile(file, []byte("spec:\n  replicas: 3\n  image: web:1.2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	type object = map[string]any
	if got, _ := call(t, eval, object{"expression_arg": ".spec", "yaml_file1": []string{file}}); got != `{"replicas":3,"image":"web:1.2"}` {
		t.Errorf("got %s", got)
	}
	if got, isError := call(t, eval, object{"expression_arg": ".spec |", "yaml_file1": []string{file}}); !isError || !strings.Contains(got, "Error: ") {
		t.Errorf("a wrong expression: %s", got)
	}
	if got, isError := call(t, eval, object{"expression_arg": "--inplace", "yaml_file1": []string{file}}); !isError {
		t.Errorf("a flag as expression: %s", got)
	}
}

func TestCrane(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(registry.New(registry.Logger(slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo))))
	t.Cleanup(server.Close)
	repo := strings.TrimPrefix(server.URL, "http://") + "/team/web"
	layer := filepath.Join(t.TempDir(), "layer.tar")
	if err := os.WriteFile(layer, make([]byte, 1024), 0o600); err != nil {
		t.Fatal(err)
	}
	tools := toolsOf(t, "crane", cobratools.Allow("append"), cobratools.Allow("ls", mcptool.ReadOnly(true)), cobratools.Allow("tag"),
		cobratools.AllowJSON("manifest", mcptool.ReadOnly(true)), cobratools.Allow("export", mcptool.ReadOnly(true)), cobratools.Omit("verbose", "allow-nondistributable-artifacts"))
	type object = map[string]any
	steps := []struct {
		tool    string
		args    object
		want    string
		isError bool
	}{
		{"append", object{"new_layer": []string{layer}, "new_tag": repo + ":1.0", "insecure": true}, repo, false},
		{"tag", object{"img": repo + ":1.0", "tag": "stable"}, "", false},
		{"ls", object{"repo": repo}, "1.0\nstable\n", false},
		{"manifest", object{"image": repo + ":stable"}, `"schemaVersion":2`, false},
		{"manifest", object{"image": repo + ":missing"}, "MANIFEST_UNKNOWN", true},
		{"tag", object{"img": repo + ":1.0", "tag": "--help"}, "", false}, // not a flag, and crane allows it as a tag
		{"ls", object{"repo": repo}, "--help\n", false},
	}
	for _, step := range steps {
		got, isError := call(t, tools[step.tool], step.args)
		if !strings.Contains(got, step.want) || isError != step.isError {
			t.Errorf("%s %v: %s, want %s", step.tool, step.args, got, step.want)
		}
	}
}
