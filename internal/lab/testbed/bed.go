package testbed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
)

// Bed is the environment of instances.
type Bed struct {
	// Dir is a new directory for all files of nginx and the instances.
	Dir string
	// Program is the path of the server.
	Program string
}

// Open creates a directory and builds a server, the package with this import path, into it. The error is [ErrNoNginx]
// if nginx is not installed.
func Open(ctx context.Context, pkg string) (*Bed, error) {
	if _, err := FindNginx(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", path.Base(pkg))
	if err != nil {
		return nil, err
	}
	b := &Bed{Dir: dir, Program: filepath.Join(dir, path.Base(pkg))}
	if err := b.fill(ctx, pkg); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

func (b *Bed) fill(ctx context.Context, pkg string) error {
	if err := os.Chmod(b.Dir, 0o755); err != nil { // nginx started by root runs workers as another user
		return err
	}
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", b.Program, pkg).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// Close removes the directory.
func (b *Bed) Close() error { return os.RemoveAll(b.Dir) }
