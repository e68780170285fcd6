package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

const (
	core = "github.com/mcptool-go/mcptool"
	// unreleased is the version at which the modules require each other between releases.
	unreleased = "v0.0.0"
)

// requirement matches a requirement of one of our modules, and its replacement in go.work.
var requirement = regexp.MustCompile(`(` + core + `\S*) ` + regexp.QuoteMeta(unreleased))

// requireEachOther makes the modules require each other at a version, and adds their hashes to go.sum. It returns the
// directories of the modules.
func requireEachOther(ctx context.Context, repo, version string) (modules []string, err error) {
	paths, err := run(ctx, repo, "go", "list", "-m")
	if err != nil {
		return nil, err
	}
	upgrade := func(text string) string { return requirement.ReplaceAllString(text, "$1 "+version) }
	if _, err := edit(filepath.Join(repo, "go.work"), upgrade); err != nil {
		return nil, err
	}
	requires := map[string][][]string{} // matches of requirement
	for _, path := range strings.Fields(paths) {
		dir, _ := filepath.Rel(core, path)
		modules = append(modules, dir)
		before, err := edit(filepath.Join(repo, dir, "go.mod"), upgrade)
		if err != nil {
			return nil, err
		}
		requires[dir] = requirement.FindAllStringSubmatch(before, -1)
	}
	// The hash of a module includes its go.sum, so it follows those that it requires. It also requires what they require,
	// so it has more requirements.
	slices.SortStableFunc(modules, func(a, b string) int { return cmp.Compare(len(requires[a]), len(requires[b])) })
	sums := map[string]string{}
	for _, dir := range modules {
		_, err := edit(filepath.Join(repo, dir, "go.sum"), func(text string) string {
			for _, match := range requires[dir] {
				text += sums[match[1]]
			}
			return text
		})
		if err != nil {
			return nil, err
		}
		m := module.Version{Path: strings.TrimSuffix(core+"/"+dir, "/."), Version: version}
		if sums[m.Path], err = sumsOf(ctx, repo, dir, m); err != nil {
			return nil, err
		}
	}
	return modules, nil
}

// sumsOf returns the lines of go.sum for a module in the working tree.
func sumsOf(ctx context.Context, repo, dir string, m module.Version) (string, error) {
	if _, err := run(ctx, repo, "git", "add", "-u"); err != nil {
		return "", err
	}
	tree, err := run(ctx, repo, "git", "write-tree")
	if err != nil {
		return "", err
	}
	file, err := os.CreateTemp("", "*.zip")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	err = zip.CreateFromVCS(file, m, repo, tree, strings.TrimPrefix(dir, "."))
	if err := errors.Join(err, file.Close()); err != nil {
		return "", err
	}
	content, err := dirhash.HashZip(file.Name(), dirhash.Hash1)
	if err != nil {
		return "", err
	}
	mod, err := dirhash.Hash1([]string{"go.mod"}, func(name string) (io.ReadCloser, error) { return os.Open(filepath.Join(repo, dir, name)) })
	return fmt.Sprintf("%[1]s %[2]s %[3]s\n%[1]s %[2]s/go.mod %[4]s\n", m.Path, m.Version, content, mod), err
}

// edit changes a file and returns its text before.
func edit(path string, change func(string) string) (before string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return string(text), os.WriteFile(path, []byte(change(string(text))), 0o600) // its mode stays
}
