package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"

	"github.com/mcptool-go/mcptool/internal/measure/process"
	"github.com/mcptool-go/mcptool/internal/measure/redact"
)

// A Target is the address of a server. Either Command or URL is set.
type Target struct {
	// Command is a program with its arguments that serves MCP on stdin and stdout.
	Command []string
	// URL is the http or https endpoint of a Streamable HTTP server.
	URL string
	// Header is added to each request over HTTP. The headers of the protocol take precedence.
	Header http.Header
	// Env is added to the environment of Command, as KEY=VALUE.
	Env []string
	// Dir is the directory Command runs in; "" is the current one.
	Dir string
}

// String returns the target as on a command line, with secrets redacted.
func (t Target) String() string {
	if t.URL != "" {
		return redact.Text(t.URL)
	}
	return redact.Command(t.Command)
}

// check validates a target before anything is started.
func (t Target) check() error {
	switch {
	case len(t.Command) > 0 && t.URL != "":
		return errors.New("a target is a command or a URL, not both")
	case t.URL != "":
		u, err := url.Parse(t.URL)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			return errors.New(t.String() + " is not the URL of a server; write a URL such as http://127.0.0.1:8080/mcp")
		}
		return nil
	case len(t.Command) == 0 || t.Command[0] == "":
		return errors.New("there is no target: name a URL, or a command after --")
	default:
		return nil
	}
}

// Start starts the command of a target. The error is an *UnreachableError.
func (t Target) Start(stderr io.Writer) (*process.Running, error) {
	cmd := exec.CommandContext(context.Background(), t.Command[0], t.Command[1:]...)
	cmd.Dir = t.Dir
	if len(t.Env) > 0 {
		cmd.Env = append(os.Environ(), t.Env...)
	}
	running, err := process.Start(cmd, stderr)
	if err != nil {
		return nil, &UnreachableError{What: err.Error(), Err: errors.Unwrap(err)}
	}
	return running, nil
}
