package wire

import (
	"runtime/debug"
	"testing"
)

func TestProgramName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, path, module, want string }{
		{"command", "example.com/tools/cmd/weather", "example.com/tools", "weather"},
		{"module root", "example.com/weather", "example.com/weather", "weather"},
		{"major version", "example.com/weather/v2", "example.com/weather/v2", "weather"},
		{"files on the command line", "command-line-arguments", "example.com/tools", "tools"},
		{"no information", "", "", "mcp-server"},
		{"files outside a module", "command-line-arguments", "", "mcp-server"},
	} {
		info := &debug.BuildInfo{Path: test.path, Main: debug.Module{Path: test.module}}
		if got := programName(info); got != test.want {
			t.Errorf("%s: programName = %q, want %q", test.name, got, test.want)
		}
	}
	for version, want := range map[string]string{
		"v1.2.3": "1.2.3", "(devel)": "0.0.0-dev", "": "0.0.0-dev",
		"v0.0.0-20261120142144-3c33db6a0b1c": "0.0.0-20261120142144-3c33db6a0b1c",
	} {
		if got := programVersion(&debug.BuildInfo{Main: debug.Module{Version: version}}); got != want {
			t.Errorf("programVersion(%q) = %q, want %q", version, got, want)
		}
	}
}
