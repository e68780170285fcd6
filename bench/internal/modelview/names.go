package modelview

import (
	"cmp"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// replaced returns a name with _ in place of each character that is not a letter or digit of ASCII and not in others.
func replaced(name, others string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(others, r) {
			return r
		}
		return '_'
	}, name)
}

// firstOnly returns the names that name makes, without those that are already there.
func firstOnly(tools []string, name func(string) string) []string {
	names, seen := make([]string, len(tools)), map[string]bool{}
	for i, tool := range tools {
		if made := name(tool); !seen[made] {
			names[i], seen[made] = made, true
		}
	}
	return names
}

// claudeNames are the names of Claude Code: mcp__server__tool.
func claudeNames(server string, tools []string) []string {
	return firstOnly(tools, func(tool string) string { return "mcp__" + replaced(server, "_-") + "__" + replaced(tool, "_-") })
}

// notLonger leaves out tools whose names have more than limit characters, together with the name of the server if both is set.
func notLonger(limit int, both bool) func(server string, tools []string) []string {
	return func(server string, tools []string) []string {
		names := slices.Clone(tools)
		for i, tool := range tools {
			size := len(tool)
			if both {
				size += len(server)
			}
			if size > limit {
				names[i] = ""
			}
		}
		return names
	}
}

// maxCodexName is the limit of the namespace, two characters between, and the name.
const maxCodexName = 128

// codexNames are the names of Codex: a namespace mcp__server with tools, shown here as mcp__server__tool. A name that is too long
// is cut, and ends in a hash, as duplicates do.
func codexNames(server string, tools []string) []string {
	space := "mcp__" + replaced(server, "_")
	base := func(tool string) string { return cmp.Or(replaced(tool, "_"), "_") }
	alike, seen := map[string]int{}, map[string]bool{}
	for _, tool := range tools {
		if !seen[tool] {
			alike[base(tool)]++
		}
		seen[tool] = true
	}
	clear(seen)
	return firstOnly(tools, func(tool string) string {
		sum := sha1.Sum(fmt.Appendf(nil, "%s\x00%[1]s\x00\x00%s\x00%[2]s", server, tool)) // as Codex makes it; nothing depends on its strength
		suffix, name := "_"+hex.EncodeToString(sum[:])[:12], base(tool)
		if alike[name] > 1 {
			name += suffix
		}
		if most := maxCodexName - len(space) - len("__"); len(name) > most {
			name = name[:max(most-len(suffix), 0)] + suffix
		}
		return space + "__" + name
	})
}

// geminiNames are the names of Gemini CLI: mcp_server_tool, and of a long one the first and last 30 characters. Of tools
// with the same name it keeps the last.
func geminiNames(server string, tools []string) []string {
	names, last := make([]string, len(tools)), map[string]int{}
	for i, tool := range tools {
		name := server + "_" + tool
		if !strings.HasPrefix(name, "mcp_") {
			name = "mcp_" + name
		}
		if name = replaced(name, "_-.:"); len(name) > 63 {
			name = name[:30] + "..." + name[len(name)-30:]
		}
		if other, ok := last[name]; ok {
			names[other] = ""
		}
		names[i], last[name] = name, i
	}
	return names
}

// vscodeNames are the names of VS Code: a prefix of at most 18 characters and the tool, together at most 64.
func vscodeNames(server string, tools []string) []string {
	prefix := "mcp_"
	var inRun bool
	for _, r := range strings.ToLower(server) {
		if bad := replaced(string(r), "_.-") != string(r); !bad || !inRun { // a run of other characters becomes one _
			prefix += replaced(string(r), "_.-")
			inRun = bad
		}
	}
	prefix = prefix[:min(len(prefix), 17)] + "_"
	return firstOnly(tools, func(tool string) string {
		name := strings.ReplaceAll(prefix+replaced(tool, "_-"), ".", "_")
		return name[:min(len(name), 64)]
	})
}
