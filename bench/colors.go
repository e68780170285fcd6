package main

import (
	"io"
	"os"
	"regexp"

	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// Colors of the output of commands on a terminal. Text of a server is not colored by its contents, but by its place.
var (
	tableColors = []terminal.Rule{{Pattern: regexp.MustCompile(`^ *(NAME|GROUP|PROMPT|RESOURCE|TEMPLATE|LEVEL|TOKENS|in flight|rate)[ *].*`), Style: terminal.Bold}}
	diffColors  = []terminal.Rule{
		{Pattern: regexp.MustCompile(`^(---|\+\+\+) .*`), Style: terminal.Bold},
		{Pattern: regexp.MustCompile(`^\+.*`), Style: terminal.Green},
		{Pattern: regexp.MustCompile(`^-.*`), Style: terminal.Red},
		{Pattern: regexp.MustCompile(`^@@.*`), Style: terminal.Cyan},
	}
	lintColors = append([]terminal.Rule{
		{Pattern: regexp.MustCompile(`^error\b`), Style: terminal.Red},
		{Pattern: regexp.MustCompile(`^warning\b`), Style: terminal.Yellow},
		{Pattern: regexp.MustCompile(`^advice\b`), Style: terminal.Cyan},
	}, tableColors...)
	asColors = append([]terminal.Rule{
		{Pattern: regexp.MustCompile(`^lost\b`), Style: terminal.Red},
		{Pattern: regexp.MustCompile(`^cut\b`), Style: terminal.Yellow},
	}, append([]terminal.Rule{{Pattern: regexp.MustCompile(`^(EFFECT|CLIENT)\b.*`), Style: terminal.Bold}}, tableColors...)...)
	checkColors = append([]terminal.Rule{
		{Pattern: regexp.MustCompile(`^breaks .*:$`), Style: terminal.Red},
		{Pattern: regexp.MustCompile(`^may break .*:$`), Style: terminal.Yellow},
		{Pattern: regexp.MustCompile(`^(compatible|wording only):$`), Style: terminal.Green},
	}, diffColors...)
	findColors  = []terminal.Rule{{Pattern: regexp.MustCompile(`^(\S.*: )?".*`), Style: terminal.Bold}}
	runColors   = append([]terminal.Rule{{Pattern: regexp.MustCompile(`(ALL )?[\d ]+ (of [\d ]+)?calls failed`), Style: terminal.Red}}, tableColors...)
	errorColors = []terminal.Rule{{Pattern: regexp.MustCompile(`^bench:`), Style: terminal.Red}}
)

// useColors reports whether the environment allows colors, see no-color.org.
func useColors() bool { return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" }

// print writes text to stdout, in colors if that is a terminal.
func (c *console) print(text string, colors []terminal.Rule) error {
	return printTo(c.out, text, c.colors && c.outTerminal, colors)
}

// printError writes text to stderr, in colors if that is a terminal.
func (c *console) printError(text string, colors []terminal.Rule) error {
	return printTo(c.err, text, c.colors && c.errTerminal, colors)
}

func printTo(w *terminal.Writer, text string, colored bool, colors []terminal.Rule) error {
	if colored {
		return w.WriteColored(text, colors)
	}
	_, err := io.WriteString(w, text)
	return err
}
