// Command release prepares a release of the modules that users can install, and of internal/measure, which bench requires:
//
//	make release VERSION=v0.1.0
//
// It makes two commits and one tag per module, and prints the command that pushes them. Between releases the modules
// require each other at v0.0.0, which go.work replaces with directories. In the first commit, which gets the tags, they
// require each other at the version, and go.sum has the hashes of those modules, so that each of them builds without
// go.work. The second commit restores v0.0.0.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: make release VERSION=v0.1.0")
		os.Exit(2)
	}
	dir, err := os.Getwd()
	if err == nil {
		err = release(context.Background(), dir, os.Args[1], os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release releases the repository in dir. It changes nothing before all checks have passed.
func release(ctx context.Context, dir, version string, out io.Writer) error {
	if semver.Canonical(version) != version || semver.Prerelease(version) != "" || semver.Compare(version, "v2.0.0") >= 0 || version == unreleased {
		return fmt.Errorf("%q is not a version such as v0.1.0, or a v2, which needs other module paths", version)
	}
	if changes, err := run(ctx, dir, "git", "status", "--porcelain"); err != nil {
		return err
	} else if changes != "" {
		return fmt.Errorf("the working tree has changes:\n%s", changes)
	}
	changelog, err := datedChangelog(dir, version)
	if err != nil {
		return err
	}
	if err := checkAPI(ctx, dir, version, out); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "CHANGELOG.md"), []byte(changelog), 0o600); err != nil {
		return err
	}
	modules, err := requireEachOther(ctx, dir, version)
	if err != nil {
		return err
	}
	commands := [][]string{{"commit", "-qam", "release " + version}}
	var tags []string
	for _, m := range modules {
		if !strings.HasPrefix(m, "examples/") && m != "internal/lab" { // these are not published
			tags = append(tags, strings.TrimPrefix(m+"/"+version, "./"))
			commands = append(commands, []string{"tag", "-am", "release " + version, tags[len(tags)-1]})
		}
	}
	commands = append(commands,
		[]string{"checkout", "-q", "HEAD~", "--", "*go.mod", "*go.sum", "go.work"},
		[]string{"commit", "-qm", "go.mod: require " + unreleased + " again after " + version})
	for _, args := range commands {
		if _, err := run(ctx, dir, "git", args...); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "Review the release with 'git show %s'. To publish it:\n\tgit push --atomic origin HEAD:main %s\n", version, strings.Join(tags, " "))
	return err
}

// datedChangelog returns CHANGELOG.md with today's date in the heading of the version.
func datedChangelog(dir, version string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, "CHANGELOG.md"))
	if err != nil {
		return "", err
	}
	heading := "\n## " + version + " (unreleased)\n"
	before, section, _ := strings.Cut(string(text), heading)
	if now, _, _ := strings.Cut(section, "\n## "); strings.TrimSpace(now) == "" {
		return "", fmt.Errorf("CHANGELOG.md has nothing under %q", strings.TrimSpace(heading))
	}
	return before + "\n## " + version + time.Now().UTC().Format(" (2006-01-02)\n") + section, nil
}

// checkAPI compares the API with the latest release. The error has the incompatible changes, if docs/versions.md does not
// allow any in the version.
func checkAPI(ctx context.Context, dir, version string, out io.Writer) error {
	tags, err := run(ctx, dir, "git", "tag", "--list", "v*")
	switch {
	case err != nil:
		return err
	case tags == "":
		_, err := fmt.Fprintln(out, "The API is not compared, because there is no earlier release. If there is one, run 'git fetch --tags'.")
		return err
	}
	last := slices.MaxFunc(strings.Fields(tags), semver.Compare)
	if semver.Compare(version, last) <= 0 {
		return fmt.Errorf("%s is not newer than %s", version, last)
	}
	changes, err := incompatible(ctx, dir, last)
	switch {
	case err != nil || changes == "":
		return err
	case semver.MajorMinor(version) == semver.MajorMinor(last) || semver.Major(last) != "v0":
		return fmt.Errorf("%s cannot have incompatible changes since %s:\n%s", version, last, changes)
	}
	_, err = fmt.Fprintf(out, "Incompatible changes since %s, which CHANGELOG.md must list:\n%s", last, changes)
	return err
}

// run runs a command and returns its output without the last line break.
func run(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			out = append(out, exit.Stderr...)
		}
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}
