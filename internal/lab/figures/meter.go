package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// A meter measures the figures of files and calls at one commit after the other, in a temporary git worktree.
type meter struct {
	root string             // the checkout
	dir  string             // temporary
	last map[string]float64 // figures at the last commit
}

// newMeter returns a meter that has measured the commit since.
func newMeter(ctx context.Context, since string) (*meter, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "figures")
	if err != nil {
		return nil, err
	}
	m := &meter{root: root, dir: dir, last: map[string]float64{}}
	if _, err := output(ctx, "git", "worktree", "add", "--quiet", "--detach", m.tree(), since); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if _, err := m.measure(ctx); err != nil {
		return nil, errors.Join(err, m.close(ctx))
	}
	return m, nil
}

// tree returns the path of the worktree.
func (m *meter) tree() string { return filepath.Join(m.dir, "tree") }

// change measures a commit, and returns a line for each figure that differs from the last commit measured, and for each
// measurement that failed.
func (m *meter) change(ctx context.Context, commit string) ([]string, error) {
	if _, err := output(ctx, "git", "-C", m.tree(), "checkout", "--quiet", "--detach", commit); err != nil {
		return nil, err
	}
	return m.measure(ctx)
}

// measure measures the commit in the worktree, and returns the lines of change.
func (m *meter) measure(ctx context.Context) (lines []string, err error) {
	if err := os.Chdir(m.tree()); err != nil { // the measurements are for the current directory
		return nil, err
	}
	defer func() { err = errors.Join(err, os.Chdir(m.root)) }()
	for _, part := range []func(context.Context) ([]figure, error){knots, callpath} {
		measured, err := part(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil { // a commit may not compile
			lines = append(lines, "not measured: "+err.Error())
		}
		lines = append(lines, m.note(measured)...)
	}
	return lines, nil
}

// note records figures, and returns a line for each one that changed.
func (m *meter) note(measured []figure) (lines []string) {
	for _, f := range measured {
		if was, ok := m.last[f.name]; !ok || was != f.value {
			lines = append(lines, fmt.Sprintf("%s: %v, was %v", f.name, f.value, was))
		}
		m.last[f.name] = f.value
	}
	return lines
}

// close removes the worktree.
func (m *meter) close(ctx context.Context) error {
	_, err := output(context.WithoutCancel(ctx), "git", "worktree", "remove", "--force", m.tree())
	return errors.Join(err, os.RemoveAll(m.dir))
}
