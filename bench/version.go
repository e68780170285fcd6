package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version returns the output of bench --version, from the embedded build information.
func version() string {
	module, revision, modified := "(unknown)", "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		module = info.Main.Version
		for _, setting := range info.Settings {
			switch {
			case setting.Key == "vcs.revision":
				revision = ", revision " + setting.Value[:min(len(setting.Value), 12)]
			case setting.Key == "vcs.modified" && setting.Value == "true":
				modified = ", modified"
			}
		}
	}
	if module == "" {
		module = "(devel)"
	}
	return fmt.Sprintf("bench %s%s%s, %s %s/%s", module, revision, modified, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
