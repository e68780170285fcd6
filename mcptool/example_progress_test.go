package mcptool_test

import (
	"context"

	"github.com/mcptool-go/mcptool/mcptool"
)

type ImportIn struct {
	Files []string `json:"files"`
}

type ImportOut struct {
	Imported int `json:"imported"`
}

// Progress, Logger and Caller need no server to be there, so a func that uses them
// is still an ordinary func.
func ExampleProgress() {
	importFiles := func(ctx context.Context, in ImportIn) (ImportOut, error) {
		for i, file := range in.Files {
			if err := ctx.Err(); err != nil {
				return ImportOut{}, err
			}
			mcptool.Logger(ctx).Info("importing", "file", file)
			mcptool.Progress(ctx, float64(i+1), float64(len(in.Files)), file)
		}
		return ImportOut{len(in.Files)}, nil
	}
	mcptool.Register(importFiles, mcptool.Name("import_files"))
	defer removeTools(mcptool.Default)
	// Output:
}
