package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/measure/figure"
)

// Names of the servers of the other commit.
const (
	before        = "before"
	beforeAudited = "before, with limits and audit"
)

// slowdown is the ratio of the processor times above which a workload is reported as slower.
const slowdown = 1.05

// compare measures our server of this checkout and of another commit, and prints the ratios.
func (r *runner) compare(ctx context.Context, w io.Writer, dir, commit string) (err error) {
	r.servers, commit, err = buildBoth(ctx, dir, commit)
	if err != nil {
		return err
	}
	all, err := r.run(ctx)
	if err != nil {
		return err
	}
	return r.printBefore(w, all, commit)
}

// buildBoth builds our server of this checkout and of another commit into dir, and returns the short hash of the commit.
func buildBoth(ctx context.Context, dir, commit string) (_ []server, hash string, err error) {
	hash, err = git(ctx, "rev-parse", "--verify", "--short", "--end-of-options", commit+"^{commit}")
	if err != nil {
		return nil, "", err
	}
	now, then := filepath.Join(dir, "now"), filepath.Join(dir, "before")
	if err := goBuild(ctx, "", now, "mcptool"); err != nil {
		return nil, "", err
	}
	if err := buildCommit(ctx, filepath.Join(dir, "tree"), then, hash); err != nil {
		return nil, "", err
	}
	withAudit := []string{"-limits", "-audit"}
	now, then = filepath.Join(now, "mcptool"), filepath.Join(then, "mcptool")
	return []server{
		{name: before, binary: then},
		{name: ours, binary: now},
		{name: beforeAudited, binary: then, args: withAudit},
		{name: audited, binary: now, args: withAudit},
	}, hash, nil
}

// buildCommit builds our server of a commit into dir, in a git worktree that it removes afterward.
func buildCommit(ctx context.Context, tree, dir, commit string) (err error) {
	if _, err := git(ctx, "worktree", "add", "--quiet", "--detach", tree, commit); err != nil {
		return err
	}
	defer func() {
		_, removed := git(context.WithoutCancel(ctx), "worktree", "remove", "--force", tree)
		err = errors.Join(err, removed)
	}()
	return goBuild(ctx, tree, dir, "mcptool")
}

// git runs git in the current directory, and returns its output without the newline at the end.
func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(exit.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}

// workloadsBefore returns all workloads, with the servers of both commits.
func workloadsBefore() []workload {
	all := workloads()
	for i, w := range all {
		all[i].servers = []string{before, ours}
		if slices.Contains(w.servers, audited) {
			all[i].title += ", with limits and audit"
			all[i].servers = []string{beforeAudited, audited}
		}
	}
	return all
}

// printBefore writes the processor times of both commits as a Markdown table, with the median of their ratios and its
// range. Rows with a median above [slowdown] begin with SLOWER.
func (r *runner) printBefore(w io.Writer, all results, commit string) error {
	rows := [][]string{
		{"", "Server CPU per call", commit, "this checkout", "ratio", "from", "to"},
		{"---", "---", "---:", "---:", "---:", "---:", "---:"},
	}
	for _, load := range r.workloads {
		then, now := load.servers[0], load.servers[1]
		ratio, ok := all.ratio(load.name, now, then, cpuOf)
		if !ok {
			return fmt.Errorf("%s: no processor time was measured; use a longer -span", load.title)
		}
		verdict := ""
		if ratio.Median > slowdown {
			verdict = "SLOWER"
		}
		thenCPU, _ := all.figure(load.name, then, cpuOf) // there is one: it has a ratio
		nowCPU, _ := all.figure(load.name, now, cpuOf)
		row := []string{verdict, load.title, figure.Time(thenCPU.Median), figure.Time(nowCPU.Median)}
		for _, value := range []float64{ratio.Median, ratio.Least, ratio.Most} {
			row = append(row, fmt.Sprintf("%.2f×", value)) // a slowdown of 5 % takes two decimals
		}
		rows = append(rows, row)
	}
	_, err := io.WriteString(w, markdown(rows))
	return err
}
