package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	gobuild "go/build"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/gendir"
	"github.com/mcptool-go/mcptool/bench/internal/openapi"
	"github.com/mcptool-go/mcptool/internal/compat"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// importCmd is bench import.
type importCmd struct {
	Format      string   `arg:"" help:"The format of the document: ${enum}." enum:"openapi" predictor:"format"`
	Spec        string   `arg:"" help:"The document: a file, or a directory with a file openapi.yaml, openapi.yml or openapi.json." predictor:"file"`
	Out         string   `help:"The directory of the Go package; it is created if it is missing." placeholder:"DIR" required:"" short:"o" predictor:"dir"`
	Package     string   `help:"The name of the package. The default is that of the Go files in the directory, or main." placeholder:"NAME"`
	Module      string   `help:"The path of a new module, if the directory belongs to none. The default is the name of the directory." placeholder:"PATH"`
	Select      []string `help:"Translate only some operations: tag=NAME, operation=ID, path=PATTERN or method=NAME; may be repeated. Operations must match one value of each key." placeholder:"KEY=VALUE"`
	NameStyle   string   `help:"What tools are named after: ${enum}." enum:"operation,path,tag" default:"operation"`
	Fields      []string `help:"Keep only these members of the results of a tool; may be repeated." placeholder:"TOOL=MEMBER,…" sep:"none"`
	BaseURL     string   `help:"The address of the API, instead of that in the document." name:"base-url" placeholder:"URL"`
	EnvPrefix   string   `help:"The beginning of the names of environment variables. The default is made of the title." placeholder:"NAME"`
	Auth        string   `help:"How to authenticate, if the document does not say so: bearer, basic, header:NAME, query:NAME or cookie:NAME. Credentials come from environment variables." placeholder:"KIND"`
	AllowRemote bool     `help:"Follow references to http and https URLs."`
	DryRun      bool     `help:"Write nothing; show the tools, their costs, and the changes of an existing server."`
	Verbose     bool     `help:"Show all notes, instead of the first ones." short:"v"`
}

// Help adds details to the short help in the command list.
func (*importCmd) Help() string {
	return `The server has a func and a struct of arguments for each operation, to be read and changed. Generated
files have a header, and are replaced when the command runs again. Files without it are never changed: tools.go, main.go
and go.mod are written once. If the directory has a server already, it is built, with the new files and without,
and what the changes of its tools break is shown as by bench check, before files are written. The exit code is 1 if an
operation is left out, if a change breaks or may break callers, and if the new server does not build.`
}

// An importing is a run of bench import.
type importing struct {
	*importCmd
	con     *console
	api     *openapi.API
	files   []gendir.File
	plan    *gendir.Plan
	home    string // the directory of an existing go.mod; "" for a new module
	version string // of the framework, as in debug.BuildInfo; "" if it is not a release
}

// Run writes the server, or with --dry-run shows what would be written.
func (c *importCmd) Run(ctx context.Context, con *console) error {
	if isURL(c.Spec) {
		return usageError("the document is a file or a directory; download it first, for example with curl -o openapi.yaml URL")
	}
	if c.Out == "" {
		return usageError("--out is empty; name a directory, which is . for the present one")
	}
	con.status("reading " + c.Spec)
	api, err := openapi.Load(ctx, c.Spec, openapi.Options{
		Select: c.Select, NameStyle: c.NameStyle, Fields: c.Fields, BaseURL: c.BaseURL, Remote: c.AllowRemote, EnvPrefix: c.EnvPrefix, Auth: c.Auth,
	})
	con.status("")
	if err != nil {
		return usageError("%s: %w", c.Spec, err)
	}
	i := &importing{importCmd: c, con: con, api: api, version: frameworkVersion()}
	if err := i.prepare(); err != nil {
		return usageError("nothing was written: %w", err)
	}
	if err := con.print(i.head(), nil); err != nil {
		return err
	}
	var changes []compat.Change
	var buildErr error
	if c.DryRun || i.plan.Again && i.plan.Changes() {
		changes, buildErr = i.compare(ctx)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if !c.DryRun {
		if err := i.plan.Apply(); err != nil {
			return usageError("%s: not all files could be written: %w", c.Out, err)
		}
	}
	if err := con.print(i.written()+i.notes()+i.next(), nil); err != nil {
		return err
	}
	switch leftOut := i.leftOut(); {
	case buildErr != nil:
		return noError("%s: the new server cannot be listed: %w", c.Out, buildErr)
	case leftOut > 0:
		return noError("%s left out", count(leftOut, "operation"))
	case compat.Worst(changes) > compat.Compatible:
		return noError("%s", verdict(changes))
	}
	return nil
}

// prepare generates the files, and plans the changes of the directory.
func (i *importing) prepare() error {
	dir, err := gendir.Resolve(i.Out)
	if err != nil {
		return err
	}
	if i.Package, err = packageName(dir, i.Package); err != nil {
		return err
	}
	o := openapi.PrintOptions{Package: i.Package}
	if i.home = moduleAbove(dir); i.home == "" {
		name := strings.Trim(regexp.MustCompile(`[^A-Za-z0-9._-]+`).ReplaceAllString(filepath.Base(dir), "-"), ".-")
		o.Module = cmp.Or(i.Module, name, "server")
		o.ImportPath, o.ToolVersion = o.Module, cmp.Or(i.version, "v0.0.0")
	} else if i.Module != "" {
		return fmt.Errorf("--module is for a new module, and %s belongs to the one of %s", i.Out, filepath.Join(i.home, "go.mod"))
	} else if o.ImportPath, err = importPath(i.home, dir); err != nil {
		return err
	}
	files, err := openapi.Print(i.api, o)
	if err != nil {
		return err
	}
	for _, f := range files {
		i.files = append(i.files, gendir.File(f))
	}
	i.plan, err = gendir.New(dir, openapi.Header, i.files)
	return err
}

// packageName returns the name of the package in a directory, main if there is none. It must be the one that is wanted, if
// that is not "".
func packageName(dir, want string) (string, error) {
	p, err := gobuild.ImportDir(dir, 0)
	var several *gobuild.MultiplePackageError
	switch {
	case errors.As(err, &several):
		return "", err
	case want != "" && p.Name != "" && want != p.Name:
		return "", fmt.Errorf("%s has package %s, not %s; leave out --package, or choose another directory", dir, p.Name, want)
	}
	return cmp.Or(p.Name, want, "main"), nil // go build explains other errors
}

// moduleAbove returns the directory of the go.mod that a directory belongs to, "" if there is none.
func moduleAbove(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && info.Mode().IsRegular() {
			return dir
		}
		if filepath.Dir(dir) == dir {
			return ""
		}
	}
}

var moduleLine = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"]+)`)

// importPath returns the import path of the package in a directory of a module.
func importPath(home, dir string) (string, error) {
	mod, err := fs.ReadFile(os.DirFS(home), "go.mod")
	if err != nil {
		return "", err
	}
	module := moduleLine.FindSubmatch(mod)
	below, err := filepath.Rel(home, dir)
	if module == nil || err != nil {
		return "", errors.Join(fmt.Errorf("%s: no module line", filepath.Join(home, "go.mod")), err)
	}
	return strings.TrimSuffix(string(module[1])+"/"+filepath.ToSlash(below), "/."), nil
}

// frameworkVersion returns the version of the framework that bench was built with; "" if it is not a release.
func frameworkVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == openapi.Framework && m.Replace == nil && m.Version != "v0.0.0" && m.Version != "(devel)" {
			return m.Version
		}
	}
	return ""
}

// leftOut returns the number of operations that are not translated.
func (i *importing) leftOut() int {
	n := 0
	for _, note := range i.api.Notes {
		if note.LeftOut {
			n++
		}
	}
	return n
}

// file returns the contents of a generated file.
func (i *importing) file(name string) []byte {
	return i.files[slices.IndexFunc(i.files, func(f gendir.File) bool { return f.Name == name })].Data
}

// head returns the first line of the output.
func (i *importing) head() string {
	operations := 0
	for _, s := range i.api.Services {
		operations += len(s.Operations)
	}
	text := fmt.Sprintf("%s %s: %s in %s", i.api.Title, i.api.Version, count(operations, "operation"), count(len(i.api.Services), "service"))
	if n := i.leftOut(); n > 0 {
		text += fmt.Sprintf(", %d left out", n)
	}
	return wrapLine(terminal.OneLine(text), i.con.width)
}

// written lists the files that were written, or would be.
func (i *importing) written() string {
	var names []string
	for _, f := range i.plan.Write {
		names = append(names, f.Name)
	}
	would := ""
	if i.DryRun {
		would = "would have been " // of a dry run
	}
	var b strings.Builder
	for _, list := range []struct {
		what  string
		names []string
	}{{would + "written", names}, {would + "removed", i.plan.Remove}, {"kept", i.plan.Kept}} {
		if len(list.names) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", list.what, namesText(list.names))
		}
	}
	if !i.plan.Changes() {
		b.WriteString("all generated files are up to date\n")
	}
	return b.String()
}

// maxNotes and maxPlaces limit the notes, and the places of a note, without --verbose.
const (
	maxNotes  = 30
	maxPlaces = 3
)

// notes lists the notes of the document, beginning with the operations that are left out. Notes with the same text are one line.
func (i *importing) notes() string {
	var b strings.Builder
	for _, section := range []struct {
		heading string
		leftOut bool
	}{{"left out", true}, {"not as in the document", false}} {
		var texts []string
		places := map[string][]string{}
		for _, n := range i.api.Notes {
			if n.LeftOut != section.leftOut {
				continue
			}
			text := terminal.OneLine(n.Text)
			if places[text] == nil {
				texts = append(texts, text)
			}
			place := strings.Trim(terminal.OneLine(n.Operation)+", "+terminal.OneLine(n.Part), ", ")
			places[text] = append(places[text], place)
		}
		if len(texts) > 0 {
			fmt.Fprintf(&b, "\n%s:\n", section.heading)
		}
		for n, text := range texts {
			if n == maxNotes && !i.Verbose && !section.leftOut {
				fmt.Fprintf(&b, "  … and %s; --verbose shows all, and the code has them as comments\n", count(len(texts)-n, "other note"))
				break
			}
			where := places[text]
			if more := len(where) - maxPlaces; more > 0 && !i.Verbose && !section.leftOut {
				where = append(slices.Clone(where[:maxPlaces]), fmt.Sprintf("%d more", more))
			}
			b.WriteString(wrapLine("  "+strings.Join(where, "; ")+": "+text, i.con.width))
		}
	}
	return b.String()
}

// next lists the steps after writing: services to register, commands to run, and variables to set.
func (i *importing) next() string {
	var b strings.Builder
	if lines := i.unregistered(); len(lines) > 0 {
		fmt.Fprintf(&b, "\ntools.go is yours, and lacks new services; add to it:\n%s", strings.Join(lines, ""))
	}
	if i.plan.Again || i.DryRun {
		return b.String()
	}
	b.WriteString("\nNext:\n")
	if filepath.Clean(i.Out) != "." {
		b.WriteString("  cd " + terminal.OneLine(i.Out) + "\n")
	}
	if i.home == "" && i.version == "" {
		b.WriteString("  go mod edit -replace " + openapi.Framework + "=CLONE   # this bench is not a release: CLONE is the directory of a clone of its repository\n")
	}
	program := "."
	if i.Package != "main" {
		program = "./cmd/" + i.Package
	}
	fmt.Fprintf(&b, "  go mod tidy\n  go test ./...\n  bench lint -- go run %s\n", program)
	b.WriteString("\nEnvironment variables of the server:\n")
	for _, v := range i.api.Variables() {
		b.WriteString(wrapLine("  "+terminal.OneLine(v[0]+": "+v[1]), i.con.width))
	}
	if len(i.api.Schemes) == 0 {
		b.WriteString(wrapLine("The document names no credentials. If the API needs some, run this again with --auth, such as --auth bearer.", i.con.width))
	}
	return b.String()
}

// unregistered returns the lines of tools.go for the services that no file of the author names.
func (i *importing) unregistered() []string {
	if !slices.Contains(i.plan.Kept, "tools.go") {
		return nil
	}
	var authors []byte
	dir := os.DirFS(i.plan.Dir)
	files, _ := fs.Glob(dir, "*.go") // the pattern is valid
	for _, file := range files {
		if data, err := fs.ReadFile(dir, file); err == nil && !i.plan.IsGenerated(data) {
			authors = append(authors, data...)
		}
	}
	var lines []string
	for _, s := range i.api.Services {
		// Also in a struct that embeds it.
		if !regexp.MustCompile(`\b` + s.GoName + `\{`).Match(authors) {
			lines = append(lines, "\tadd(&"+s.GoName+"{c})\n")
		}
	}
	return lines
}
