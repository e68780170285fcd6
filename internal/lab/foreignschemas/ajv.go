package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed judge.mjs
var judge []byte

// ajvProcess is judge.mjs, which runs ajv.
type ajvProcess struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *json.Decoder
}

// An ajvAnswer is the answer of judge.mjs for a schema.
type ajvAnswer struct {
	Error    string
	Refused  string
	Verdicts []ajvVerdict
}

// An ajvVerdict is the verdict for a value, see judge.mjs.
type ajvVerdict struct {
	Valid, NotNullable, NoFormats bool
	Formats                       []string
}

func startAjv(ctx context.Context, dir string) (*ajvProcess, error) {
	if err := os.WriteFile(filepath.Join(dir, "judge.mjs"), judge, 0o600); err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, "node", "judge.mjs")
	c.Dir, c.Stderr = dir, os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &ajvProcess{c, in, json.NewDecoder(bufio.NewReader(out))}, c.Start()
}

// validate returns the verdicts for values of a schema, for which we have the verdicts ours.
func (p *ajvProcess) validate(schema json.RawMessage, values []string, ours []bool) (answer ajvAnswer, err error) {
	line, err := json.Marshal(map[string]any{"schema": schema, "values": values, "ours": ours})
	if err != nil {
		return answer, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return answer, err
	}
	return answer, p.out.Decode(&answer)
}

func (p *ajvProcess) close() error {
	return errors.Join(p.in.Close(), p.command.Wait())
}
