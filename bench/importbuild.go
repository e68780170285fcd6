package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/gocommand"
	"github.com/mcptool-go/mcptool/bench/internal/lint"
	"github.com/mcptool-go/mcptool/bench/internal/openapi"
	"github.com/mcptool-go/mcptool/internal/compat"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// compare builds the server with the new files and lists it. It prints the costs of its tools in a dry run, and what
// changes if there was a server before. The error is about the new server; problems of the old one are printed.
func (i *importing) compare(ctx context.Context) ([]compat.Change, error) {
	con := i.con
	defer con.status("")
	tmp, err := os.MkdirTemp("", "bench-import-*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	b, err := i.newBuild(ctx, tmp)
	if err != nil {
		return nil, err
	}
	var was *compat.Snapshot
	if i.plan.Again {
		con.status("building the server as it is")
		if _, was, err = i.list(ctx, b); err != nil && ctx.Err() == nil {
			text := fmt.Sprintf("bench: the changes are not known, because the present server cannot be listed: %s\n", indented(err.Error()))
			_ = con.printError(con.secrets.Text(text), errorColors) // best effort
		}
	}
	overlay, err := i.plan.Overlay(tmp, b.root)
	if err != nil {
		return nil, err
	}
	b.flags = append(b.flags, "-overlay", overlay)
	con.status("building the server with the new files")
	all, now, err := i.list(ctx, b)
	con.status("")
	if err != nil {
		return nil, err
	}
	if i.DryRun {
		if err := con.print(i.costs(all), tableColors); err != nil {
			return nil, err
		}
	}
	if was == nil {
		return nil, nil
	}
	changes := compat.Compare(was, now)
	text := compat.Report(onLines(changes), compat.Wording)
	if len(changes) == 0 {
		text = "the tools do not change\n"
	}
	return changes, con.print("\n"+text+"\n", checkColors)
}

// A goBuild builds the server of a directory.
type goBuild struct {
	dir   string // working directory of the go command, which has go.mod
	root  string // of the package
	pkg   string // the package of the program, relative to dir
	flags []string
	env   []string
	out   string // the program
}

// newBuild prepares builds of the server as it is. Requirements that go.mod lacks are found as by go mod tidy, but not
// written: they are in a copy of go.mod, unless there is a workspace, for which the go command does not allow this.
func (i *importing) newBuild(ctx context.Context, tmp string) (*goBuild, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, gocommand.ErrNotFound
	}
	b := &goBuild{dir: i.home, root: i.plan.Dir, env: os.Environ(), out: filepath.Join(tmp, "server.exe")} // Windows needs the extension
	var mod, sum []byte
	if i.home == "" {
		if i.version == "" {
			return nil, fmt.Errorf("a new module needs a released version of %s, and this bench is not a release; make a go.mod in the directory first, with a requirement and a replace of the module", openapi.Framework)
		}
		if _, err := os.Stat(b.root); errors.Is(err, fs.ErrNotExist) {
			b.root = filepath.Join(tmp, "module")
			if err := os.Mkdir(b.root, 0o700); err != nil {
				return nil, err
			}
		}
		b.dir, b.env = b.root, append(b.env, "GOWORK=off")
		mod = i.file("go.mod")
	} else {
		work, err := b.run(ctx, "env", "GOWORK")
		if err != nil {
			return nil, err
		}
		if work = strings.TrimSpace(work); work == "" || work == "off" {
			mod, err = os.ReadFile(filepath.Join(i.home, "go.mod"))
			sum, _ = os.ReadFile(filepath.Join(i.home, "go.sum")) // the go command writes a missing one
		}
		if err != nil {
			return nil, err
		}
	}
	if mod != nil {
		file := filepath.Join(tmp, "go.mod")
		if err := errors.Join(os.WriteFile(file, mod, 0o600), os.WriteFile(filepath.Join(tmp, "go.sum"), sum, 0o600)); err != nil {
			return nil, err
		}
		b.flags = []string{"-modfile", file, "-mod=mod"}
	}
	below, err := filepath.Rel(b.dir, b.root)
	b.pkg = "./" + filepath.ToSlash(below)
	if i.Package != "main" {
		b.pkg += "/cmd/" + i.Package
	}
	return b, err
}

// run runs the go command, and returns its stdout.
func (b *goBuild) run(ctx context.Context, args ...string) (string, error) {
	return gocommand.Run(ctx, b.dir, b.env, args...)
}

// list builds the server, and returns its lists.
func (i *importing) list(ctx context.Context, b *goBuild) (*catalog, *compat.Snapshot, error) {
	if _, err := b.run(ctx, slices.Concat([]string{"build", "-o", b.out}, b.flags, []string{b.pkg})...); err != nil {
		return nil, nil, fmt.Errorf("%w\nA file of yours, such as tools.go, may use what the document does not have anymore; change it there", err)
	}
	t := target{Era: string(client.Auto)}
	t.parsed.command = []string{b.out}
	session, all, err := t.listFrom(ctx, i.con, client.Options{})
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = session.Close() }() // errors on close do not matter
	snapshot, err := i.con.snapshot(all)
	return all, snapshot, err
}

// costs returns a table of what the tools cost a model, the largest first, and the size of their schemas.
func (i *importing) costs(all *catalog) string {
	tools := slices.Clone(all.tools)
	slices.SortStableFunc(tools, func(a, b client.Tool) int { return cmp.Compare(lint.Size(b.Raw), lint.Size(a.Raw)) })
	rows := [][]string{{"TOKENS*", "SCHEMA", "TOOL", "LARGEST ARGUMENT"}}
	row := func(bytes, schema int, name, argument string) {
		rows = append(rows, []string{fmt.Sprintf("%7d", lint.Tokens(bytes)), fmt.Sprintf("%6d", schema), name, argument})
	}
	total, schemas := 0, 0
	for _, t := range tools {
		bytes, schema := lint.Size(t.Raw), lint.Size(t.InputSchema)
		row(bytes, schema, terminal.Shorten(t.Name, maxBrief), largestArgument(t.InputSchema))
		total, schemas = total+bytes, schemas+schema
	}
	row(total, schemas, "in all", "")
	text := "\n" + terminal.Fit(rows, i.con.width, nil) + wrapLine(lint.TokensNote+"; SCHEMA and LARGEST ARGUMENT are bytes", i.con.width)
	if sizes := all.groups(); len(sizes) > 0 {
		text += "\n" + groupsText(sizes, i.con.width)
	}
	return text + "\n"
}

// largestArgument returns the argument with the largest schema, and its size.
func largestArgument(schema json.RawMessage) string {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return ""
	}
	name, size := "", 0
	for n, property := range s.Properties {
		if bytes := lint.Size(property); bytes > size || bytes == size && n < name {
			name, size = n, bytes
		}
	}
	if name == "" {
		return ""
	}
	return fmt.Sprintf("%s %d", terminal.Shorten(terminal.OneLine(name), maxBrief), size)
}
