package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version returns the output of bench --version. The version of the module has the revision it was built from.
func version() string {
	module := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		module = info.Main.Version
	}
	return fmt.Sprintf("bench %s, %s %s/%s", module, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
