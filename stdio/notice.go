package stdio

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

const (
	noticeTools = 12 // maximum number of tools that are listed; the others are counted
	noticeWidth = 60 // maximum length of a tool's description, in characters
)

// tryLine is a request that works without a handshake.
const tryLine = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{` +
	`"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientCapabilities":{}}}}`

// program describes how this process was started.
type program struct {
	file string   // absolute path of the executable
	args []string // command-line arguments, without the name of the program
	pkg  string   // path of the main package, "" if unknown
}

// notice returns the text for a person who has started a server in a terminal:
// what the program is, how to try it, and how to add it to a client.
func notice(srv *runtime.Server, prog program) string {
	var b strings.Builder
	name, version := srv.Identity()
	fmt.Fprintf(&b, "%s %s\n", name, version)
	b.WriteString("An MCP server. It reads JSON messages of a client from standard input.\n")
	noticeOfTools(&b, srv.Registry().Tools())
	fmt.Fprintf(&b, "\nTo try it, paste this line and press Enter:\n\n%s\n", tryLine)
	noticeOfClient(&b, name, prog)
	fmt.Fprintf(&b, "\nTo end it, press %s.\n\n", endOfInput)
	return b.String()
}

// writeBriefly writes text to w, usually standard error, which may block if it is not read. It waits for at most
// lastWrite.
func writeBriefly(w io.Writer, text string) {
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = io.WriteString(w, text) // an error cannot be reported anywhere else
	}()
	timer := time.NewTimer(lastWrite)
	defer timer.Stop()
	select {
	case <-written:
	case <-timer.C:
	}
}

func noticeOfTools(b *strings.Builder, tools []*mcptool.Tool) {
	if len(tools) == 0 {
		b.WriteString("\nIt has no tools yet: mcptool.Register adds one.\n")
		return
	}
	b.WriteString("\nIts tools:\n")
	shown := tools[:min(len(tools), noticeTools)]
	width := 0
	for _, t := range shown {
		width = max(width, len(t.Name()))
	}
	for _, t := range shown {
		line := fmt.Sprintf("  %-*s  %s", width, t.Name(), summary(t))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if more := len(tools) - len(shown); more > 0 {
		fmt.Fprintf(b, "  and %d more\n", more)
	}
}

// summary returns a description of a tool in one short line.
func summary(t *mcptool.Tool) string {
	text := t.Description()
	if text == "" {
		text = t.Title()
	}
	text, _, _ = strings.Cut(text, "\n")
	if r := []rune(text); len(r) > noticeWidth {
		return strings.TrimRight(string(r[:noticeWidth-1]), " ") + "…"
	}
	return text
}

func noticeOfClient(b *strings.Builder, name string, prog program) {
	if strings.Contains(prog.file, string(filepath.Separator)+"go-build") {
		b.WriteString("\nTo add it to a client, build it first, because go run deletes its binary when it ends:\n\n")
		fmt.Fprintf(b, "  go build -o %s %s\n", quote(name), quote(prog.pkg))
		return
	}
	command := quote(prog.file)
	for _, arg := range prog.args {
		command += " " + quote(arg)
	}
	type server struct {
		Command string   `json:"command"`
		Args    []string `json:"args,omitempty"`
	}
	servers := map[string]server{name: {prog.file, prog.args}}
	config, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		return // cannot happen: strings can always be encoded
	}
	b.WriteString("\nTo add it to a client, run the first line (Claude Code) or put the second into the client's configuration:\n\n")
	fmt.Fprintf(b, "  claude mcp add %s -- %s\n  %s\n", quote(name), command, config)
}
