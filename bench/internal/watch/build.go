package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/gocommand"
)

// build builds the program into its own directory. The file has the name that go build chooses, since a server may use it
// as its name. As with go run, the program has no debugging information, which saves time, and no version control stamp.
func (p Program) build(ctx context.Context, o Options, number int) Build {
	b := Build{Number: number}
	if p.File != "" {
		b.Command = p.command(absolute(p.Dir, p.File))
		return b
	}
	dir := filepath.Join(o.Dir, strconv.Itoa(number))
	work := filepath.Join(o.Dir, "work")      // an interrupted go command leaves its temporary files behind
	defer func() { _ = os.RemoveAll(work) }() // the owner removes o.Dir
	if b.Err = errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700), os.MkdirAll(work, 0o700)); b.Err != nil {
		return b
	}
	flags := []string{"-buildvcs=false"}
	if all, err := gocommand.Run(ctx, p.Dir, nil, "env", "GOFLAGS"); err == nil && !strings.Contains(all, "-ldflags") {
		flags = append(flags, "-ldflags=-s -w")
	}
	_, b.Err = gocommand.Run(ctx, p.Dir, append(os.Environ(), "GOTMPDIR="+work),
		slices.Concat([]string{"build", "-o", dir + string(filepath.Separator)}, flags, p.Flags, []string{"--"}, p.Package)...)
	if b.Err != nil {
		if strings.Contains(b.Err.Error(), "\ngo: no main packages to build") {
			b.Err = fmt.Errorf("%s is not a main package, so there is no program to run", strings.Join(p.Package, " "))
		}
		return b
	}
	switch entries, err := os.ReadDir(dir); {
	case err != nil:
		b.Err = err
	case len(entries) == 0:
		b.Err = errors.New("go build has written no program")
	default:
		b.Command = p.command(filepath.Join(dir, entries[0].Name()))
	}
	return b
}
