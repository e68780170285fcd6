package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
)

// history prints how many tokens of linked packages and how many lines of api each commit after since added. If all is
// true, it also prints how these commits changed the figures of files and calls.
func history(ctx context.Context, w io.Writer, since string, all bool) (err error) {
	files, err := linkedFiles(ctx)
	if err != nil {
		return err
	}
	root, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	dirs := map[string]bool{}
	for _, path := range files {
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		dirs[filepath.ToSlash(dir)] = true
	}
	commits, err := output(ctx, "git", "log", "--reverse", "--first-parent", "--format=%h %s", since+"..")
	if err != nil {
		return err
	}
	change := func(context.Context, string) ([]string, error) { return nil, nil }
	if all {
		m, err := newMeter(ctx, since)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, m.close(ctx)) }()
		change = m.change
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprint(table, "tokens\tnames\t  commit\n")
	for commit := range strings.Lines(commits) {
		hash, subject, _ := strings.Cut(strings.TrimSpace(commit), " ")
		added, names, err := addedBy(ctx, hash, dirs)
		if err != nil {
			return err
		}
		if added == 0 && names == 0 {
			continue
		}
		_, _ = fmt.Fprintf(table, "%+d\t%+d\t  %s %s\n", added, names, hash, subject)
		changes, err := change(ctx, hash)
		if err != nil {
			return err
		}
		for _, line := range changes {
			_, _ = fmt.Fprintf(table, "\t\t    %s\n", line)
		}
	}
	return table.Flush()
}

// addedBy returns how many tokens of the linked directories and lines of api a commit added.
func addedBy(ctx context.Context, commit string, linked map[string]bool) (added, names int, err error) {
	changed, err := output(ctx, "git", "diff", "--no-renames", "--name-only", commit+"^", commit)
	if err != nil {
		return 0, 0, err
	}
	for path := range strings.Lines(changed) {
		path = strings.TrimSpace(path)
		dir, base := filepath.Split(path)
		isCode := linked[strings.TrimSuffix(dir, "/")] && strings.HasSuffix(base, ".go") && !strings.HasSuffix(base, "_test.go")
		if !isCode && dir != "api/" {
			continue
		}
		before, after := fileAt(ctx, commit+"^", path), fileAt(ctx, commit, path)
		if isCode {
			added += tokens(after) - tokens(before)
			continue
		}
		names += strings.Count(string(after), "\n") - strings.Count(string(before), "\n")
	}
	return added, names, nil
}

// fileAt returns the text of a file at a commit, or nothing if it did not exist.
func fileAt(ctx context.Context, commit, path string) []byte {
	out, err := exec.CommandContext(ctx, "git", "show", commit+":"+path).Output()
	if err != nil {
		return nil
	}
	return out
}
