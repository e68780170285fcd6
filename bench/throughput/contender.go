package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A contender is a server under measurement.
type contender struct {
	name    string // in tables
	program string // the last element of its package in bench/peers
	args    []string
	binary  string
}

// The names that measures and targets refer to.
const (
	byHand  = "by hand"
	ours    = "mcptool"
	goSDK   = "go-sdk"
	mcpGo   = "mcp-go"
	copying = "copying"
	limited = "with limits"
	audited = "audited"
	wrapped = "middleware"
)

func allContenders() []contender {
	return []contender{
		{name: byHand, program: "bare"},
		{name: ours, program: "mcptool"},
		{name: goSDK, program: "gosdk"},
		{name: mcpGo, program: "mcpgo"},
		{name: copying, program: "bare", args: []string{"-kept"}},
		{name: limited, program: "mcptool", args: []string{"-limits"}},
		{name: audited, program: "mcptool", args: []string{"-limits", "-audit"}},
		{name: wrapped, program: "mcptool", args: []string{"-middleware"}},
	}
}

// choose returns the contenders whose names are in a list with commas between them; all, if
// it is empty.
func choose(list string) ([]contender, error) {
	all := allContenders()
	if list == "" {
		return all, nil
	}
	var chosen []contender
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(all, func(c contender) bool { return c.name == name || c.program == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no contender %q", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

const peersPath = "github.com/mcptool-go/mcptool/bench/peers/"

// build builds the programs of the contenders into dir.
func build(ctx context.Context, dir string, contenders []contender) error {
	// Without what debuggers read, linking takes half the time; -o names a directory only if
	// it ends like one.
	args := []string{"build", "-ldflags=-s -w", "-o", dir + string(filepath.Separator)}
	for i := range contenders {
		c := &contenders[i]
		c.binary = filepath.Join(dir, c.program)
		if pkg := peersPath + c.program; !slices.Contains(args, pkg) {
			args = append(args, pkg)
		}
	}
	out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	if err != nil {
		return errors.Join(fmt.Errorf("build the contenders: %w", err), errors.New(string(out)))
	}
	return nil
}
