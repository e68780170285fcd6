package peers

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// path is the import path prefix of the programs.
const path = "github.com/mcptool-go/mcptool/internal/lab/peers/"

// Build builds programs into dir and returns the path of each. A program is named by its directory here or by the
// import path of its package. It requires the go command and a checkout of this repository.
func Build(ctx context.Context, dir string, programs ...string) (map[string]string, error) {
	// Omitting debug information halves the link time. -o names a directory only if it ends with a separator.
	args := []string{"build", "-ldflags=-s -w", "-o", dir + string(filepath.Separator)}
	built := map[string]string{}
	for _, program := range programs {
		if built[program] == "" {
			built[program] = filepath.Join(dir, filepath.Base(program))
			if !strings.Contains(program, "/") {
				args = append(args, path+program)
			} else {
				args = append(args, program)
			}
		}
	}
	if out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("the peers cannot be built, which takes a checkout of the repository and Go: %w\n%s", err, strings.TrimSpace(string(out)))
	}
	return built, nil
}
