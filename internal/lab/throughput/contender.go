package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/lab/peers"
)

// A contender is a measured server.
type contender struct {
	name    string // in tables
	program string // last element of its package in internal/lab/peers; "" for an older build of ours
	args    []string
	binary  string
}

// olderBuild returns a contender for an older build of ours. Its name is "build" and the file name.
func olderBuild(binary string) (contender, error) {
	if info, err := os.Stat(binary); err != nil || !info.Mode().IsRegular() {
		return contender{}, fmt.Errorf("%s is not a program; build internal/lab/peers/mcptool of an older commit", binary)
	}
	absolute, err := filepath.Abs(binary)
	return contender{name: "build " + filepath.Base(binary), binary: absolute}, err
}

// isOlder reports whether c is an older build of ours.
func (c *contender) isOlder() bool { return c.program == "" }

// Names used by measures and targets.
const (
	byHand    = "by hand"
	handTuned = "hand-tuned"
	ours      = "mcptool"
	goSDK     = "go-sdk"
	mcpGo     = "mcp-go"
	copying   = "copying"
	limited   = "with limits"
	audited   = "audited"
	wrapped   = "middleware"
)

func allContenders() []contender {
	return []contender{
		{name: byHand, program: "bare"},
		{name: handTuned, program: "handtuned"},
		{name: ours, program: "mcptool"},
		{name: goSDK, program: "gosdk"},
		{name: mcpGo, program: "mcpgo"},
		{name: copying, program: "bare", args: []string{"-kept"}},
		{name: limited, program: "mcptool", args: []string{"-limits"}},
		{name: audited, program: "mcptool", args: []string{"-limits", "-audit"}},
		{name: wrapped, program: "mcptool", args: []string{"-middleware"}},
	}
}

// choose returns the contenders named in a comma-separated list; all if it is empty.
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

// build builds the programs of the contenders into dir.
func build(ctx context.Context, dir string, contenders []contender) error {
	programs := make([]string, 0, len(contenders))
	for _, c := range contenders {
		if !c.isOlder() {
			programs = append(programs, c.program)
		}
	}
	built, err := peers.Build(ctx, dir, programs...)
	if err != nil {
		return err
	}
	for i := range contenders {
		if c := &contenders[i]; !c.isOlder() {
			c.binary = built[c.program]
		}
	}
	return nil
}
