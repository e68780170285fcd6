package cobratools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/bytesize"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

const (
	afterExit = time.Second // for processes that keep the pipes of a command open after its end
	maxStderr = 8 << 10     // bytes
)

// program runs the program of this process again.
type program struct {
	path           string
	env            []string // nil: the environment of this process
	maxOutputBytes int
	running        sync.RWMutex // read-locked while a command runs
}

func newProgram(c *config) (*program, error) {
	if c.maxOutputBytes <= 0 {
		return nil, fmt.Errorf("MaxOutputBytes is %d; it must be above zero", c.maxOutputBytes)
	}
	path, err := os.Executable()
	return &program{path: path, env: c.env, maxOutputBytes: c.maxOutputBytes}, err
}

// output contains the output and the exit status of a command.
type output struct {
	stdout, stderr string
	limit          int // bytes of stdout; 0 if it is complete
	failure        string
}

// run runs the program until it exits or ctx ends. Its input is empty. A command that fails is not an error.
func (p *program) run(ctx context.Context, argv []string) (*output, error) {
	p.running.RLock()
	defer p.running.RUnlock()
	stdout, stderr := &head{limit: p.maxOutputBytes}, &tail{}
	cmd := exec.CommandContext(ctx, p.path, argv...) //nolint:gosec // this program; each argument is one word
	cmd.Args[0] = os.Args[0]
	cmd.Env = p.env
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = afterExit
	ownGroup(cmd)
	err := cmd.Run()
	killGroup(cmd) // processes that the command left behind
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	out := &output{stdout: string(stdout.kept), stderr: string(stderr.kept)}
	if stdout.truncated {
		out.limit = p.maxOutputBytes
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		out.failure = exit.Error()
	} else if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, notStarted(err)
	}
	return out, nil
}

// notStarted returns the error for a command that could not be started, for example because its arguments are too long.
// Its text does not have the path of the program, which clients have no use for.
func notStarted(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return mcptool.Errorf("the command cannot be started: %w", path.Err)
	}
	return err
}

// strictJSON allows every value that can be sent: strict JSON.
var strictJSON = sync.OnceValues(func() (*reflectschema.Schema, error) { return reflectschema.ParseSchema([]byte(`{}`)) })

// checkJSON returns an error if the output of a command is not one value of strict JSON, which is all that can be sent.
func checkJSON(text string) error {
	if !json.Valid([]byte(text)) {
		return errors.New("the command succeeded, but did not print one JSON value")
	}
	schema, err := strictJSON()
	if err != nil {
		return err
	}
	if invalid, ok := errors.AsType[*reflectschema.InvalidError](schema.Check([]byte(text))); ok {
		return fmt.Errorf("the command succeeded, but its JSON cannot be sent: %w", &reflectschema.InvalidError{Violations: invalid.Violations, Total: invalid.Total})
	}
	return nil
}

// result returns the result of a call.
func (o *output) result(wantJSON bool) (*mcptool.Result, error) {
	res := &mcptool.Result{IsError: o.failure != ""}
	add := func(text string) {
		if text = strings.ToValidUTF8(text, "\uFFFD"); strings.TrimSpace(text) != "" {
			res.Content = append(res.Content, mcptool.Text{Text: text})
		}
	}
	switch {
	case !wantJSON || res.IsError:
		add(o.stdout)
		if o.limit > 0 {
			add(fmt.Sprintf("The output was longer than %s; the rest was discarded.", bytesize.Text(int64(o.limit))))
		}
	case o.limit > 0:
		return nil, mcptool.Errorf("the command printed more than %s of JSON; use arguments that select less", bytesize.Text(int64(o.limit)))
	default:
		if err := checkJSON(o.stdout); err != nil {
			return nil, mcptool.Errorf("%w; it printed:\n%s%s", err, cut(o.stdout, maxHelp), o.stderr)
		}
		res.Structured = json.RawMessage(bytes.TrimSpace([]byte(o.stdout)))
	}
	add(o.stderr)
	add(o.failure)
	return res, nil
}

// head keeps the beginning of a stream, and discards the rest, so that the command does not block.
type head struct {
	kept      []byte
	limit     int
	truncated bool
}

func (h *head) Write(p []byte) (int, error) {
	n := min(h.limit-len(h.kept), len(p))
	h.kept = append(h.kept, p[:n]...)
	h.truncated = h.truncated || n < len(p)
	return len(p), nil
}

// tail keeps the end of a stream.
type tail struct{ kept []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p[max(0, len(p)-maxStderr):]...)
	t.kept = t.kept[max(0, len(t.kept)-maxStderr):]
	return len(p), nil
}
