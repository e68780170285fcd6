package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// server is a program of a user, who calls its tool with bench.
const server = `package main

import (
	"context"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/stdio"
)

type GreetIn struct{ Name string }

func Greet(_ context.Context, in GreetIn) (string, error) { return "Hello, " + in.Name, nil }

func main() {
	mcptool.Register(Greet)
	stdio.Main(nil)
}
`

// TestRelease releases a clone of the last commit, uses its modules as users do, and then removes a function.
func TestRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("builds every module without the workspace")
	}
	repo := t.TempDir()
	t.Setenv("GOFLAGS", "-trimpath -modcacherw") // so that the build cache does not depend on directories
	for _, name := range []string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"} {
		t.Setenv(name, "test")
	}
	do(t, "../../..", "git", "clone", "-q", "--no-tags", ".", repo)
	write(t, repo, "CHANGELOG.md", "# Changelog\n\n## v0.1.1 (unreleased)\n\n* Fixes.\n\n## v0.2.0 (unreleased)\n\n## v0.1.0 (unreleased)\n\n* All.\n")
	refused(t, repo, "v0.1.0", "the working tree has changes")
	write(t, repo, "mcptool/old.go", "package mcptool\n\n// Old does nothing.\nfunc Old() {}\n")
	commit(t, repo)
	for _, version := range []string{"0.1.0", "v0.1", "v0.0.0", "v0.1.0-rc.1", "v0.1.0+1", "v2.0.0"} {
		refused(t, repo, version, "is not a version")
	}
	refused(t, repo, "v0.2.0", "CHANGELOG.md has nothing under")
	refused(t, repo, "v0.3.0", "CHANGELOG.md has nothing under")
	start := do(t, repo, "git", "rev-parse", "HEAD")
	out := released(t, repo, "v0.1.0")
	contains(t, out, "no earlier release", "git push --atomic origin HEAD:main v0.1.0 ")
	modules := nested(t, repo)
	for _, m := range modules {
		contains(t, out, " "+m+"/v0.1.0")
	}
	if changed := do(t, repo, "git", "diff", "--name-only", start, "HEAD"); changed != "CHANGELOG.md" {
		t.Errorf("after the release, these files have changed: %s", changed)
	}
	t.Run("users", func(t *testing.T) { use(t, repo, modules) })

	do(t, repo, "git", "rm", "-q", "mcptool/old.go")
	commit(t, repo)
	refused(t, repo, "v0.1.0", "nothing under") // its heading has a date
	refused(t, repo, "v0.1.1", "v0.1.1 cannot have incompatible changes since v0.1.0:\n- ./mcptool.Old: removed\n")
	write(t, repo, "CHANGELOG.md", "\n## v0.0.9 (unreleased)\n\n* Old.\n\n## v0.2.0 (unreleased)\n\n* Old is gone.\n")
	commit(t, repo)
	refused(t, repo, "v0.0.9", "v0.0.9 is not newer than v0.1.0")
	contains(t, released(t, repo, "v0.2.0"), "- ./mcptool.Old: removed\n", " HEAD:main v0.2.0 ", " bench/v0.2.0", " internal/measure/v0.2.0")
}

// use installs the modules of v0.1.0 from a module proxy. The proxy is the download cache of a go command that has
// fetched them from the clone; other modules come from the cache of this machine, or its proxy.
func use(t *testing.T, repo string, modules []string) {
	t.Helper()
	others := "file://" + do(t, repo, "go", "env", "GOMODCACHE") + "/cache/download," + do(t, repo, "go", "env", "GOPROXY")
	proxy := t.TempDir()
	t.Setenv("GOWORK", "off")
	t.Setenv("GONOSUMDB", core)
	t.Setenv("GOPROXY", others)
	t.Setenv("GOMODCACHE", proxy)
	t.Setenv("GONOPROXY", core)
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "url."+repo+".insteadOf")
	t.Setenv("GIT_CONFIG_VALUE_0", "https://"+core)
	do(t, repo, "git", "checkout", "-q", "v0.1.0")
	for _, dir := range append([]string{"."}, modules...) {
		do(t, filepath.Join(repo, dir), "go", "list", "-deps", "-test", "./...") // fails if go.sum lacks a hash or has another
		do(t, t.TempDir(), "go", "mod", "download", strings.TrimSuffix(core+"/"+dir, "/.")+"@v0.1.0")
	}
	do(t, repo, "git", "checkout", "-q", "-")

	t.Setenv("GONOPROXY", "")
	t.Setenv("GIT_CONFIG_COUNT", "0")
	t.Setenv("GOPROXY", "file://"+proxy+"/cache/download,"+others)
	t.Setenv("GOMODCACHE", t.TempDir())
	bin := t.TempDir()
	t.Setenv("GOBIN", bin)
	do(t, bin, "go", "install", core+"/bench@v0.1.0")
	do(t, bin, "go", "install", core+"/integrations/copytasks@v0.1.0")
	do(t, bin, "go", "install", core+"/integrations/mcptoolvet/cmd/mcptoolvet@v0.1.0")
	contains(t, do(t, bin, "./bench", "--version"), "v0.1.0")
	do(t, bin, "./copytasks", "-h")
	greeter := filepath.Join(user(t, core, server), "yours")
	contains(t, do(t, bin, "./bench", "call", "greet", `{"Name":"Ada"}`, "--", greeter), "Hello, Ada")
	for path, use := range map[string]string{
		"integrations/boltstore":  `_, _ = boltstore.Open("tasks.db", boltstore.Limits{})`,
		"integrations/cobra":      `_ = cobratools.Command()`,
		"integrations/gosdk":      `_ = gosdk.InputSchema[struct{}]()`,
		"integrations/oauthproxy": `_ = oauthproxy.NewMemory(0)`,
		"integrations/jetstream":  `_, _ = jetstream.Connect("127.0.0.1:1", jetstream.Options{})`,
		"integrations/jwtauth":    `_, _ = jwtauth.New(jwtauth.Options{})`,
		"integrations/otelmcp":    `_ = otelmcp.New(otelmcp.Options{})`,
		"integrations/mcpgo":      `_ = mcpgo.AddTools(nil)`,
	} {
		user(t, core+"/"+path, "package main\n\nimport \""+core+"/"+path+"\"\n\nfunc main() {\n\t"+use+"\n}\n")
	}
}

// nested returns the directories of the modules that are published beside the core.
func nested(t *testing.T, repo string) (dirs []string) {
	t.Helper()
	for _, m := range strings.Fields(do(t, repo, "go", "list", "-m")) {
		dir := strings.TrimPrefix(m, core+"/")
		if dir != core && !strings.HasPrefix(dir, "examples/") && dir != "internal/lab" {
			dirs = append(dirs, dir)
		}
	}
	if len(dirs) < 9 {
		t.Fatalf("the modules are %v", dirs)
	}
	return dirs
}

// user returns the directory of a new module that requires v0.1.0 of a module and has built a program that uses it.
func user(t *testing.T, path, program string) string {
	t.Helper()
	dir := t.TempDir()
	do(t, dir, "go", "mod", "init", "example.com/yours")
	do(t, dir, "go", "get", path+"@v0.1.0")
	write(t, dir, "main.go", program)
	do(t, dir, "go", "mod", "tidy")
	do(t, dir, "go", "build")
	return dir
}

func released(t *testing.T, repo, version string) string {
	t.Helper()
	var out strings.Builder
	if err := release(t.Context(), repo, version, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// refused checks that a version is refused with a text, before anything is changed.
func refused(t *testing.T, repo, version, want string) {
	t.Helper()
	before := do(t, repo, "git", "status", "--porcelain")
	if err := release(t.Context(), repo, version, t.Output()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: got %v, want %q", version, err, want)
	}
	if after := do(t, repo, "git", "status", "--porcelain"); after != before {
		t.Errorf("%s: changed %s", version, after)
	}
}

func commit(t *testing.T, repo string) {
	t.Helper()
	do(t, repo, "git", "add", ".")
	do(t, repo, "git", "commit", "-qm", "test")
}

func do(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	out, err := run(t.Context(), dir, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func contains(t *testing.T, got string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %q", got, want)
		}
	}
}
