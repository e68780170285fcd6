package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcptool-go/mcptool/bench/internal/comments"
)

// commentsCmd is bench comments.
type commentsCmd struct {
	Dir   string `arg:"" optional:"" help:"The directory of the package; default the current one." default:"." predictor:"dir"`
	Out   string `help:"The name of the file in that directory." placeholder:"NAME" default:"comments_gen.go"`
	Tags  string `help:"Build tags, separated by commas, as for go build." placeholder:"TAGS"`
	Check bool   `help:"Write nothing; exit with 1 if the file is out of date."`
}

// Help adds details to the short help in the command list.
func (*commentsCmd) Help() string {
	return `It needs no server, but the source: the package, without its tests, and the packages of the types that it uses.
Comments are collected of funcs with the signature of a tool, of everything else that is passed to mcptool, and of
the fields, string constants and union members of their types. Write this into a file of the package, for go generate:

  //go:generate go tool bench comments`
}

// Run writes the file, or compares it with the existing one.
func (c *commentsCmd) Run(ctx context.Context, con *console) error {
	if c.Out != filepath.Base(c.Out) || filepath.Ext(c.Out) != ".go" {
		return usageError("--out is the name of a Go file in the directory of the package")
	}
	f, err := comments.Generate(ctx, c.Dir, c.Tags, c.Out)
	if err != nil {
		return usageError("%s: %w", c.Dir, err)
	}
	for _, warning := range f.Warnings {
		_, _ = fmt.Fprintf(con.err, "warning: %s\n", warning)
	}
	path := filepath.Join(c.Dir, c.Out)
	if !c.Check {
		if err := writeFile(path, f.Data); err != nil {
			return err
		}
		_, err = fmt.Fprintf(con.out, "wrote %s (%s)\n", path, count(f.Comments, "comment"))
		return err
	}
	old, err := fs.ReadFile(os.DirFS(c.Dir), c.Out)
	if err == nil && bytes.Equal(old, f.Data) {
		_, err = fmt.Fprintf(con.out, "up to date: %s (%s)\n", path, count(f.Comments, "comment"))
		return err
	}
	if err == nil {
		if err := con.print(shortDiff(string(old), string(f.Data)), diffColors); err != nil {
			return err
		}
	}
	return noError("%s is missing or stale; the same command without --check writes it", path)
}
